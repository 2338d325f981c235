/* Kernel threads: kthread_create() makes them, kthread_stop() ends them. */
#include "kernel/sched/kthread.h"

#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/sched_events.h"

static void kthread_entry(void)
{
	struct task_struct *self = current;
	int ret = -EINTR;

	if (!READ_ONCE(self->should_stop)) /* it may be stopped before it was first woken */
		ret = self->thread_fn(self->thread_data);
	do_exit(ret);
}

struct task_struct *kthread_create(int (*fn)(void *data), void *data, const char *name_fmt, ...)
{
	char comm[TASK_COMM_LEN];
	va_list args;

	va_start(args, name_fmt);
	vsnprintf(comm, sizeof(comm), name_fmt, args);
	va_end(args);
	return create_kthread_task(fn, data, comm, kthread_entry);
}
EXPORT_SYMBOL(kthread_create);

void kthread_bind(struct task_struct *k, unsigned cpu)
{
	unsigned long flags;

	spin_lock_irqsave(&k->lock, flags);
	if (!WARN_ON(k->__state != TASK_NEW)) {
		cpumask_clear(&k->cpus_allowed);
		cpumask_set_cpu(cpu, &k->cpus_allowed);
		k->nr_cpus_allowed = 1;
		k->flags |= PF_NO_SETAFFINITY;
	}
	spin_unlock_irqrestore(&k->lock, flags);
}
EXPORT_SYMBOL(kthread_bind);

bool kthread_should_stop(void)
{
	return READ_ONCE(current->should_stop);
}
EXPORT_SYMBOL(kthread_should_stop);

int kthread_stop(struct task_struct *k)
{
	int ret;

	trace_sched_kthread_stop(k);
	get_task_struct(k);
	WRITE_ONCE(k->should_stop, true);
	/* A full barrier: if k goes to sleep after it, k has seen should_stop. */
	wake_up_process(k);
	wait_for_completion(&k->exited);
	ret = k->exit_code;
	put_task_struct(k);
	trace_sched_kthread_stop_ret(ret);
	return ret;
}
EXPORT_SYMBOL(kthread_stop);
