/* What processes have used: times(2), getrusage(2), and the sums that wait4() makes. */
#include "kernel/process/rusage.h"

#include "kernel/process/exit.h"
#include "kernel/process/pid.h"
#include "kernel/time/ktime.h"

void task_cputime(struct task_struct *p, u64 *utime, u64 *stime)
{
	u64 total = task_sched_runtime(p);
	u64 user = READ_ONCE(p->user_ticks), kernel = READ_ONCE(p->kernel_ticks);

	/* The scheduler knows the sum exactly. The ticks only say in which ratio to divide it. */
	if (!p->mm && !user)
		*utime = 0;
	else if (user + kernel == 0)
		*utime = total / 2;
	else
		*utime = total / (user + kernel) * user;
	*stime = total - *utime;
}

void add_task_usage(struct task_usage *sum, struct task_struct *p)
{
	u64 utime, stime;

	task_cputime(p, &utime, &stime);
	sum->utime += utime;
	sum->stime += stime;
	sum->nvcsw += READ_ONCE(p->nvcsw);
	sum->nivcsw += READ_ONCE(p->nivcsw);
	sum->min_flt += READ_ONCE(p->min_flt);
	sum->maj_flt += READ_ONCE(p->maj_flt);
}

void add_usage(struct task_usage *sum, const struct task_usage *more)
{
	sum->utime += more->utime;
	sum->stime += more->stime;
	sum->nvcsw += more->nvcsw;
	sum->nivcsw += more->nivcsw;
	sum->min_flt += more->min_flt;
	sum->maj_flt += more->maj_flt;
	sum->maxrss = max(sum->maxrss, more->maxrss);
}

void process_usage(struct task_struct *leader, struct task_usage *sum)
{
	struct task_struct *t;

	add_usage(sum, &leader->signal->ended);
	list_for_each_entry (t, &leader->signal->thread_head, thread_node)
		add_task_usage(sum, t);
}
