/*
 * What tracing does when a CPU goes from one task to another: keep the names of tasks that left
 * entries in the trace, and find out whether the next one is to be traced.
 */
#include "trace/core/trace.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"

DEFINE_PER_CPU(bool, trace_taskinfo_save);

static unsigned record_users; /* [T] of tracing_record_cmdline() */
static u32 record_what;       /* [T] TRACE_ITER_RECORD_*, 0 while nobody traces */
/* What the shadow stacks want done; the writer is alone (trace/fgraph/tasks.c) */
static void (*graph_switch)(struct task_struct *prev, struct task_struct *next);
/* What set_ftrace_pid wants done (trace/tracers/function/pids.c); NULL until it first does */
static void (*pids_switch)(const struct task_struct *next);
static bool pids_active;
static DEFINE_MUTEX(switch_mutex); /* sched_switch_hook */

/* Interrupts off, the run queue's lock held. Traced itself, like all that it calls outside trace/.
 */
static void trace_sched_switch(struct task_struct *prev, struct task_struct *next)
{
	void (*graph)(struct task_struct * prev, struct task_struct * next) =
		READ_ONCE(graph_switch);
	u32 what = READ_ONCE(record_what);

	if (graph)
		graph(prev, next);
	if (smp_load_acquire(&pids_active))
		pids_switch(next);
	if (!what || !this_cpu_read(trace_taskinfo_save))
		return;
	if (what & TRACE_ITER_RECORD_TGID)
		trace_save_tgids(prev, next);
	if (!(what & TRACE_ITER_RECORD_CMD) || trace_save_cmdlines(prev, next))
		this_cpu_write(trace_taskinfo_save, false);
}

static void update_this_cpu(void *info __unused)
{
	void (*pids)(const struct task_struct *next) = READ_ONCE(pids_switch);

	if (pids)
		pids(current);
}

/* What is wanted has changed. */
static void update_hook(void)
{
	mutex_lock(&switch_mutex);
	WRITE_ONCE(sched_switch_hook,
		   record_what || graph_switch || pids_active ? trace_sched_switch : NULL);
	mutex_unlock(&switch_mutex);
	/* A switch on another CPU may still go on with what it found before; the next one is right.
	 */
	on_each_cpu(update_this_cpu, NULL, true);
}

void trace_switch_update(void)
{
	u32 wanted = global_trace.trace_flags & TRACE_ITER_RECORD_CMD;
	struct trace_array *tr;

	for_each_trace_array(tr) wanted |= tr->trace_flags & TRACE_ITER_RECORD_TGID;
	WRITE_ONCE(record_what, record_users ? wanted : 0);
	update_hook();
}

void trace_switch_graph(void (*fn)(struct task_struct *prev, struct task_struct *next))
{
	WRITE_ONCE(graph_switch, fn);
	update_hook();
}

void trace_switch_pids(void (*fn)(const struct task_struct *next), bool active)
{
	WRITE_ONCE(pids_switch, fn);
	smp_store_release(&pids_active, active);
	update_hook();
}

void tracing_record_cmdline(bool on)
{
	record_users += on ? 1 : -1;
	trace_switch_update();
}
