/* A task's descriptor table: task_struct.files. */
#pragma once

#include "fs/fs.h"
#include "fs/syscalls.h"
#include "kernel/sched/sched.h"

/* All of it is the owning task's alone; its parent fills it before it runs. */
struct files_struct {
	struct file **fd; /* counted, NULL where free; fd_array until that is too small */
	unsigned max_fds;
	unsigned open;   /* not NULL in fd */
	struct path cwd; /* counted */
	struct file *fd_array[NR_OPEN_DEFAULT];
};

/* The current task's file behind fd, not counted (it stays while the task does not close it), or
 * NULL. */
static inline struct file *fcheck(int fd)
{
	struct files_struct *files = current->files;

	return files && (unsigned)fd < files->max_fds ? files->fd[fd] : NULL;
}
