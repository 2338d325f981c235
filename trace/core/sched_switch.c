/*
 * Saves the names of tasks at task switches, while a tracer records. Only a task that has written
 * an entry is saved. A task that ends is saved before its last switch, too: its parent may read the
 * trace before that switch.
 */
#include "kernel/sched/mutex.h"
#include "kernel/sched/sched.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"

DEFINE_PER_CPU(bool, trace_taskinfo_save);

static DEFINE_MUTEX(record_mutex);
static unsigned record_users; /* [record_mutex] of tracing_record_cmdline() */
static u64 recorded; /* [record_mutex] to write: TRACE_ITER_RECORD_*; 0: nothing is recorded */

static noinline void save_tasks(struct task_struct *prev, struct task_struct *next)
{
	u64 what = READ_ONCE(recorded);

	if (what & TRACE_ITER_RECORD_TGID)
		trace_save_tgids(prev, next);
	if (what & TRACE_ITER_RECORD_CMD)
		trace_save_cmdlines(prev, next);
}

/* Interrupts off, the run queue's lock held. */
static void record_switch(struct task_struct *prev, struct task_struct *next)
{
	if (!this_cpu_read(trace_taskinfo_save))
		return;
	if (unlikely(!trace_cmdlines_saved(prev, next)))
		save_tasks(prev, next);
	this_cpu_write(trace_taskinfo_save, false);
}

static void record_ending(void)
{
	preempt_disable_notrace();
	if (this_cpu_read(trace_taskinfo_save))
		save_tasks(current, current);
	preempt_enable_notrace();
}

static struct sched_switch_hook record_hook = { .fn = record_switch };

/* What the options ask for. */
static u64 wanted_records(void)
{
	u64 wanted = READ_ONCE(global_trace.trace_flags) & TRACE_ITER_RECORD_CMD;
	struct trace_array *tr;

	preempt_disable_notrace();
	for_each_trace_array (tr)
		wanted |= READ_ONCE(tr->trace_flags) & TRACE_ITER_RECORD_TGID;
	preempt_enable_notrace();
	return wanted;
}

/* record_mutex held. */
static void update_recorded(void)
{
	WRITE_ONCE(recorded, record_users ? wanted_records() : 0);
	trace_forget_saved();
	sched_switch_hook_set(&record_hook, recorded);
	WRITE_ONCE(task_ending_hook, recorded ? record_ending : NULL);
}

void trace_update_recorded_tasks(void)
{
	mutex_lock(&record_mutex);
	update_recorded();
	mutex_unlock(&record_mutex);
}

void tracing_record_cmdline(bool on)
{
	mutex_lock(&record_mutex);
	record_users += on ? 1 : -1;
	update_recorded();
	mutex_unlock(&record_mutex);
}
