/* The tasks of a load: made, and waited for, together. */
#pragma once

#include "shell/shell.h"

struct children {
	unsigned count;
	pid_t pids[];
};

/* Room for max of them, to be kfree()d, or NULL. */
struct children *alloc_children(size_t max);
/* Make one that runs fn(arg). 0 or a negative errno. */
long add_child(struct children *children, int (*fn)(void *arg), void *arg);
/* Wait for all: how many of them failed. A signal to us is for them too. */
unsigned wait_for_children(const struct children *children);
