/* The child tasks of a load command, which makes them and waits for them together. */
#pragma once

#include "shell/shell.h"

struct children {
	unsigned count;
	pid_t pids[];
};

/* Returns room for max children, which the caller kfree()s, or NULL. */
struct children *alloc_children(size_t max);
/* Makes a child that runs fn(arg). Returns 0 or a negative errno. */
long add_child(struct children *children, int (*fn)(void *arg), void *arg);
/*
 * Waits for all children. Returns the number of them that failed. If a signal ended one, sends it
 * to the calling task as well.
 */
unsigned wait_for_children(const struct children *children);
