/*
 * wakeup and wakeup_rt: the longest time from the wake-up of a task until it runs. The first one
 * follows the task with the highest priority, the second one only tasks of the real-time classes
 * (Documentation/trace/ftrace.rst).
 *
 * One task is followed at a time, on whichever CPU it waits. A task with a higher priority takes
 * its place. The task cannot end before it runs, so the tracer needs no reference to it.
 */
#include "arch/cpu/irqflags.h"
#include "kernel/init.h"
#include "kernel/sched/sched_events.h"
#include "trace/core/write.h"
#include "trace/fgraph/inline.h"
#include "trace/tracers/function/function.h"
#include "trace/tracers/latency/entries.h"
#include "trace/tracers/latency/latency.h"

#define NO_PRIO 255

/* [W] waiting.lock, [A] atomic. */
static struct {
	spinlock_t lock;          /* Interrupts off; inside the locks of run queues */
	struct task_struct *task; /* [W] to write, [A] to read; NULL: none is followed */
	int prio;                 /* [W] to write, [A] to read: its priority, or NO_PRIO */
	unsigned cpu;             /* [A] where it waits */
	u32 epoch, clock;         /* [W] of tr->max, at its wake-up */
	u64 time;                 /* [W] of its wake-up */
} waiting = { .prio = NO_PRIO };
static bool only_rt; /* [T] to write, while no probe is attached */

static void wakeup_function(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			    struct ftrace_regs *fregs);
static void forget_waiting(void);
static struct graph_tracer wakeup_graph;
static struct latency latency = { .func = wakeup_function,
				  .graph = &wakeup_graph,
				  .forget = forget_waiting };

/* W held. */
static void follow(struct task_struct *task, int prio)
{
	WRITE_ONCE(waiting.task, task);
	WRITE_ONCE(waiting.prio, prio);
}

static void forget_waiting(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	raw_ticket_lock(&waiting.lock);
	follow(NULL, NO_PRIO);
	raw_ticket_unlock(&waiting.lock);
	raw_local_irq_restore(flags);
}

/* ---- recording ---- */

/* prev_state: as sched_switch records it. */
static void record_switch(struct trace_array *tr, u32 type, const struct task_struct *prev,
			  long prev_state, const struct task_struct *next, u32 ctx)
{
	struct trace_buffer *buffer;
	struct ctx_switch_entry *entry =
		trace_buffer_lock_reserve(tr, type, sizeof(*entry), ctx, &buffer);

	if (!entry)
		return;
	entry->prev_pid = (u32)prev->pid;
	entry->prev_prio = (u8)effective_prio(prev);
	entry->prev_state = prev_state ? (u8)__builtin_ctzl((unsigned long)prev_state) + 1 : 0;
	entry->next_pid = (u32)next->pid;
	entry->next_prio = (u8)effective_prio(next);
	entry->next_state = 0;
	entry->next_cpu = READ_ONCE(next->cpu);
	trace_buffer_unlock_commit(buffer);
}

/* Begins to follow p, which was woken. W held. */
static void begin_wakeup(struct trace_array *tr, struct task_struct *p, int prio)
{
	u32 ctx = tracing_gen_ctx_dec(1);

	waiting.epoch = READ_ONCE(tr->max.epoch);
	waiting.clock = smp_load_acquire(&tr->max.clock); /* before the time */
	WRITE_ONCE(waiting.cpu, READ_ONCE(p->cpu));
	waiting.time = ring_buffer_time_stamp(READ_ONCE(tr->buffer));
	record_switch(tr, TRACE_WAKE, current, 0, p, ctx);
	latency_record_stack(tr, 0, ctx);
	follow(p, prio);
}

static void wakeup_probe(void *data __unused, struct task_struct *p)
{
	int prio = effective_prio(p);
	struct trace_array *tr;
	unsigned long flags;

	if (!READ_ONCE(latency.enabled) || (only_rt && prio >= MAX_RT_PRIO) ||
	    prio >= READ_ONCE(waiting.prio) || prio >= effective_prio(current))
		return;
	raw_local_irq_save(flags);
	raw_ticket_lock(&waiting.lock);
	tr = latency_array(&latency);
	/* A task that was about to sleep, and still runs, does not wait. */
	if (tr && prio < waiting.prio && !READ_ONCE(p->on_cpu) && !READ_ONCE(tr->stop_count))
		begin_wakeup(tr, p, prio);
	raw_ticket_unlock(&waiting.lock);
	raw_local_irq_restore(flags);
}

/* The task that was followed runs next. W held, interrupts off. */
static void end_wakeup(struct trace_array *tr, struct task_struct *prev, struct task_struct *next,
		       unsigned prev_state)
{
	u64 now = ring_buffer_time_stamp(READ_ONCE(tr->buffer));
	u32 ctx = tracing_gen_ctx_dec(1);
	struct trace_max_record record = {
		.latency = now - waiting.time,
		.start = waiting.time,
		.cpu = smp_processor_id(),
	};

	record_switch(tr, TRACE_CTX, prev, sched_switch_prev_state(false, prev, prev_state), next,
		      ctx);
	latency_record_stack(tr, 0, ctx);
	/* If tracing was stopped in between, the beginning of the trace is missing: no report. */
	if (waiting.epoch != READ_ONCE(tr->max.epoch) || !trace_max_exceeded(tr, record.latency) ||
	    !trace_max_begin(tr, record.latency, waiting.clock))
		return;
	trace_max_set_task(&record, next);
	trace_max_end(tr, &record);
}

static void switch_probe(void *data __unused, bool preempt __unused, struct task_struct *prev,
			 struct task_struct *next, unsigned prev_state)
{
	struct trace_array *tr;
	unsigned long flags;

	if (next != READ_ONCE(waiting.task))
		return;
	raw_local_irq_save(flags);
	raw_ticket_lock(&waiting.lock);
	if (next == waiting.task) {
		tr = latency_array(&latency);
		if (tr)
			end_wakeup(tr, prev, next, prev_state);
		follow(NULL, NO_PRIO);
	}
	raw_ticket_unlock(&waiting.lock);
	raw_local_irq_restore(flags);
}

static void migrate_probe(void *data __unused, struct task_struct *p, unsigned dest_cpu)
{
	if (p == READ_ONCE(waiting.task))
		WRITE_ONCE(waiting.cpu, dest_cpu);
}

static void unregister_probes(void)
{
	tracepoint_batch_begin();
	unregister_trace_sched_wakeup(wakeup_probe, NULL);
	unregister_trace_sched_wakeup_new(wakeup_probe, NULL);
	unregister_trace_sched_migrate_task(migrate_probe, NULL);
	unregister_trace_sched_switch(switch_probe, NULL);
	tracepoint_batch_end();
}

static int register_probes(void)
{
	int error, end;

	tracepoint_batch_begin();
	error = register_trace_sched_switch(switch_probe, NULL);
	if (!error)
		error = register_trace_sched_migrate_task(migrate_probe, NULL);
	if (!error)
		error = register_trace_sched_wakeup_new(wakeup_probe, NULL);
	if (!error)
		error = register_trace_sched_wakeup(wakeup_probe, NULL);
	end = tracepoint_batch_end();
	if (!error)
		error = end;
	if (error)
		unregister_probes();
	return error;
}

/* ---- functions, on the CPU where the task waits ---- */

static bool is_waited_on(void)
{
	return READ_ONCE(waiting.task) && READ_ONCE(waiting.cpu) == smp_processor_id();
}

static void wakeup_function(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			    struct ftrace_regs *fregs __unused)
{
	u32 ctx = tracing_gen_ctx();

	preempt_disable_notrace();
	if (is_waited_on() && latency_wants_functions(op->private, false))
		function_record(op->private, ip, parent_ip, ctx);
	preempt_enable_notrace();
}

static int wakeup_graph_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs)
{
	if (!is_waited_on() || !latency_wants_functions(gops->private, true))
		return 0;
	return graph_record_call(trace, gops, fregs);
}

static void wakeup_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				struct ftrace_regs *fregs)
{
	if (is_waited_on() && latency_wants_functions(gops->private, true))
		graph_record_return(trace, gops, fregs);
}

DEFINE_FGRAPH_STUBS(wakeup, wakeup_graph_call, wakeup_graph_return)
static struct graph_tracer wakeup_graph = { .gops = { .entryfunc = wakeup_graph_call,
						      .retfunc = wakeup_graph_return,
						      FGRAPH_STUBS(wakeup) } };

/* ---- the tracers ---- */

static int init(struct trace_array *tr, bool rt)
{
	int error;

	if (latency.tr)
		return -EBUSY;
	only_rt = rt;
	error = register_probes(); /* they do nothing before latency_init() */
	if (error)
		return error;
	error = latency_init(&latency, tr);
	if (error)
		unregister_probes();
	return error;
}

static int wakeup_init(struct trace_array *tr)
{
	return init(tr, false);
}

static int wakeup_rt_init(struct trace_array *tr)
{
	return init(tr, true);
}

static void wakeup_reset(struct trace_array *tr __unused)
{
	unregister_probes();
	latency_reset(&latency);
}

static void wakeup_start(struct trace_array *tr __unused)
{
	forget_waiting();
	latency_start(&latency);
}

static void wakeup_stop(struct trace_array *tr __unused)
{
	latency_stop(&latency);
}

LATENCY_TRACER(wakeup, wakeup);
LATENCY_TRACER(wakeup_rt, wakeup);

static int __init init_wakeup_tracers(void)
{
	int error;

	latency_register(&latency);
	error = register_tracer(&wakeup_tracer);
	return error ? error : register_tracer(&wakeup_rt_tracer);
}
core_initcall(init_wakeup_tracers);
