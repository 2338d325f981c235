/*
 * Files as a task sees them: descriptors, a current directory, and the system calls on them, under
 * Linux's names and with Linux's errors (negative errno). They work on the calling task. Task
 * context.
 *
 * Every task that kernel_clone() makes starts with a copy of its parent's descriptors and current
 * directory; do_exit() closes them. A kernel thread starts with none, at "/".
 */
#pragma once

#include "fs/fs.h"
#include "fs/poll.h"

#define NR_OPEN_DEFAULT 64   /* descriptors before the table grows */
#define NR_OPEN_MAX     1024 /* -EMFILE beyond */

struct kstat {
	u32 st_dev;
	u64 st_ino;
	umode_t st_mode;
	u32 st_nlink;
	u32 st_rdev;
	loff_t st_size;
	u64 st_blocks;                        /* of 512 bytes */
	ktime_t st_atime, st_mtime, st_ctime; /* ns since boot */
};

/* getdents64(2). */
struct linux_dirent64 {
	u64 d_ino;
	s64 d_off;    /* the position after this entry */
	u16 d_reclen; /* bytes to the next record, a multiple of 8 */
	u8 d_type;    /* DT_* */
	char d_name[];
};

long sys_open(const char *path, int flags, umode_t mode); /* a descriptor */
long sys_close(int fd);
long sys_close_range(unsigned first, unsigned last); /* both too; what is open of them */
ssize_t sys_read(int fd, void *buf, size_t count);
ssize_t sys_write(int fd, const void *buf, size_t count); /* -EPIPE after SIGPIPE */
loff_t sys_lseek(int fd, loff_t offset, int whence);
long sys_dup(int fd);
long sys_dup2(int oldfd, int newfd);
long sys_pipe(int fds[2]);
long sys_pipe2(int fds[2], int flags); /* O_NONBLOCK */
long sys_chdir(const char *path);
long sys_getcwd(char *buf, size_t size); /* bytes with the NUL, or -ERANGE */
long sys_mkdir(const char *path, umode_t mode);
long sys_rmdir(const char *path);
long sys_unlink(const char *path);
long sys_symlink(const char *target, const char *path);
long sys_readlink(const char *path, char *buf, size_t size); /* not terminated */
long sys_stat(const char *path, struct kstat *st);
long sys_lstat(const char *path, struct kstat *st);
long sys_fstat(int fd, struct kstat *st);
/* As strmode(3), `-rw-r--r--`, into 11 bytes. */
void strmode(umode_t mode, char *text);
long sys_chmod(const char *path, umode_t mode);
long sys_truncate(const char *path, loff_t length);
long sys_ftruncate(int fd, loff_t length);
/* Fill buf with struct linux_dirent64; bytes, 0 at the end, -EINVAL if not even one fits. */
long sys_getdents64(int fd, void *buf, size_t size);
/* timeout_ms < 0: for ever. How many are ready, 0 on time-out, -EINTR. */
long sys_poll(struct pollfd *fds, unsigned nfds, int timeout_ms);
long sys_ioctl(int fd, unsigned cmd, unsigned long arg);

/* Make the console descriptors 0, 1 and 2 of a task that has none. Panics without a console. */
void console_on_rootfs(void);

/* The same on files rather than descriptors: a reference to fd's file (fput() it), or NULL. */
struct file *fget(int fd);
/* The lowest free descriptor at or above from, pointing to file (whose reference it takes);
 * -EMFILE, -ENOMEM. */
int fd_install_from(struct file *file, int from);
/* Current descriptors in use: equal before and after means none leaked. */
unsigned files_count_open(void);
/* Open files in the whole system. */
unsigned nr_open_files(void);
