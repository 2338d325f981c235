/*
 * irqsoff, preemptoff and preemptirqsoff: the longest section with interrupts off, with preemption
 * off, or with either of them off (Documentation/trace/ftrace.rst).
 *
 * The tracers attach probes to the tracepoints of kernel/preemptirq.c. A section belongs to a CPU,
 * not to a task: it may begin in one task and end in the next. The probes of a CPU do not nest. A
 * report of interrupts comes with interrupts off, and a report of preemption only if the count
 * comes from 0 or goes to 0.
 */
#include "arch/cpu/irqflags.h"
#include "kernel/init.h"
#include "kernel/preemptirq_events.h"
#include "kernel/sched/sched.h"
#include "trace/core/write.h"
#include "trace/fgraph/inline.h"
#include "trace/tracers/function/function.h"
#include "trace/tracers/latency/latency.h"

enum { IRQS = 1, PREEMPT = 2 };

/* This CPU's section. Preemption off. */
struct section {
	bool on;
	bool halted;         /* it was ended because the CPU halts */
	u32 epoch, clock;    /* of tr->max, at its start */
	u64 time;            /* its start */
	unsigned long start; /* the address to name */
};
static DEFINE_PER_CPU(struct section, sections);
static u32 kinds; /* [T] to write, while no probe is attached */

static void section_function(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs);
static void forget_sections(void);
static struct graph_tracer section_graph;
static struct latency latency = { .func = section_function,
				  .graph = &section_graph,
				  .forget = forget_sections };

/* ---- a section begins and ends ---- */

/* The depth of preemption without that of the tracepoint. */
static u32 real_preempt_count(void)
{
	return preempt_count() - 1;
}

static void section_start(unsigned long ip, unsigned long parent)
{
	struct section *s = this_cpu_ptr(&sections);
	struct trace_array *tr = latency_array(&latency);

	if (s->on || !tr || READ_ONCE(tr->stop_count))
		return;
	s->epoch = READ_ONCE(tr->max.epoch);
	s->clock = smp_load_acquire(&tr->max.clock); /* before the time */
	s->start = parent ?: ip;
	s->time = ring_buffer_time_stamp(READ_ONCE(tr->buffer));
	latency_record(tr, ip, parent, tracing_gen_ctx_dec(1));
	s->on = true;
}

/* Reports the section that has just ended. */
static void section_report(struct trace_array *tr, const struct section *s, u64 latency_ns,
			   unsigned long ip, unsigned long parent, unsigned long reporter, u32 ctx)
{
	static const char torn[] = "*** entries are missing: tracing was stopped meanwhile ***";
	struct trace_max_record record = {
		.one_cpu = true,
		.cpu = smp_processor_id(),
		.latency = latency_ns,
		.start = s->time,
		.critical_start = s->start,
		.critical_end = parent ?: ip,
	};
	unsigned long flags;

	raw_local_irq_save(flags);
	if (trace_max_begin(tr, latency_ns, s->clock)) {
		latency_record(tr, reporter, parent, ctx);
		latency_record_stack(tr, ip, ctx);
		if (s->epoch != READ_ONCE(tr->max.epoch))
			trace_write_print(tr, ip, torn, sizeof(torn) - 1);
		trace_max_set_task(&record, current);
		trace_max_end(tr, &record);
	}
	raw_local_irq_restore(flags);
}

/* reporter: the function that the probe was called by. */
static void section_stop(unsigned long ip, unsigned long parent, unsigned long reporter)
{
	struct section *s = this_cpu_ptr(&sections);
	struct trace_array *tr;
	u64 now;
	u32 ctx;

	if (!s->on)
		return;
	s->on = false;
	tr = latency_array(&latency);
	if (!tr)
		return;
	now = ring_buffer_time_stamp(READ_ONCE(tr->buffer));
	ctx = tracing_gen_ctx_dec(1);
	latency_record(tr, ip, parent, ctx);
	if (trace_max_exceeded(tr, now - s->time))
		section_report(tr, s, now - s->time, ip, parent, reporter, ctx);
}

/* The CPUs may be in sections now. They end without a report. */
static void forget_sections(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		WRITE_ONCE(per_cpu_ptr(&sections, cpu)->on, false);
}

/* ---- the probes ---- */

/* With preemptirqsoff a section lasts until both are on. */
static bool preemption_counts(void)
{
	return kinds & PREEMPT && real_preempt_count();
}

static bool irqs_count(void)
{
	return kinds & IRQS && irqs_disabled();
}

static void probe_irq_disable(void *data __unused, unsigned long ip, unsigned long parent)
{
	if (!preemption_counts())
		section_start(ip, parent);
}

static void probe_irq_enable(void *data __unused, unsigned long ip, unsigned long parent)
{
	if (!preemption_counts())
		section_stop(ip, parent, (unsigned long)trace_hardirqs_on);
}

static void probe_preempt_disable(void *data __unused, unsigned long ip, unsigned long parent)
{
	if (!irqs_count())
		section_start(ip, parent);
}

static void probe_preempt_enable(void *data __unused, unsigned long ip, unsigned long parent)
{
	if (!irqs_count())
		section_stop(ip, parent, (unsigned long)trace_preempt_on);
}

/* The idle task halts: the CPU is not kept from other tasks. */
static void halt_hook(bool stop)
{
	struct section *s = this_cpu_ptr(&sections);
	unsigned long ip = (unsigned long)_RET_IP_;

	preempt_disable_notrace();
	if (stop && s->on) {
		section_stop(ip, 0, ip);
		s->halted = true;
	} else if (!stop && s->halted) {
		s->halted = false;
		section_start(ip, 0);
	}
	preempt_enable_notrace();
}

/* The grace period at the end is also that of the hook. */
static void unregister_probes(void)
{
	WRITE_ONCE(critical_timings_hook, NULL);
	tracepoint_batch_begin();
	if (kinds & IRQS) {
		unregister_trace_irq_disable(probe_irq_disable, NULL);
		unregister_trace_irq_enable(probe_irq_enable, NULL);
	}
	if (kinds & PREEMPT) {
		unregister_trace_preempt_disable(probe_preempt_disable, NULL);
		unregister_trace_preempt_enable(probe_preempt_enable, NULL);
	}
	tracepoint_batch_end();
}

static int register_probes(void)
{
	int error = 0, end;

	tracepoint_batch_begin();
	if (kinds & IRQS) {
		error = register_trace_irq_enable(probe_irq_enable, NULL);
		if (!error)
			error = register_trace_irq_disable(probe_irq_disable, NULL);
	}
	if (!error && kinds & PREEMPT)
		error = register_trace_preempt_enable(probe_preempt_enable, NULL);
	if (!error && kinds & PREEMPT)
		error = register_trace_preempt_disable(probe_preempt_disable, NULL);
	end = tracepoint_batch_end();
	if (!error)
		error = end;
	if (error)
		unregister_probes();
	return error;
}

/* ---- functions inside a section ---- */

static void section_function(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs __unused)
{
	u32 ctx = tracing_gen_ctx();

	preempt_disable_notrace();
	if (this_cpu_read(sections.on) && latency_wants_functions(op->private, false))
		function_record(op->private, ip, parent_ip, ctx);
	preempt_enable_notrace();
}

static int section_graph_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			      struct ftrace_regs *fregs)
{
	if (!this_cpu_read(sections.on) || !latency_wants_functions(gops->private, true))
		return 0;
	return graph_record_call(trace, gops, fregs);
}

static void section_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				 struct ftrace_regs *fregs)
{
	if (this_cpu_read(sections.on) && latency_wants_functions(gops->private, true))
		graph_record_return(trace, gops, fregs);
}

DEFINE_FGRAPH_STUBS(section, section_graph_call, section_graph_return)
static struct graph_tracer section_graph = { .gops = { .entryfunc = section_graph_call,
						       .retfunc = section_graph_return,
						       FGRAPH_STUBS(section) } };

/* ---- the tracers ---- */

static int sections_init(struct trace_array *tr, u32 which)
{
	int error;

	if (latency.tr)
		return -EBUSY;
	kinds = which;
	forget_sections(); /* some began when only one of the probes was attached */
	if (which & PREEMPT)
		WRITE_ONCE(critical_timings_hook, halt_hook);
	error = register_probes(); /* they do nothing before latency_init() */
	if (error)
		return error;
	error = latency_init(&latency, tr);
	if (error)
		unregister_probes();
	return error;
}

static void sections_reset(struct trace_array *tr __unused)
{
	unregister_probes();
	latency_reset(&latency);
}

static int irqsoff_init(struct trace_array *tr)
{
	return sections_init(tr, IRQS);
}

static int preemptoff_init(struct trace_array *tr)
{
	return sections_init(tr, PREEMPT);
}

static int preemptirqsoff_init(struct trace_array *tr)
{
	return sections_init(tr, IRQS | PREEMPT);
}

static void sections_start(struct trace_array *tr __unused)
{
	latency_start(&latency);
}

static void sections_stop(struct trace_array *tr __unused)
{
	latency_stop(&latency);
}

LATENCY_TRACER(irqsoff, sections);
LATENCY_TRACER(preemptoff, sections);
LATENCY_TRACER(preemptirqsoff, sections);

static int __init init_section_tracers(void)
{
	int error;

	latency_register(&latency);
	error = register_tracer(&irqsoff_tracer);
	if (!error)
		error = register_tracer(&preemptoff_tracer);
	return error ? error : register_tracer(&preemptirqsoff_tracer);
}
core_initcall(init_section_tracers);
