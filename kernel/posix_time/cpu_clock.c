/* The clocks of CPU time. */
#include "kernel/posix_time/cpu_clock.h"

#include "kernel/task/pid.h"
#include "kernel/process/rusage.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"

#define CPUCLOCK_THREAD 4U

int get_cpu_clock(clockid_t number, bool only_read, struct cpu_clock *clock)
{
	pid_t pid = ~(number >> 3);
	struct task_struct *p;

	if (number >= 0) {
		clock->thread = number == CLOCK_THREAD_CPUTIME_ID;
		clock->which = CPUCLOCK_SCHED;
		pid = 0;
	} else {
		clock->thread = (unsigned)number & CPUCLOCK_THREAD;
		clock->which = (unsigned)number & 3;
		if (clock->which > CPUCLOCK_SCHED)
			return -EINVAL;
	}
	p = pid ? find_get_task_by_pid(pid) : get_task_struct(current);
	if (!p)
		return -EINVAL;
	clock->task = p;
	/* Tasks of other processes cannot be asked one by one. */
	if (clock->thread ? p->signal == current->signal
			  : !pid || p->group_leader == p || (only_read && p == current))
		return 0;
	put_task_struct(p);
	return -EINVAL;
}

void put_cpu_clock(struct cpu_clock *clock)
{
	if (clock->task)
		put_task_struct(clock->task);
	clock->task = NULL;
}

static u64 task_time(struct task_struct *p, unsigned which)
{
	u64 utime, stime;

	if (which != CPUCLOCK_VIRT)
		return task_sched_runtime(p);
	task_cputime(p, &utime, &stime);
	return utime;
}

u64 cpu_clock_read_locked(const struct cpu_clock *clock)
{
	struct signal_struct *signal = clock->task->signal;
	struct task_struct *t;
	u64 ns;

	if (clock->thread)
		return task_time(clock->task, clock->which);
	ns = signal->ended.utime + (clock->which == CPUCLOCK_VIRT ? 0 : signal->ended.stime);
	list_for_each_entry (t, &signal->thread_head, thread_node)
		ns += task_time(t, clock->which);
	return ns;
}

u64 cpu_clock_read(const struct cpu_clock *clock)
{
	u64 ns;

	spin_lock(&tasklist_lock);
	ns = cpu_clock_read_locked(clock);
	spin_unlock(&tasklist_lock);
	return ns;
}
