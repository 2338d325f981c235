/* Which debug registers are taken. See hw_breakpoint.h. */
#include "kernel/hw_breakpoint.h"

#include "arch/cpu/percpu.h"
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"

/*
 * [hw_breakpoint_mutex] of a CPU. tasks_with[n], n > 0: how many tasks have n breakpoints there, so
 * that the largest n is known without a look at the tasks.
 */
struct taken {
	unsigned of_cpu;
	unsigned tasks_with[HBP_NUM + 1];
};
static DEFINE_PER_CPU(struct taken, taken);
static DEFINE_MUTEX(hw_breakpoint_mutex);

static bool covers(const struct hw_breakpoint *bp, unsigned cpu)
{
	return bp->cpu == -1 || bp->cpu == (int)cpu;
}

static unsigned of_task(const struct task_struct *task, unsigned cpu)
{
	unsigned n = 0;

	for (const struct hw_breakpoint *bp = task->breakpoints; bp; bp = bp->next)
		n += covers(bp, cpu);
	return n;
}

static unsigned most_of_a_task(unsigned cpu)
{
	unsigned n = HBP_NUM;

	while (n && !per_cpu(taken, cpu).tasks_with[n])
		n--;
	return n;
}

static bool fits(const struct hw_breakpoint *bp, unsigned cpu)
{
	unsigned of_tasks = bp->task ? of_task(bp->task, cpu) : most_of_a_task(cpu);

	return per_cpu(taken, cpu).of_cpu + of_tasks < HBP_NUM;
}

/* bp, which is not in the list of its task now, joins the others on the CPU, or has left them. */
static void count(const struct hw_breakpoint *bp, unsigned cpu, unsigned by)
{
	struct taken *here = per_cpu_ptr(&taken, cpu);
	unsigned others;

	if (!bp->task) {
		here->of_cpu += by;
		return;
	}
	others = of_task(bp->task, cpu);
	here->tasks_with[others] -= by;
	here->tasks_with[others + 1] += by;
}

static void count_all(const struct hw_breakpoint *bp, unsigned by)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		if (covers(bp, cpu))
			count(bp, cpu, by);
}

static void link(struct hw_breakpoint *bp)
{
	bp->next = bp->task->breakpoints;
	bp->task->breakpoints = bp;
}

static void unlink(struct hw_breakpoint *bp)
{
	struct hw_breakpoint **at = &bp->task->breakpoints;

	while (*at != bp)
		at = &(*at)->next;
	*at = bp->next;
}

int hw_breakpoint_reserve(struct hw_breakpoint *bp)
{
	int error = 0;
	unsigned cpu;

	mutex_lock(&hw_breakpoint_mutex);
	for_each_possible_cpu (cpu)
		if (covers(bp, cpu) && !fits(bp, cpu))
			error = -ENOSPC;
	if (!error)
		count_all(bp, 1);
	if (!error && bp->task)
		link(bp);
	mutex_unlock(&hw_breakpoint_mutex);
	return error;
}

void hw_breakpoint_release(struct hw_breakpoint *bp)
{
	mutex_lock(&hw_breakpoint_mutex);
	if (bp->task)
		unlink(bp);
	count_all(bp, -1U);
	mutex_unlock(&hw_breakpoint_mutex);
}
