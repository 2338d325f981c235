/* What fs/fdevents/pidfd.c does for clone(CLONE_PIDFD) and waitid(P_PIDFD). */
#pragma once

#include "kernel/task/pid.h"

struct file;

/* Task context. */
struct pidfd_operations {
	/* Reserves a descriptor, and makes its file. The descriptor, or a negative errno. */
	int (*prepare)(struct file **file, unsigned flags);
	/* pid: the file stands for it from now on. NULL: takes prepare() back. */
	void (*finish)(int fd, struct file *file, struct pid *pid);
	/* The counted pid of a descriptor, or an ERR_PTR: -EBADF. */
	struct pid *(*get)(int fd, bool *nonblock);
};
/* Set before the first program runs. */
extern const struct pidfd_operations *pidfd_ops;
