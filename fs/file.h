/* The descriptor table of a task: task_struct.files. */
#pragma once

#include "fs/fs.h"
#include "fs/syscalls.h"
#include "kernel/sched/sched.h"

/* Only the owning task uses it. The task's parent fills it before the task runs. */
struct files_struct {
	struct file **fd; /* counted; NULL: free; fd_array while that is large enough */
	unsigned max_fds;
	unsigned open;   /* number of descriptors in use */
	struct path cwd; /* counted */
	struct file *fd_array[NR_OPEN_DEFAULT];
};

/*
 * Returns the current task's file for fd, or NULL. The file is not counted: it stays until this
 * task closes it.
 */
static inline struct file *fcheck(int fd)
{
	struct files_struct *files = current->files;

	return files && (unsigned)fd < files->max_fds ? files->fd[fd] : NULL;
}
