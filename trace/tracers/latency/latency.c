/*
 * What the latency tracers share: their options, function tracing inside what they measure, and how
 * their traces are printed.
 */
#include "trace/tracers/latency/latency.h"

#include "arch/unwind/stacktrace.h"
#include "kernel/init.h"
#include "kernel/printk/printk.h"
#include "trace/core/cmdlines.h"
#include "trace/core/output.h"
#include "trace/core/trace_file.h"
#include "trace/core/write.h"
#include "trace/events/record.h"
#include "trace/ftrace_files/filter.h"
#include "trace/tracers/function/function.h"

/* Options that a latency tracer sets while it runs, as Linux does. */
#define LATENCY_FLAGS (TRACE_ITER_OVERWRITE | TRACE_ITER_LATENCY_FMT | TRACE_ITER_PAUSE_ON_TRACE)

static struct latency *families; /* [boot] */

void latency_register(struct latency *latency)
{
	latency->next = families;
	families = latency;
}

/* ---- functions ---- */

/*
 * Registers what the options ask for. It stays registered until the end, because unregistering
 * waits for a grace period of RCU-tasks; the callbacks test the options. T held.
 */
static int register_functions(struct latency *l)
{
	struct fgraph_ops *gops = &l->graph->gops;
	struct trace_array *tr = l->tr;
	int error = 0;

	if (latency_wants_functions(tr, false) && !l->has_func) {
		error = function_trace_register(tr, l->func);
		l->has_func = !error;
	} else if (latency_wants_functions(tr, true) && !l->has_graph) {
		gops->private = tr;
		ftrace_share_hashes(function_trace_ops(tr), &gops->ops);
		error = register_ftrace_graph(gops);
		if (error)
			ftrace_unshare_hashes(function_trace_ops(tr), &gops->ops);
		l->has_graph = !error;
	}
	return error;
}

static void unregister_functions(struct latency *l)
{
	if (l->has_func)
		function_trace_unregister(l->tr);
	if (l->has_graph) {
		unregister_ftrace_graph(&l->graph->gops);
		ftrace_unshare_hashes(function_trace_ops(l->tr), &l->graph->gops.ops);
	}
	l->has_func = l->has_graph = false;
}

/* A change of one of the two options in tr. */
static void functions_changed(struct trace_array *tr, bool enabled __unused)
{
	for (struct latency *l = families; l; l = l->next) {
		int error = l->tr == tr ? register_functions(l) : 0;

		if (error)
			pr_warn("tracing: functions cannot be traced: %pe\n", ERR_PTR(error));
	}
}

/* The entries of the two displays do not mix: the tracer begins anew. */
static void display_changed(struct trace_array *tr, bool enabled)
{
	for (struct latency *l = families; l; l = l->next) {
		if (l->tr != tr)
			continue;
		l->forget();
		trace_max_interrupt(tr);
		trace_max_clear(tr, true);
		tracing_reset_online_cpus(tr);
	}
	functions_changed(tr, enabled);
}

static struct trace_flag function_flag = { .name = "function-trace", .changed = functions_changed };
static struct trace_flag graph_flag = { .name = "display-graph", .changed = display_changed };

/* ---- begin and end ---- */

/* T held. */
static void set_flags(struct trace_array *tr, u64 flags)
{
	for (u64 bit = 1; bit <= LATENCY_FLAGS; bit <<= 1)
		if (LATENCY_FLAGS & bit)
			set_tracer_flag(tr, bit, flags & bit);
}

int latency_init(struct latency *l, struct trace_array *tr)
{
	int error;

	if (l->tr)
		return -EBUSY;
	l->saved_flags = tr->trace_flags;
	set_flags(tr, LATENCY_FLAGS);
	trace_max_clear(tr, true);
	l->forget();
	l->tr = tr;
	error = register_functions(l);
	if (error) {
		set_flags(tr, l->saved_flags);
		l->tr = NULL;
		return error;
	}
	tracing_record_cmdline(true);
	smp_store_release(&l->enabled, tracing_is_on_tr(tr));
	return 0;
}

void latency_reset(struct latency *l)
{
	WRITE_ONCE(l->enabled, false);
	unregister_functions(l);
	mutex_lock(&trace_types_lock);
	set_flags(l->tr, l->saved_flags);
	trace_max_clear(l->tr, false);
	tracing_record_cmdline(false);
	l->tr = NULL;
	mutex_unlock(&trace_types_lock);
}

void latency_start(struct latency *l)
{
	smp_store_release(&l->enabled, true);
}

void latency_stop(struct latency *l)
{
	WRITE_ONCE(l->enabled, false);
}

/* ---- recording ---- */

void latency_record(struct trace_array *tr, unsigned long ip, unsigned long parent, u32 ctx)
{
	if (READ_ONCE(tr->trace_flags) & TRACE_ITER_DISPLAY_GRAPH)
		graph_record_leaf(tr, ip);
	else
		function_record(tr, ip, parent, ctx);
}

void latency_record_stack(struct trace_array *tr, unsigned long ip, u32 ctx)
{
	unsigned long *callers = trace_scratch_get();
	unsigned count, first = 0, behind = 0;

	if (!callers)
		return;
	count = stack_trace_save(callers, TRACE_STACK_MAX, 0);
	while (first < count && callers[first] != ip) {
		if (!behind && trace_is_traceiter(callers[first]))
			behind = first + 1;
		first++;
	}
	if (first == count)
		first = min(behind, count);
	trace_write_stack(tr, ctx, callers + first, count - first);
	trace_scratch_put();
}

/* ---- printing ---- */

void latency_print_header(struct seq_file *m, struct trace_iterator *iter)
{
	if (trace_iter_flags(iter) & TRACE_ITER_DISPLAY_GRAPH)
		print_graph_headers_flags(m, iter, LATENCY_GRAPH_FLAGS);
	else
		print_trace_default_header(m, iter);
}

enum print_line_t latency_print_line(struct trace_iterator *iter)
{
	if (!(trace_iter_flags(iter) & TRACE_ITER_DISPLAY_GRAPH))
		return TRACE_TYPE_UNHANDLED;
	trace_iterator_open_tracer(iter, &graph_trace);
	return print_graph_function_flags(iter, LATENCY_GRAPH_FLAGS);
}

static int __init latency_flags_init(void)
{
	int error = register_trace_flag(&function_flag);

	return error ? error : register_trace_flag(&graph_flag);
}
core_initcall(latency_flags_init);
