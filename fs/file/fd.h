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

/* The current task's file, if no other task uses the table; else NULL: fdget_shared() finds it. */
static __always_inline struct file *fcheck_light(const struct task_struct *task, unsigned fd)
{
	const struct files_struct *files = task->files;

	return likely(files && fd < files->light_max) ? files->fd[fd] : NULL;
}

static __always_inline void fdput(struct fd f)
{
	if (unlikely(f.counted))
		fput(f.file);
}
