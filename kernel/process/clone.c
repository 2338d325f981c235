/* How tasks make other tasks, and start them. */
#include "kernel/process/fork.h"
#include "kernel/process/signal_struct.h"
#include "kernel/sched/quiescent.h"
#include "kernel/sched/sched_events.h"
#include "kernel/sched/task_events.h"

/* Starts p, a new copy of the current task. */
static void start_child(struct task_struct *p, const struct kernel_clone_args *args)
{
	void (*fork_hook)(struct task_struct * parent, struct task_struct * child);

	trace_task_newtask(p, args->flags);
	trace_sched_process_fork(current, p);
	fork_hook = READ_ONCE(task_fork_hook);
	if (fork_hook)
		fork_hook(current, p);
	wake_up_new_task(p);
}

pid_t kernel_clone(int (*fn)(void *arg), void *arg, const char *comm)
{
	const struct kernel_clone_args args = {
		.flags = CLONE_VM | CLONE_UNTRACED,
		.fn = fn,
		.fn_arg = arg,
		.comm = comm,
	};
	struct task_struct *p;

	syscall_boundary();
	p = copy_process(&args);
	if (IS_ERR(p))
		return (pid_t)PTR_ERR(p);
	start_child(p, &args);
	return p->pid; /* p may have ended, but stays until its parent, the caller, waits for it */
}
