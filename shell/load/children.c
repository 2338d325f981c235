/* The child tasks of a load command. See children.h. */
#include "shell/load/children.h"

struct children *alloc_children(size_t max)
{
	return kzalloc(sizeof(struct children) + max * sizeof(pid_t), GFP_KERNEL);
}

long add_child(struct children *children, int (*fn)(void *arg), void *arg)
{
	pid_t pid = kernel_clone(fn, arg, current->comm);

	if (pid < 0)
		return pid;
	children->pids[children->count++] = pid;
	return 0;
}

unsigned wait_for_children(const struct children *children)
{
	unsigned failures = 0;
	int sig = 0;

	for (unsigned i = 0; i < children->count; i++)
		failures += wait_for_child(children->pids[i], &sig) != 0;
	if (sig)
		(void)send_signal(sig, current); /* the signal also ends the command */
	return failures;
}
