/*
 * The commands of function probes: traceon, traceoff, stacktrace, snapshot, dump, cpudump,
 * enable_event, disable_event. They run at a traced call, so in any context.
 */
#include "arch/unwind/stacktrace.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/tracers/function/probes.h"
#include "trace/core/dump.h"
#include "trace/core/snapshot.h"
#include "trace/core/write.h"
#include "trace/events/event.h"
#include "trace/ftrace/recursion.h"

#define SITE_SIZE 5 /* the return address of a function's site is its address plus this */

/* ---- traceon, traceoff: only a call that changes something decrements the count ---- */

static void traceon(unsigned long ip __unused, unsigned long parent_ip __unused,
		    struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	struct trace_array *tr = op->private;

	if (!tracing_is_on_tr(tr))
		tracing_record_on_tr(tr);
}

static void traceon_counted(unsigned long ip, unsigned long parent_ip __unused,
			    struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	struct trace_array *tr = op->private;

	if (!tracing_is_on_tr(tr) && ftrace_probe_take(op, ip) && !tracing_record_on_tr(tr))
		ftrace_probe_give_back(op, ip); /* another CPU was faster */
}

static void traceoff(unsigned long ip __unused, unsigned long parent_ip __unused,
		     struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	struct trace_array *tr = op->private;

	if (tracing_is_on_tr(tr))
		tracing_record_off_tr(tr);
}

static void traceoff_counted(unsigned long ip, unsigned long parent_ip __unused,
			     struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	struct trace_array *tr = op->private;

	if (tracing_is_on_tr(tr) && ftrace_probe_take(op, ip) && !tracing_record_off_tr(tr))
		ftrace_probe_give_back(op, ip);
}

/* ---- stacktrace ---- */

/* Records the stack from the function at ip outward, without the frames of ftrace and this file. */
static void write_stack(struct trace_array *tr, unsigned long ip)
{
	unsigned long callers[TRACE_STACK_MAX];
	unsigned count = stack_trace_save(callers, TRACE_STACK_MAX, 0), first = 0;

	while (first < count && callers[first] != ip + SITE_SIZE)
		first++;
	if (first < count)
		trace_write_stack(tr, tracing_gen_ctx_dec(1), callers + first, count - first);
}

static void stacktrace(unsigned long ip, unsigned long parent_ip __unused, struct ftrace_ops *op,
		       struct ftrace_regs *fregs __unused)
{
	preempt_disable_notrace(); /* tracing_gen_ctx_dec(1) subtracts this one */
	write_stack(op->private, ip);
	preempt_enable_notrace();
}

static void stacktrace_counted(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			       struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;

	if (tracing_is_on_tr(tr) && ftrace_probe_take(op, ip))
		stacktrace(ip, parent_ip, op, fregs);
}

/* ---- snapshot ---- */

static void snapshot(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct ftrace_regs *fregs __unused)
{
	int bit = ftrace_test_recursion_trylock(
		ip, parent_ip); /* waking readers calls traced functions */

	if (bit < 0)
		return;
	tracing_snapshot_tr(op->private);
	ftrace_test_recursion_unlock(bit);
}

static void snapshot_counted(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs)
{
	if (ftrace_probe_take(op, ip))
		snapshot(ip, parent_ip, op, fregs);
}

static int snapshot_attach(struct trace_array *tr)
{
	int error;

	mutex_lock(&trace_types_lock);
	error = tracing_alloc_snapshot_tr(tr);
	mutex_unlock(&trace_types_lock);
	return error;
}

/* ---- dump: the whole trace, once for each function; cpudump: this CPU's trace, at each call ----
 */

static void dump(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		 struct ftrace_regs *fregs __unused)
{
	int bit =
		ftrace_test_recursion_trylock(ip, parent_ip); /* printk() calls traced functions */

	if (bit < 0)
		return;
	if (ftrace_probe_take(op, ip))
		ftrace_dump(RING_BUFFER_ALL_CPUS);
	ftrace_test_recursion_unlock(bit);
}

static void cpudump(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op __unused,
		    struct ftrace_regs *fregs __unused)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	ftrace_dump((int)smp_processor_id());
	ftrace_test_recursion_unlock(bit);
}

/* ---- enable_event, disable_event: as the triggers of events with these names ---- */

static void switch_event(const struct ftrace_ops *op, bool enable)
{
	struct trace_event_file *file = ftrace_probe_data(op);

	if (trace_event_soft_enabled(file) != enable)
		trace_event_soft_switch(file, enable);
}

/* Only a call that changes something counts. */
static void switch_event_counted(const struct ftrace_ops *op, unsigned long ip, bool enable)
{
	struct trace_event_file *file = ftrace_probe_data(op);

	if (trace_event_soft_enabled(file) == enable || !ftrace_probe_take(op, ip))
		return;
	if (!trace_event_soft_switch(file, enable))
		ftrace_probe_give_back(op, ip); /* another CPU was faster */
}

static void enable_event(unsigned long ip __unused, unsigned long parent_ip __unused,
			 struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event(op, true);
}

static void enable_event_counted(unsigned long ip, unsigned long parent_ip __unused,
				 struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event_counted(op, ip, true);
}

static void disable_event(unsigned long ip __unused, unsigned long parent_ip __unused,
			  struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event(op, false);
}

static void disable_event_counted(unsigned long ip, unsigned long parent_ip __unused,
				  struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event_counted(op, ip, false);
}

/* The parameter is "SYSTEM:EVENT[:COUNT]". */
static int event_parse(struct trace_array *tr, char **parameter, void **data)
{
	const char *system = strsep(parameter, ":"), *name = strsep(parameter, ":");

	*data = name ? find_event_file(tr, system, name) : NULL;
	return *data ? 0 : -EINVAL;
}

/* The event is in soft mode while the probe exists. */
static int event_start(void *data)
{
	return trace_event_enable_disable(data, true, true);
}

static void event_stop(void *data)
{
	(void)trace_event_enable_disable(data, false, true);
}

static void event_print(struct seq_file *m, void *data)
{
	const struct trace_event_file *file = data;

	seq_printf(m, "%s:%s:", trace_event_system(file->call), trace_event_name(file->call));
}

const struct ftrace_func_command ftrace_func_commands[] = {
	{ .name = "traceon", .func = traceon, .counted = traceon_counted },
	{ .name = "traceoff", .func = traceoff, .counted = traceoff_counted },
	{ .name = "stacktrace", .func = stacktrace, .counted = stacktrace_counted },
	{ .name = "snapshot",
	  .func = snapshot,
	  .counted = snapshot_counted,
	  .attach = snapshot_attach },
	{ .name = "dump", .func = dump, .fixed_count = 1 },
	{ .name = "cpudump", .func = cpudump },
	{ .name = "enable_event",
	  .func = enable_event,
	  .counted = enable_event_counted,
	  .parse = event_parse,
	  .start = event_start,
	  .stop = event_stop,
	  .print = event_print },
	{ .name = "disable_event",
	  .func = disable_event,
	  .counted = disable_event_counted,
	  .parse = event_parse,
	  .start = event_start,
	  .stop = event_stop,
	  .print = event_print },
	{ .name = NULL },
};
