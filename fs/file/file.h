/* The descriptor table of a task, which is in fd.h: its functions. */
#pragma once

#include "fs/file/fd.h"
#include "fs/vfs/hooks.h"
#include "fs/vfs/syscalls.h"
#include "kernel/sched/sched.h"

/* The slow path of fdget_raw(). */
struct fd fdget_shared(unsigned fd);

/* Includes files that are open with O_PATH, which have no FMODE_READ and no FMODE_WRITE. */
static __always_inline struct fd fdget_raw(unsigned fd)
{
	struct files_struct *files = current->files;

	if (likely(files && fd < files->light_max))
		return (struct fd){ .file = files->fd[fd] };
	return fdget_shared(fd);
}

/* The file of a descriptor, for one system call of the current task. The caller calls fdput(). */
static inline struct fd fdget(unsigned fd)
{
	struct fd f = fdget_raw(fd);

	if (f.file && unlikely(f.file->f_mode & FMODE_PATH)) {
		fdput(f);
		return (struct fd){ .file = NULL };
	}
	return f;
}

/* fget() including files that are open with O_PATH. */
struct file *fget_raw(unsigned fd);
/* The counted file of a descriptor of another task, or NULL; for /proc and pidfd_getfd. */
struct file *fget_task(struct task_struct *task, unsigned fd);
/*
 * The counted file of the lowest descriptor of a task from *fd on, which it stores in *fd; NULL: no
 * more.
 */
struct file *fget_task_next(struct task_struct *task, unsigned *fd);
#define FILE_LOCK_COST 64 /* bytes that a locked range takes, for the OOM killer */

/*
 * About how many bytes of the kernel a file holds for each of its users. The caller keeps the file.
 * Any lock but those that file_operations.memory takes.
 */
size_t file_memory(struct file *file);
/* The same for all files of a task, in pages. Drops no reference, so it never closes a file. */
unsigned long task_file_pages(struct task_struct *task);
/* Whether the task's descriptor is closed by exec. */
bool task_close_on_exec(struct task_struct *task, unsigned fd);
/* For how many descriptors the task's table has room; 0: no table. */
unsigned task_fd_size(struct task_struct *task);

/*
 * A descriptor is first reserved, and later gets its file, because the calls between may fail.
 * flags: O_CLOEXEC. get_unused_fd_flags() returns it or -EMFILE, -ENOMEM. fd_install() takes over
 * the caller's reference on file.
 */
int get_unused_fd_flags(unsigned flags);
void put_unused_fd(unsigned fd);
void fd_install(unsigned fd, struct file *file);
/* Reserves at or above `from`; also -EINVAL: from is beyond the limit. */
int get_unused_fd_from(unsigned from, unsigned flags);

/*
 * Puts file at descriptor fd, and closes what was there. Takes its own reference. flags: O_CLOEXEC.
 * Returns fd, or -EBADF (beyond the limit), -EBUSY, -ENOMEM.
 */
long replace_fd(unsigned fd, struct file *file, unsigned flags);
/* Whether exec closes the descriptor, which is open. */
void set_close_on_exec(unsigned fd, bool on);
bool get_close_on_exec(unsigned fd);

/*
 * Gives the current task a table of its own, if it shares one: 0 or -ENOMEM. For exec, and for
 * close_range(CLOSE_RANGE_UNSHARE).
 */
int unshare_files(void);
/* Closes what exec closes. The table is the task's own. */
void do_close_on_exec(void);
/* close(2), without the boundary of a system call. */
long close_fd(unsigned fd);

/* A descriptor of the table `owner` is closed: its process loses its locks on the file. */
static inline void locks_remove_posix(struct file *file, void *owner)
{
	/* A thread with the same table sets a lock, then looks at the table: fcntl_lock(). */
	if (!READ_ONCE(((const struct files_struct *)owner)->light_max))
		smp_mb();
	if (unlikely(READ_ONCE(file->f_inode->i_flctx)))
		vfs_hooks.locks_remove_posix(file, owner);
}
