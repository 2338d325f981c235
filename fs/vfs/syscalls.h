/*
 * System calls on files: they use the descriptors and the current directory of the calling task.
 * Names and errors (negative errno) are Linux's. Task context.
 *
 * A task that kernel_thread() makes starts with a copy of its parent's descriptors and current
 * directory; do_exit() closes them. A kernel thread starts without descriptors, at "/".
 */
#pragma once

#include "arch/cpu/linkage.h"
#include "fs/vfs/fs.h"
#include "fs/file/poll.h"
#include "fs/vfs/stat.h"

#define NR_OPEN_DEFAULT 64    /* descriptors before the table grows */
#define NR_OPEN_MAX     65536 /* RLIMIT_NOFILE cannot be higher */

/* getdents64(2). */
struct linux_dirent64 {
	u64 d_ino;
	s64 d_off;    /* the position after this entry */
	u16 d_reclen; /* bytes to the next record, a multiple of 8 */
	u8 d_type;    /* DT_* */
	char d_name[];
};

/*
 * SYSCALL_DEFINEn() defines these functions (kernel/syscalls/syscalls.h), with Linux's types, which
 * are those of programs. Here they have the types that suit kernel tasks. Both pass arguments in
 * the same registers. A trace shows the name of the symbol, such as __x64_sys_open. The status of a
 * file: vfs_stat() in fs/vfs/stat.h.
 */
/* Returns a descriptor. */
long sys_open(const char *path, int flags, umode_t mode) SYSCALL_SYMBOL(open);
long sys_close(int fd) SYSCALL_SYMBOL(close);
/* Closes the open ones, last included. flags is 0. */
long sys_close_range(unsigned first, unsigned last, unsigned flags) SYSCALL_SYMBOL(close_range);
ssize_t sys_read(int fd, void *buf, size_t count) SYSCALL_SYMBOL(read);
/* Returns -EPIPE after SIGPIPE. */
ssize_t sys_write(int fd, const void *buf, size_t count) SYSCALL_SYMBOL(write);
loff_t sys_lseek(int fd, loff_t offset, int whence) SYSCALL_SYMBOL(lseek);
long sys_dup(int fd) SYSCALL_SYMBOL(dup);
long sys_dup2(int oldfd, int newfd) SYSCALL_SYMBOL(dup2);
long sys_pipe(int fds[2]) SYSCALL_SYMBOL(pipe);
/* flags: O_NONBLOCK; O_CLOEXEC is accepted. */
long sys_pipe2(int fds[2], int flags) SYSCALL_SYMBOL(pipe2);
long sys_chdir(const char *path) SYSCALL_SYMBOL(chdir);
/* Returns the length with the NUL, or -ERANGE. */
long sys_getcwd(char *buf, size_t size) SYSCALL_SYMBOL(getcwd);
long sys_mkdir(const char *path, umode_t mode) SYSCALL_SYMBOL(mkdir);
long sys_rmdir(const char *path) SYSCALL_SYMBOL(rmdir);
long sys_unlink(const char *path) SYSCALL_SYMBOL(unlink);
long sys_symlink(const char *target, const char *path) SYSCALL_SYMBOL(symlink);
/* The text in buf has no NUL. */
long sys_readlink(const char *path, char *buf, size_t size) SYSCALL_SYMBOL(readlink);
long sys_link(const char *oldname, const char *newname) SYSCALL_SYMBOL(link);
long sys_rename(const char *oldname, const char *newname) SYSCALL_SYMBOL(rename);
long sys_renameat2(int olddfd, const char *oldname, int newdfd, const char *newname, unsigned flags)
	SYSCALL_SYMBOL(renameat2);
long sys_chmod(const char *path, umode_t mode) SYSCALL_SYMBOL(chmod);
long sys_truncate(const char *path, loff_t length) SYSCALL_SYMBOL(truncate);
long sys_ftruncate(int fd, loff_t length) SYSCALL_SYMBOL(ftruncate);
/*
 * Fills buf with struct linux_dirent64. Returns the number of bytes, 0 at the end, -EINVAL if buf
 * is too small for the next entry.
 */
long sys_getdents64(int fd, void *buf, size_t size) SYSCALL_SYMBOL(getdents64);
/* Returns the number of ready files, 0 on time-out, -EINTR. timeout_ms < 0: waits for ever. */
long sys_poll(struct pollfd *fds, unsigned nfds, int timeout_ms) SYSCALL_SYMBOL(poll);
long sys_ioctl(int fd, unsigned cmd, unsigned long arg) SYSCALL_SYMBOL(ioctl);

/* Returns a counted file for fd (the caller calls fput()), or NULL. */
struct file *fget(unsigned fd);
/* Returns the number of descriptors that the current task uses. Tests find leaks with it. */
unsigned files_count_open(void);
/* Returns the number of open files in the whole system. */
unsigned nr_open_files(void);
