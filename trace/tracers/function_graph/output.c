/*
 * Prints traced calls and returns as text that looks like C, in exactly Linux's format:
 * Documentation/trace/ftrace.rst, "function_graph".
 *
 *	 0)               |  vfs_read() {		a call with other calls inside
 *	 0)   0.141 us    |    mutex_lock();		a leaf: call and return in one line
 *	 0)   3.052 us    |  }				a return, with the time since the call
 *
 * A call and its return are two entries. When the return is the next entry of the CPU, both become
 * one line: printing the call takes the return out of the trace. An interrupt that nofuncgraph-irqs
 * hides between the two is taken out first. (Linux prints "mntget() {" and "}" then, as if calls
 * were missing between them.) When a line does not fit, the same entry is printed again later. So
 * the reader's state is restored, and what was taken is kept for the next attempt.
 */
#include "trace/tracers/function_graph/output.h"

#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/tracers/function/args.h"
#include "trace/tracers/function/function.h"

#define GRAPH_INDENT      2
#define GRAPH_FUNCS_DEPTH 50 /* returns less deep than this are compared with their calls */
#define GRAPH_MAX_ERRNO   4095
#define NOT_IN_IRQ        (-1)

/* A reader's state for one CPU. */
struct graph_cpu {
	pid_t last_pid; /* the last line's; -1: no line yet */
	int depth;      /* the indentation of a comment */
	int depth_irq;  /* nofuncgraph-irqs: the depth of the interrupt that is skipped now */
	unsigned long calls[GRAPH_FUNCS_DEPTH]; /* printed calls that have not returned; 0: none */
};

struct graph_data {
	bool looked;    /* the entries after the call at looked_idx were looked at */
	bool joined;    /* one of them is its return, which was taken */
	int depth_irq;  /* of the struct graph_cpu, after the entries that were taken */
	u64 looked_idx; /* that call's iter->idx */
	/* The return that was taken: a struct ftrace_graph_ret_entry, perhaps with its value. */
	u64 return_[(sizeof(struct ftrace_graph_ret_entry) + sizeof(long)) / sizeof(u64)];
	size_t return_size;
	struct graph_cpu cpus[]; /* nr_cpu_ids */
};

static void graph_reset(struct graph_data *data)
{
	data->joined = false;
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++) {
		memset(&data->cpus[cpu], 0, sizeof(data->cpus[cpu]));
		data->cpus[cpu].last_pid = -1;
		data->cpus[cpu].depth_irq = NOT_IN_IRQ;
	}
}

static struct graph_data *graph_alloc(void)
{
	size_t cpus = nr_cpu_ids * sizeof(struct graph_cpu);
	struct graph_data *data = kzalloc(sizeof(*data) + cpus, GFP_KERNEL);

	if (data)
		graph_reset(data);
	return data;
}

void graph_trace_open(struct trace_iterator *iter)
{
	*trace_iter_private(iter, &graph_trace) = graph_alloc();
}

void graph_trace_close(struct trace_iterator *iter)
{
	kfree(*trace_iter_private(iter, &graph_trace));
	*trace_iter_private(iter, &graph_trace) = NULL;
}

/* ---- extra lines ---- */

/* Marks a switch of the CPU to another task. */
static void print_task_switch(const struct graph_line *line)
{
	static const char rule[] = " ------------------------------------------\n";
	pid_t pid = line->iter->ent->pid, last;

	if (!line->cpu || line->cpu->last_pid == pid)
		return;
	last = line->cpu->last_pid;
	line->cpu->last_pid = pid;
	if (last == -1)
		return;
	trace_seq_puts(line->s, rule);
	graph_print_cpu(line);
	graph_print_proc(line->s, last);
	trace_seq_puts(line->s, " => ");
	graph_print_proc(line->s, pid);
	trace_seq_printf(line->s, "\n%s\n", rule);
}

static bool is_irq_entry(unsigned long func)
{
	return func >= (unsigned long)__irqentry_text_start &&
	       func < (unsigned long)__irqentry_text_end;
}

static void print_irq_arrow(const struct graph_line *line, unsigned long func, const char *arrow)
{
	if (!is_irq_entry(func))
		return;
	graph_print_context(line);
	if (graph_shows_duration(line))
		trace_seq_printf(line->s, "  %s |\n", arrow);
	else
		trace_seq_printf(line->s, "%s\n", arrow);
}

/* nofuncgraph-irqs: skips an interrupt from its entry function until that function returns. */
static bool skips_call(const struct graph_line *line, unsigned long func, int depth)
{
	if ((line->flags & TRACE_GRAPH_PRINT_IRQS) || !line->cpu)
		return false;
	if (line->cpu->depth_irq != NOT_IN_IRQ)
		return true;
	if (!is_irq_entry(func))
		return false;
	line->cpu->depth_irq = depth;
	return true;
}

/* The beginning of an interrupt may lie before the trace, or on the CPU that the task has left. */
static bool skips_return(const struct graph_line *line, unsigned long func, int depth)
{
	if ((line->flags & TRACE_GRAPH_PRINT_IRQS) || !line->cpu)
		return false;
	if (line->cpu->depth_irq == NOT_IN_IRQ)
		return is_irq_entry(func);
	if (depth <= line->cpu->depth_irq)
		line->cpu->depth_irq = NOT_IN_IRQ;
	return true;
}

/* ---- open calls ---- */

static unsigned long *call_slot(struct graph_cpu *cpu, int depth)
{
	return cpu && depth >= 0 && depth < GRAPH_FUNCS_DEPTH ? &cpu->calls[depth] : NULL;
}

static void remember_call(const struct graph_line *line, unsigned long func, int depth)
{
	unsigned long *slot = call_slot(line->cpu, depth);

	if (line->cpu)
		line->cpu->depth = depth;
	if (slot)
		*slot = func;
}

/* Removes the call that returns. False if its line was not printed, as far as is known. */
static bool forget_call(const struct graph_line *line, unsigned long func, int depth)
{
	unsigned long *slot = call_slot(line->cpu, depth);
	bool matches;

	if (line->cpu)
		line->cpu->depth = depth - 1;
	if (!slot)
		return true;
	matches = *slot == func;
	*slot = 0;
	return matches;
}

/* ---- TRACE_GRAPH_ENT, TRACE_GRAPH_RET ---- */

/* Both kinds of calls begin as a struct ftrace_graph_ent_entry. */
static bool is_call(const struct trace_entry *entry)
{
	return entry->type == TRACE_GRAPH_ENT || entry->type == TRACE_GRAPH_RETADDR_ENT;
}

static void print_arguments(const struct graph_line *line,
			    const struct ftrace_graph_ent_entry *call)
{
	bool shown = line->flags & TRACE_GRAPH_ARGS;
	size_t head = sizeof(*call);

	if (call->ent.type == TRACE_GRAPH_RETADDR_ENT)
		head = sizeof(struct fgraph_retaddr_ent_entry);
	print_function_args(line->iter, call->func, (const u8 *)call + head,
			    shown ? line->iter->ent_size - head : 0);
}

/* True if the entry has the return address of the call, and the option is on. */
static bool shows_retaddr(const struct graph_line *line, const struct ftrace_graph_ent_entry *call)
{
	return call->ent.type == TRACE_GRAPH_RETADDR_ENT && line->flags & TRACE_GRAPH_PRINT_RETADDR;
}

static void print_retaddr(const struct graph_line *line, const struct ftrace_graph_ent_entry *call)
{
	const struct fgraph_retaddr_ent_entry *entry = (const void *)call;

	trace_seq_printf(line->s, " <-%pS", (void *)entry->retaddr);
}

/* Stores the recorded return value. False if it was not recorded, or if the option is off. */
static bool get_retval(const struct graph_line *line, const struct ftrace_graph_ret_entry *ret,
		       size_t size, unsigned long *value)
{
	if (!(line->flags & TRACE_GRAPH_PRINT_RETVAL) ||
	    size < sizeof(*ret) + sizeof(ret->retval[0]))
		return false;
	*value = ret->retval[0];
	return true;
}

/*
 * Prints an errno as a negative number, any other value in hexadecimal. The type is not known: an
 * errno of type int has zeros in its upper half.
 */
static void print_retval(const struct graph_line *line, unsigned long value)
{
	long number = value >> 32 ? (long)value : (s32)value;

	if (!(line->flags & TRACE_GRAPH_PRINT_RETVAL_HEX) && number < 0 &&
	    number >= -GRAPH_MAX_ERRNO)
		trace_seq_printf(line->s, "= %ld", number);
	else
		trace_seq_printf(line->s, "= 0x%lx", value);
}

static bool returns_from(const void *entry, size_t size, void *info)
{
	const struct trace_entry *next = entry;
	struct graph_line *line = info;
	const struct ftrace_graph_ent_entry *call = (const void *)line->iter->ent;
	const struct ftrace_graph_ret_entry *ret = (const void *)next;

	if (next->type != TRACE_GRAPH_RET || next->pid != call->ent.pid ||
	    ret->func != call->func || size < sizeof(*ret))
		return false;
	line->data->return_size = min(size, sizeof(line->data->return_));
	memcpy(line->data->return_, ret, line->data->return_size);
	return true;
}

/* True for an entry of an interrupt that is not shown. */
static bool is_hidden(const void *entry, size_t size, void *info)
{
	const struct ftrace_graph_ent_entry *call = entry;
	const struct ftrace_graph_ret_entry *ret = entry;
	const struct graph_line *line = info;

	if (is_call(entry) && size >= sizeof(*call))
		return skips_call(line, call->func, call->depth);
	if (ret->ent.type == TRACE_GRAPH_RET && size >= sizeof(*ret))
		return skips_return(line, ret->func, ret->depth);
	return false;
}

/*
 * True if the current call is a leaf, as far as it is shown. Then its return is taken out of the
 * trace and is in line->data.
 */
static bool join_return(struct graph_line *line)
{
	struct graph_data *data = line->data;

	if (!data)
		return false;
	if (data->looked && data->looked_idx == line->iter->idx) {
		line->cpu->depth_irq = data->depth_irq;
		return data->joined;
	}
	while (trace_take_following(line->iter, is_hidden, line))
		;
	data->joined = line->cpu->depth_irq == NOT_IN_IRQ &&
		       trace_take_following(line->iter, returns_from, line);
	data->depth_irq = line->cpu->depth_irq;
	data->looked_idx = line->iter->idx;
	data->looked = true;
	return data->joined;
}

static void print_leaf(const struct graph_line *line, const struct ftrace_graph_ent_entry *call)
{
	const struct ftrace_graph_ret_entry *ret = (const void *)line->data->return_;
	unsigned long value;
	bool with_value;

	forget_call(line, call->func, call->depth);
	graph_print_duration(line, ret->rettime - ret->calltime);
	graph_print_spaces(line->s, call->depth * GRAPH_INDENT);
	trace_seq_printf(line->s, "%ps", (void *)call->func);
	print_arguments(line, call);
	trace_seq_putc(line->s, ';');
	with_value = get_retval(line, ret, line->data->return_size, &value);
	if (with_value || shows_retaddr(line, call)) {
		trace_seq_puts(line->s, " /*");
		if (shows_retaddr(line, call))
			print_retaddr(line, call);
		if (with_value) {
			trace_seq_putc(line->s, ' ');
			print_retval(line, value);
		}
		trace_seq_puts(line->s, " */");
	}
	trace_seq_putc(line->s, '\n');
	print_irq_arrow(line, ret->func, "<==========");
}

static void print_call(struct graph_line *line)
{
	const struct ftrace_graph_ent_entry *call = (const void *)line->iter->ent;

	if (skips_call(line, call->func, call->depth))
		return;
	print_task_switch(line);
	print_irq_arrow(line, call->func, "==========>");
	graph_print_context(line);
	if (join_return(line)) {
		print_leaf(line, call);
		return;
	}
	remember_call(line, call->func, call->depth);
	graph_print_no_duration(line);
	graph_print_spaces(line->s, call->depth * GRAPH_INDENT);
	trace_seq_printf(line->s, "%ps", (void *)call->func);
	print_arguments(line, call);
	trace_seq_puts(line->s, " {");
	if (shows_retaddr(line, call)) {
		trace_seq_puts(line->s, " /*");
		print_retaddr(line, call);
		trace_seq_puts(line->s, " */");
	}
	trace_seq_putc(line->s, '\n');
}

static void print_return(struct graph_line *line)
{
	const struct ftrace_graph_ret_entry *ret = (const void *)line->iter->ent;
	unsigned long value;
	bool matches;

	if (skips_return(line, ret->func, ret->depth))
		return;
	matches = forget_call(line, ret->func, ret->depth);
	print_task_switch(line);
	graph_print_context(line);
	graph_print_duration(line, ret->rettime - ret->calltime);
	graph_print_spaces(line->s, ret->depth * GRAPH_INDENT);
	if (get_retval(line, ret, line->iter->ent_size, &value)) {
		trace_seq_printf(line->s, "} /* %ps ", (void *)ret->func);
		print_retval(line, value);
		trace_seq_puts(line->s, " */\n");
	} else if (!matches || (line->flags & TRACE_GRAPH_PRINT_TAIL)) {
		/* The call was not printed, so the return names its function. */
		trace_seq_printf(line->s, "} /* %ps */\n", (void *)ret->func);
	} else {
		trace_seq_puts(line->s, "}\n");
	}
	if (line->flags & TRACE_GRAPH_PRINT_OVERRUN)
		trace_seq_printf(line->s, " (Overruns: %u)\n", ret->overrun);
	print_irq_arrow(line, ret->func, "<==========");
}

/* ---- other entries ---- */

static enum print_line_t print_comment_text(const struct graph_line *line)
{
	enum print_line_t ret = trace_print_printk_msg_only(line->iter);
	struct trace_event *event;

	if (ret != TRACE_TYPE_UNHANDLED)
		return ret;
	event = ftrace_find_event(line->iter->ent->type);
	return event && event->trace ? event->trace(line->iter) : TRACE_TYPE_HANDLED;
}

static enum print_line_t print_comment(struct graph_line *line)
{
	int depth = line->cpu ? line->cpu->depth : 0;
	enum print_line_t ret;

	print_task_switch(line);
	graph_print_context(line);
	graph_print_no_duration(line);
	if (depth > 0)
		graph_print_spaces(line->s, (depth + 1) * GRAPH_INDENT);
	trace_seq_puts(line->s, "/* ");
	ret = print_comment_text(line);
	if (ret != TRACE_TYPE_HANDLED)
		return ret;
	if (line->s->len && line->s->buffer[line->s->len - 1] == '\n')
		line->s->len--;
	trace_seq_puts(line->s, " */\n");
	return TRACE_TYPE_HANDLED;
}

/* ---- a line ---- */

static enum print_line_t print_entry(struct graph_line *line)
{
	switch (line->iter->ent->type) {
	case TRACE_GRAPH_ENT:
	case TRACE_GRAPH_RETADDR_ENT:
		print_call(line);
		return TRACE_TYPE_HANDLED;
	case TRACE_GRAPH_RET:
		print_return(line);
		return TRACE_TYPE_HANDLED;
	case TRACE_FN:
	case TRACE_STACK:
		return TRACE_TYPE_UNHANDLED;
	default:
		return print_comment(line);
	}
}

static int entry_depth(const struct trace_entry *entry)
{
	if (is_call(entry))
		return ((const struct ftrace_graph_ent_entry *)entry)->depth;
	if (entry->type == TRACE_GRAPH_RET)
		return ((const struct ftrace_graph_ret_entry *)entry)->depth;
	return -1;
}

enum print_line_t print_graph_function_flags(struct trace_iterator *iter, u32 flags)
{
	struct graph_line line = { .iter = iter, .s = &iter->seq, .flags = flags };
	struct graph_cpu before;
	unsigned long *slot, call;
	enum print_line_t ret;

	line.data = *trace_iter_private(iter, &graph_trace);
	line.trace_flags = trace_iter_flags(iter);
	if (!line.data)
		return print_entry(&line);
	if (line.data->looked && line.data->looked_idx != iter->idx)
		line.data->looked = false;
	if (!iter->idx && !line.data->looked)
		graph_reset(line.data); /* the reader is at the beginning, perhaps again */

	line.cpu = &line.data->cpus[iter->cpu];
	slot = call_slot(line.cpu, entry_depth(iter->ent));
	memcpy(&before, line.cpu, offsetof(struct graph_cpu, calls));
	call = slot ? *slot : 0;
	ret = print_entry(&line);
	if (!trace_seq_has_overflowed(line.s)) {
		line.data->looked = false;
		return ret;
	}
	memcpy(line.cpu, &before, offsetof(struct graph_cpu, calls));
	if (slot)
		*slot = call;
	return TRACE_TYPE_PARTIAL_LINE;
}

/* struct fgraph_frame counts the depth with 16 bits. The printers compute with it. */
static bool depth_is_valid(const struct trace_entry *entry, size_t length __unused)
{
	return entry_depth(entry) == (u16)entry_depth(entry);
}

static const struct trace_event_field entry_fields[] = {
	TRACE_FIELD(ftrace_graph_ent_entry, func, "unsigned long", false),
	TRACE_FIELD(ftrace_graph_ent_entry, depth, "int", true),
	TRACE_OPTION_FIELD(ftrace_graph_ent_entry, args, "unsigned long[]", 0, TRACE_GRAPH_ARGS),
	{ .name = NULL },
};

static const struct trace_event_field exit_fields[] = {
	TRACE_FIELD(ftrace_graph_ret_entry, func, "unsigned long", false),
	TRACE_FIELD(ftrace_graph_ret_entry, depth, "int", true),
	TRACE_FIELD(ftrace_graph_ret_entry, overrun, "unsigned int", false),
	TRACE_FIELD(ftrace_graph_ret_entry, calltime, "unsigned long long", false),
	TRACE_FIELD(ftrace_graph_ret_entry, rettime, "unsigned long long", false),
	TRACE_OPTION_FIELD(ftrace_graph_ret_entry, retval, "unsigned long", sizeof(unsigned long),
			   TRACE_GRAPH_PRINT_RETVAL),
	{ .name = NULL },
};

static struct trace_event graph_entry_event = {
	.type = TRACE_GRAPH_ENT,
	.trace = print_graph_function,
	.valid = depth_is_valid,
	.name = "funcgraph_entry",
	.fields = entry_fields,
	.print_fmt = "\"--> %ps (%d)\", (void *)REC->func, REC->depth",
	.tracer = &graph_trace,
};

static const struct trace_event_field retaddr_entry_fields[] = {
	TRACE_FIELD(fgraph_retaddr_ent_entry, func, "unsigned long", false),
	TRACE_FIELD(fgraph_retaddr_ent_entry, depth, "int", true),
	TRACE_FIELD(fgraph_retaddr_ent_entry, retaddr, "unsigned long", false),
	TRACE_OPTION_FIELD(fgraph_retaddr_ent_entry, args, "unsigned long[]", 0, TRACE_GRAPH_ARGS),
	{ .name = NULL },
};

static struct trace_event graph_retaddr_entry_event = {
	.type = TRACE_GRAPH_RETADDR_ENT,
	.trace = print_graph_function,
	.valid = depth_is_valid,
	.name = "fgraph_retaddr_entry",
	.fields = retaddr_entry_fields,
	.print_fmt = "\"--> %ps (%d) <- %ps\", (void *)REC->func, REC->depth, "
		     "(void *)REC->retaddr",
	.tracer = &graph_trace,
};

static struct trace_event graph_return_event = {
	.type = TRACE_GRAPH_RET,
	.trace = print_graph_function,
	.valid = depth_is_valid,
	.name = "funcgraph_exit",
	.fields = exit_fields,
	.print_fmt = "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
		     "REC->depth, REC->calltime, REC->rettime, REC->depth",
	.tracer = &graph_trace,
	.option = TRACE_GRAPH_PRINT_RETVAL,
	.print_fmt_option = "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", "
			    "(void *)REC->func, REC->depth, REC->calltime, REC->rettime, "
			    "REC->depth, REC->retval",
};

static int __init init_graph_output(void)
{
	register_trace_event(&graph_entry_event);
	register_trace_event(&graph_retaddr_entry_event);
	return register_trace_event(&graph_return_event);
}
early_initcall(init_graph_output);
