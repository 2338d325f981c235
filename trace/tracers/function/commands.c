/*
 * The commands of function probes that need no events: traceon, traceoff, stacktrace, snapshot,
 * dump, cpudump. They run at a traced call, so in any context.
 */
#include "arch/unwind/stacktrace.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/tracers/function/probes.h"
#include "trace/core/dump.h"
#include "trace/core/snapshot.h"
#include "trace/core/write.h"
#include "trace/ftrace/recursion.h"
#include "trace/core/readme.h"

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

static int snapshot_start(struct trace_array *tr, void *data __unused)
{
	return tracing_arm_snapshot(tr);
}

static void snapshot_stop(struct trace_array *tr, void *data __unused)
{
	tracing_disarm_snapshot(tr);
}

/*
 * ---- dump: the whole trace, once for each function; cpudump: this CPU's trace, at each call ----
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

/* ---- the commands ---- */

DEFINE_FUNC_COMMAND(traceon) = { .name = "traceon", .func = traceon, .counted = traceon_counted };
DEFINE_FUNC_COMMAND(traceoff) = { .name = "traceoff",
				  .func = traceoff,
				  .counted = traceoff_counted };
DEFINE_FUNC_COMMAND(stacktrace) = { .name = "stacktrace",
				    .func = stacktrace,
				    .counted = stacktrace_counted };
DEFINE_FUNC_COMMAND(snapshot) = { .name = "snapshot",
				  .func = snapshot,
				  .counted = snapshot_counted,
				  .start = snapshot_start,
				  .stop = snapshot_stop };
DEFINE_FUNC_COMMAND(dump) = { .name = "dump", .func = dump, .fixed_count = 1 };
DEFINE_FUNC_COMMAND(cpudump) = { .name = "cpudump", .func = cpudump };

TRACE_README(commands, "2b",
	     "\t     or a command: <function>:<command>[:count]\n"
	     "\t     command: traceon, traceoff, stacktrace, snapshot,\n"
	     "\t\t      enable_event:<system>:<event>,\n"
	     "\t\t      disable_event:<system>:<event>,\n"
	     "\t\t      dump, cpudump\n"
	     "\t     example: echo do_fault:traceoff > set_ftrace_filter\n"
	     "\t              echo '!do_fault:traceoff' > set_ftrace_filter\n");
