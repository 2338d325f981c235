/*
 * The descriptor table of a task: task_struct.files. Threads that clone(CLONE_FILES) makes share
 * one.
 *
 * The cheap lookup of fdget() takes no lock and counts no file. It is right while only one task
 * uses the table, because no other task can close the file. light_max says whether it is so.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "fs/vfs/syscalls.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"

/*
 * Legend: [F] lock; the only task that uses the table reads without it. [A] atomic. Bit n of the
 * two sets is descriptor n.
 */
struct files_struct {
	struct file **fd;   /* [F] counted; NULL: free, or reserved; fd_array while large enough */
	unsigned light_max; /* [F] max_fds; 0 while several tasks use the table */
	unsigned max_fds;   /* [F] a multiple of 64 */
	unsigned next_fd;   /* [F] no descriptor below is free */
	unsigned open;      /* [F] number of descriptors in use */
	unsigned long *open_fds;      /* [F] descriptors that are in use or reserved */
	unsigned long *close_on_exec; /* [F] */
	atomic_t users;               /* [A] tasks, and readers of /proc */
	atomic_t nr_locks;            /* [A] fs/locks/: ranges that the process has locked */
	spinlock_t lock;
	unsigned long open_fds_init, close_on_exec_init;
	struct file *fd_array[NR_OPEN_DEFAULT];
};
BUILD_BUG_ON(NR_OPEN_DEFAULT != 64);

/* A file that a system call uses; counted if other tasks use the table, too. */
struct fd {
	struct file *file; /* NULL: the descriptor is not open */
	bool counted;
};

/* The slow path of fdget_raw(). */
struct fd fdget_shared(unsigned fd);

/* The current task's file, if no other task uses the table; else NULL: fdget_shared() finds it. */
static __always_inline struct file *fcheck_light(const struct task_struct *task, unsigned fd)
{
	const struct files_struct *files = task->files;

	return likely(files && fd < files->light_max) ? files->fd[fd] : NULL;
}

/* Includes files that are open with O_PATH, which have no FMODE_READ and no FMODE_WRITE. */
static __always_inline struct fd fdget_raw(unsigned fd)
{
	struct files_struct *files = current->files;

	if (likely(files && fd < files->light_max))
		return (struct fd){ .file = files->fd[fd] };
	return fdget_shared(fd);
}

static __always_inline void fdput(struct fd f)
{
	if (unlikely(f.counted))
		fput(f.file);
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
/* The counted file of a descriptor of another task, or NULL; for /proc and kcmp. */
struct file *fget_task(struct task_struct *task, unsigned fd);
/*
 * The counted file of the lowest descriptor of a task from *fd on, which it stores in *fd; NULL: no
 * more.
 */
struct file *fget_task_next(struct task_struct *task, unsigned *fd);
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
