/*
 * The function tracer records one entry in the ring buffer for each call of a function, with the
 * caller.
 *
 * function_trace_call() runs at every traced call (quick.c; call.c without the feature `quick`).
 * With the option func_stack_trace, func-no-repeats or func-args a callback of this file replaces
 * it, so that it does not test options. The callbacks call no traced functions, so they need no
 * recursion guard; an NMI that interrupts one nests in the ring buffer.
 */
#include "arch/unwind/stacktrace.h"
#include "trace/core/cmdlines.h"
#include "trace/core/files.h"
#include "trace/core/write.h"
#include "trace/tracers/function/args.h"
#include "trace/tracers/function/internal.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "trace/fgraph/fgraph.h"
#include "trace/ftrace_files/filter.h"
#include "trace/ftrace/internal.h"
#include "trace/ring_buffer/write.h"

#define MCOUNT_INSN_SIZE 5 /* the return address of a site is its address plus this */

/* fregs: the arguments to record, or NULL. False: nothing is recorded. */
static __always_inline bool function_trace_entry(struct trace_array *tr, unsigned long ip,
						 unsigned long parent_ip, u32 ctx,
						 const struct ftrace_regs *fregs)
{
	struct ring_buffer_per_cpu *cb;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	struct ftrace_entry *entry;
	size_t size = sizeof(*entry);

	if (fregs)
		size += FTRACE_REGS_MAX_ARGS * sizeof(entry->args[0]);
	buffer = READ_ONCE(tr->buffer);
	cb = buffer->cpus[smp_processor_id()];
	event = rb_lock_reserve(buffer, cb, size);
	if (unlikely(!event))
		return false;
	entry = (struct ftrace_entry *)&event->array[0]; /* short enough to have no length word */
	tracing_entry_init(&entry->ent, TRACE_FN, ctx, current->pid);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	if (fregs)
		ftrace_get_arguments(fregs, entry->args);
	this_cpu_write(trace_taskinfo_save, true); /* the next task switch saves the names */
	rb_unlock_commit(cb);
	return true;
}

void function_record(struct trace_array *tr, unsigned long ip, unsigned long parent_ip, u32 ctx)
{
	function_trace_entry(tr, ip, parent_ip, ctx, NULL);
}

/*
 * Stores the traced function and its callers, innermost first, along the frame pointers of the
 * task's stack, and returns their number. site: the frame that the entry stub has made. Returns 0
 * if the chain leaves the stack or contains an interrupt's frame; the caller then needs the
 * unwinder.
 */
static __always_inline unsigned function_walk_stack(unsigned long *site, unsigned long *callers)
{
	unsigned long low = (unsigned long)current->stack, high = low + THREAD_SIZE - 16;
	unsigned long bp = site[0] & ~FTRACE_ALL_SAVED;
	unsigned count = 2;
	int idx = 0;

	callers[0] = site[1];
	callers[1] = ftrace_graph_ret_addr(current, &idx, site[2], site + 2);
	while (bp && bp != (unsigned long)task_pt_regs(current) + 1 && count < TRACE_STACK_MAX) {
		unsigned long next;

		if ((bp & 15) || bp < low || bp > high)
			return 0;
		next = ((unsigned long *)bp)[0];
		callers[count] = ftrace_graph_ret_addr(current, &idx, ((unsigned long *)bp)[1],
						       (unsigned long *)bp + 1);
		if (!callers[count])
			break;
		count++;
		if (next && next <= bp)
			return 0;
		bp = next;
	}
	return count;
}

/* The same by the unwinder, which sees the frames of ftrace above the traced function, too. */
static noinline void function_unwind(struct trace_array *tr, unsigned long ip, u32 ctx)
{
	unsigned long callers[TRACE_STACK_MAX];
	unsigned count = stack_trace_save(callers, TRACE_STACK_MAX, 0), first = 0;

	while (first < count && callers[first] != ip + MCOUNT_INSN_SIZE)
		first++;
	if (first < count)
		trace_write_stack(tr, ctx, callers + first, count - first);
}

/* Writes the callers of the traced function. bp: the frame of the ops' callback. */
static __always_inline void function_trace_callers(struct trace_array *tr, unsigned long ip,
						   u32 ctx, unsigned long *bp)
{
	unsigned long callers[TRACE_STACK_MAX];
	unsigned count;

	/* Frames of trace/ftrace/ops.c may lie between the stub's frame and this one. */
	do
		bp = (unsigned long *)(bp[0] & ~FTRACE_ALL_SAVED);
	while (bp[1] != ip + MCOUNT_INSN_SIZE);
	count = function_walk_stack(bp, callers);
	if (likely(count))
		trace_write_stack(tr, ctx, callers, count);
	else
		function_unwind(tr, ip, ctx);
}

/* Writes that the calls of last were repeated. Interrupts off. */
static void function_write_repeats(struct trace_array *tr, const struct function_repeats *last,
				   u32 ctx)
{
	struct trace_buffer *buffer = READ_ONCE(tr->buffer);
	struct ring_buffer_per_cpu *cb = buffer->cpus[smp_processor_id()];
	u64 now = ring_buffer_time_stamp(buffer), delta = now - last->ts;
	struct func_repeats_entry *entry;
	struct ring_buffer_event *event;

	event = __rb_lock_reserve(buffer, cb, sizeof(*entry), true, now);
	if (!event)
		return;
	entry = (struct func_repeats_entry *)&event->array[0];
	tracing_entry_init(&entry->ent, TRACE_FUNC_REPEATS, ctx, current->pid);
	entry->ip = last->ip;
	entry->parent_ip = last->parent_ip;
	entry->count = last->count;
	entry->top_delta_ts = (u16)(delta >> 32);
	entry->bottom_delta_ts = (u32)delta;
	rb_unlock_commit(cb);
}

/*
 * Returns whether the call needs an entry of its own. If it repeats the CPU's last call, it is
 * counted; the next other call writes the count. Each call in an NMI needs an entry, because the
 * NMI may have interrupted this function. Preemption off.
 */
static bool function_is_new(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			    u32 ctx)
{
	struct function_repeats *last = &function_of(tr)->repeats[smp_processor_id()];
	unsigned long flags;
	bool repeated;

	if (in_nmi() || !READ_ONCE(tr->recording))
		return true;
	raw_local_irq_save(flags);
	repeated = last->ip == ip && last->parent_ip == parent_ip && last->count < FUNC_REPEATS_MAX;
	if (repeated) {
		last->ts = ring_buffer_time_stamp(READ_ONCE(tr->buffer));
		last->count++;
	} else {
		if (last->count)
			function_write_repeats(tr, last, ctx);
		last->ip = ip;
		last->parent_ip = parent_ip;
		last->count = 0;
	}
	raw_local_irq_restore(flags);
	return !repeated;
}

/* The callback when an option is set. flags: the options. */
static __always_inline void function_options(unsigned long ip, unsigned long parent_ip,
					     struct ftrace_ops *op, struct ftrace_regs *fregs,
					     u32 flags)
{
	struct trace_array *tr = op->private;
	u32 ctx = tracing_gen_ctx();

	preempt_disable_notrace();
	if ((!(flags & TRACE_FUNC_OPT_NO_REPEATS) || function_is_new(tr, ip, parent_ip, ctx)) &&
	    function_trace_entry(tr, ip, parent_ip, ctx,
				 flags & TRACE_FUNC_OPT_ARGS ? fregs : NULL) &&
	    (flags & TRACE_FUNC_OPT_STACK))
		function_trace_callers(tr, ip, ctx, __builtin_frame_address(0));
	preempt_enable_notrace();
}

/* With func_stack_trace and no other option. enabled_functions shows the name, as on Linux. */
static void function_stack_trace_call(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	function_options(ip, parent_ip, op, fregs, TRACE_FUNC_OPT_STACK);
}

/* With other options. */
static void function_options_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	function_options(ip, parent_ip, op, fregs, tracer_flags_of(op->private, &function_trace));
}

/* The top level's, static because the command line can set filters and start it during boot. */
static struct function_tracer top_function = {
	.ops = { .func = function_trace_call,
		 .flags = FTRACE_OPS_FL_PID,
		 .pid_func = function_pid_func,
		 .private = &global_trace },
};

struct ftrace_ops *function_trace_ops(struct trace_array *tr)
{
	return &function_of(tr)->ops;
}

static int function_start(struct trace_array *tr)
{
	struct function_tracer *f = function_of(tr);
	int error;

	if (f->enabled)
		return 0;
	error = register_ftrace_function(&f->ops);
	f->enabled = !error;
	return error;
}

void function_trace_unregister(struct trace_array *tr)
{
	struct function_tracer *f = function_of(tr);

	if (f->enabled)
		unregister_ftrace_function(&f->ops);
	f->enabled = false;
}

int function_trace_register(struct trace_array *tr, ftrace_func_t func)
{
	ftrace_set_func(&function_of(tr)->ops, func);
	return function_start(tr);
}

static struct tracer_flags function_flags = {
	.opts =
		(const struct tracer_opt[]){
			{ "func_stack_trace", TRACE_FUNC_OPT_STACK },
			{ "func-no-repeats", TRACE_FUNC_OPT_NO_REPEATS },
			{ "func-args", TRACE_FUNC_OPT_ARGS },
			{ NULL, 0 },
		},
};

static ftrace_func_t function_choose_func(u32 flags)
{
	if (!flags)
		return function_trace_call;
	return flags == TRACE_FUNC_OPT_STACK ? function_stack_trace_call : function_options_call;
}

/* Also has the names of tasks saved at task switches, because the output needs them. */
static int function_trace_init(struct trace_array *tr)
{
	int error;

	ftrace_set_func(&function_of(tr)->ops,
			function_choose_func(tracer_flags_of(tr, &function_trace)));
	tracing_record_cmdline(true);
	error = function_start(tr);
	if (error)
		tracing_record_cmdline(false);
	return error;
}

static void function_trace_reset(struct trace_array *tr)
{
	function_trace_unregister(tr);
	tracing_record_cmdline(false);
}

static void function_trace_start(struct trace_array *tr)
{
	tracing_reset_online_cpus(tr);
}

/* Changes the callback while it is in use, so that no grace period has to end. */
static int function_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
	u32 flags = set ? old_flags | bit : old_flags & ~bit;

	if (flags & TRACE_FUNC_OPT_ARGS)
		load_function_arg_types();
	ftrace_set_func(&function_of(tr)->ops, function_choose_func(flags));
	return 0;
}

static int function_trace_create(struct trace_array *tr)
{
	struct function_tracer *f = &top_function;

	if (tr->name) {
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		if (!f)
			return -ENOMEM;
		f->ops.func = function_trace_call;
		f->ops.flags = FTRACE_OPS_FL_PID;
		f->ops.pid_func = function_pid_func;
		f->ops.private = tr;
	}
	INIT_LIST_HEAD(&f->probes);
	f->repeats = kcalloc(nr_cpu_ids, sizeof(*f->repeats), GFP_KERNEL);
	if (!f->repeats || function_pids_create(f, tr)) {
		kfree(f->repeats);
		if (tr->name)
			kfree(f);
		return -ENOMEM;
	}
	*trace_tracer_private(tr, &function_trace) = f;
	return 0;
}

DEFINE_LINKER_TABLE(rodata, const struct function_words, function_words);

static int function_trace_create_files(struct trace_array *tr)
{
	struct function_tracer *f = function_of(tr);
	int error = ftrace_create_filter_files(&f->ops, f->filters, tr->dir);

	for_each_linker_table_entry (words, function_words) {
		f->filters[0].command = words->command;
		f->filters[0].show_commands = words->show;
	}
	return error;
}

static void function_trace_detach(struct trace_array *tr)
{
	for_each_linker_table_entry (words, function_words)
		words->detach(tr);
	function_pids_detach(tr);
}

static void function_trace_destroy(struct trace_array *tr)
{
	struct function_tracer *f = function_of(tr);

	ftrace_free_filter(&f->ops);
	function_pids_destroy(f);
	kfree(f->repeats);
	kfree(f);
}

struct tracer function_trace = {
	.name = "function",
	.init = function_trace_init,
	.reset = function_trace_reset,
	.start = function_trace_start,
	.set_flag = function_set_flag,
	.create = function_trace_create,
	.create_files = function_trace_create_files,
	.detach = function_trace_detach,
	.destroy = function_trace_destroy,
	.flags = &function_flags,
	.allow_instances = true,
};

static int __init init_function_trace(void)
{
	ftrace_set_early_filters(&top_function.ops);
	return register_tracer(&function_trace);
}
early_initcall(init_function_trace);
