/*
 * Prints entries as text: the context at the start of a line, and the text of each type of the
 * core's entries. The formats are Linux's, character by character:
 * Documentation/trace/ftrace.rst, "Output format".
 */
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/trace_printk.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/time/ktime.h"

#define USEC_PER_MSEC 1000ULL
#define USEC_PER_SEC  1000000ULL

/* ---- pieces ---- */

/* As Linux without the name of the module. */
static void trace_print_name(struct trace_seq *s, unsigned long ip)
{
	char buffer[KSYM_NAME_LEN];
	const char *name = kallsyms_lookup(ip, NULL, NULL, buffer);

	if (name)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "0x%lx", ip);
}

void seq_print_ip_sym(struct trace_seq *s, unsigned long ip, u64 trace_flags)
{
	char text[KSYM_SYMBOL_LEN];

	if (!ip) {
		trace_seq_putc(s, '0');
		return;
	}
	if (trace_flags & TRACE_ITER_SYM_OFFSET) {
		sprint_symbol(text, ip);
		trace_seq_puts(s, text);
	} else {
		trace_print_name(s, ip);
	}
	if (trace_flags & TRACE_ITER_SYM_ADDR)
		trace_seq_printf(s, " <%016lx>", ip);
}

static void print_depth(struct trace_seq *s, unsigned depth)
{
	if (depth)
		trace_seq_printf(s, "%x", depth);
	else
		trace_seq_putc(s, '.');
}

void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *entry)
{
	bool nmi = entry->flags & TRACE_FLAG_NMI;
	bool hardirq = entry->flags & TRACE_FLAG_HARDIRQ;
	bool softirq = entry->flags & TRACE_FLAG_SOFTIRQ;
	bool irqs_off = entry->flags & TRACE_FLAG_IRQS_OFF;
	bool bh_off = entry->flags & TRACE_FLAG_BH_OFF;
	u8 resched = entry->flags & (TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED);
	char need_resched = resched == (TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED) ? 'N'
			    : resched == TRACE_FLAG_NEED_RESCHED                              ? 'n'
			    : resched == TRACE_FLAG_PREEMPT_RESCHED                           ? 'p'
											      : '.';
	char hardsoft = nmi && hardirq       ? 'Z'
			: nmi                ? 'z'
			: hardirq && softirq ? 'H'
			: hardirq            ? 'h'
			: softirq            ? 's'
					     : '.';

	char irqs = irqs_off && bh_off ? 'D' : irqs_off ? 'd' : bh_off ? 'b' : '.';

	trace_seq_printf(s, "%c%c%c", irqs, need_resched, hardsoft);
	print_depth(s, entry->preempt_count & 0xf);
	print_depth(s, entry->preempt_count >> 4);
}

void trace_print_time(struct trace_iterator *iter, u64 ts)
{
	u64 usecs = (ts + 500) / NSEC_PER_USEC;

	if (tracing_clock_in_ns(iter->tr))
		trace_seq_printf(&iter->seq, " %5llu.%06llu",
				 (unsigned long long)(usecs / USEC_PER_SEC),
				 (unsigned long long)(usecs % USEC_PER_SEC));
	else
		trace_seq_printf(&iter->seq, " %12llu", (unsigned long long)ts);
}

void trace_print_context(struct trace_iterator *iter)
{
	const struct trace_entry *entry = iter->ent;
	u64 flags = trace_iter_flags(iter);
	struct trace_seq *s = &iter->seq;
	char comm[TASK_COMM_LEN];

	trace_find_cmdline(entry->pid, comm);
	trace_seq_printf(s, "%16s-%-7d ", comm, entry->pid);
	if (flags & TRACE_ITER_RECORD_TGID) {
		int tgid = trace_find_tgid(entry->pid);

		if (tgid)
			trace_seq_printf(s, "(%7d) ", tgid);
		else
			trace_seq_puts(s, "(-------) ");
	}
	trace_seq_printf(s, "[%03d] ", (int)iter->cpu);
	if (flags & TRACE_ITER_IRQ_INFO)
		trace_print_lat_fmt(s, entry);
	trace_print_time(iter, iter->ts);
	trace_seq_puts(s, ": ");
}

char trace_delay_mark(u64 ns)
{
	static const struct {
		u64 ns;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' },    { 100000, '!' },    { 10000, '+' },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].ns)
			return marks[i].mark;
	return ' ';
}

static void trace_print_lat_time(struct trace_iterator *iter, bool verbose)
{
	u64 absolute = iter->ts - trace_iter_time_start(iter);
	u64 relative = iter->next_ts ? iter->next_ts - iter->ts : 0;
	unsigned long long abs_us = absolute / NSEC_PER_USEC, rel_us = relative / NSEC_PER_USEC;
	unsigned long long ts = iter->ts;
	struct trace_seq *s = &iter->seq;
	bool in_ns = tracing_clock_in_ns(iter->tr);

	if (verbose && in_ns)
		trace_seq_printf(s, "[%08llx] %llu.%03llums (+%llu.%03llums): ", ts / NSEC_PER_USEC,
				 abs_us / USEC_PER_MSEC, abs_us % USEC_PER_MSEC,
				 rel_us / USEC_PER_MSEC, rel_us % USEC_PER_MSEC);
	else if (verbose)
		trace_seq_printf(s, "[%016llx] %llu (+%llu): ", ts, (unsigned long long)absolute,
				 (unsigned long long)relative);
	else if (in_ns)
		trace_seq_printf(s, " %4lluus%c: ", abs_us, trace_delay_mark(relative));
	else
		trace_seq_printf(s, " %4llu: ", (unsigned long long)absolute);
}

void trace_print_lat_context(struct trace_iterator *iter)
{
	const struct trace_entry *entry = iter->ent;
	bool verbose = trace_iter_flags(iter) & TRACE_ITER_VERBOSE;
	struct trace_seq *s = &iter->seq;
	char comm[TASK_COMM_LEN];

	trace_find_cmdline(entry->pid, comm);
	if (verbose) {
		trace_seq_printf(s, "%16s %7d %3d %d %08x %08llx ", comm, entry->pid,
				 (int)iter->cpu, entry->flags, entry->preempt_count & 0xf,
				 (unsigned long long)iter->idx);
	} else {
		trace_seq_printf(s, "%8.8s-%-7d %3d", comm, entry->pid, (int)iter->cpu);
		trace_print_lat_fmt(s, entry);
	}
	trace_print_lat_time(iter, verbose);
}

/* ---- a line ---- */

/*
 * The option annotate: prints a line before the first entry of a CPU, if other CPUs' older entries
 * were overwritten.
 */
static void test_cpu_buff_start(struct trace_iterator *iter)
{
	if (!(trace_iter_flags(iter) & TRACE_ITER_ANNOTATE) || !iter->annotated ||
	    cpumask_test_cpu(iter->cpu, &iter->started))
		return;
	cpumask_set_cpu(iter->cpu, &iter->started);
	if (iter->idx)
		trace_seq_printf(&iter->seq, "##### CPU %u buffer started ####\n", iter->cpu);
}

/* Prints an entry that has no print function for the chosen format. */
static enum print_line_t trace_nop_print(struct trace_iterator *iter)
{
	trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

enum print_line_t (*trace_print_fields_hook)(struct trace_iterator *iter,
					     const struct trace_event *event);

static enum print_line_t print_event(struct trace_iterator *iter, const struct trace_event *event)
{
	if (!event->trace)
		return trace_nop_print(iter);
	if (event->tracer)
		trace_iterator_open_tracer(iter, event->tracer);
	return event->trace(iter);
}

static enum print_line_t print_trace_fmt(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);
	u64 flags = trace_iter_flags(iter);

	test_cpu_buff_start(iter);
	if (flags & TRACE_ITER_CONTEXT_INFO) {
		if (flags & TRACE_ITER_LATENCY_FMT)
			trace_print_lat_context(iter);
		else
			trace_print_context(iter);
	}
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	if (event)
		return flags & TRACE_ITER_FIELDS ? trace_print_fields_hook(iter, event)
						 : print_event(iter, event);
	trace_seq_printf(&iter->seq, "Unknown type %d\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_raw_fmt(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);

	if (trace_iter_flags(iter) & TRACE_ITER_CONTEXT_INFO)
		trace_seq_printf(&iter->seq, "%d %d %llu ", iter->ent->pid, (int)iter->cpu,
				 (unsigned long long)iter->ts);
	if (event && event->raw)
		return event->raw(iter);
	return event ? trace_nop_print(iter)
		     : (trace_seq_printf(&iter->seq, "%d ?\n", iter->ent->type),
			trace_handle_return(&iter->seq));
}

static enum print_line_t print_hex_fmt(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);
	struct trace_seq *s = &iter->seq;
	s32 cpu = (s32)iter->cpu;

	if (trace_iter_flags(iter) & TRACE_ITER_CONTEXT_INFO) {
		trace_seq_putmem_hex(s, &iter->ent->pid, sizeof(iter->ent->pid));
		trace_seq_putmem_hex(s, &cpu, sizeof(cpu));
		trace_seq_putmem_hex(s, &iter->ts, sizeof(iter->ts));
	}
	if (event) {
		if (event->hex)
			event->hex(iter);
		else
			trace_nop_print(iter);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t print_bin_fmt(struct trace_iterator *iter)
{
	struct trace_event *event = ftrace_find_event(iter->ent->type);
	struct trace_seq *s = &iter->seq;
	s32 cpu = (s32)iter->cpu;

	if (trace_iter_flags(iter) & TRACE_ITER_CONTEXT_INFO) {
		trace_seq_putmem(s, &iter->ent->pid, sizeof(iter->ent->pid));
		trace_seq_putmem(s, &cpu, sizeof(cpu));
		trace_seq_putmem(s, &iter->ts, sizeof(iter->ts));
	}
	if (event)
		return event->binary ? event->binary(iter) : trace_nop_print(iter);
	return trace_handle_return(s);
}

static void print_words(struct trace_iterator *iter)
{
	const struct bprint_entry *field = (const struct bprint_entry *)iter->ent;

	trace_seq_bprintf(&iter->seq, field->fmt, field->buf,
			  (iter->ent_size - sizeof(*field)) / sizeof(field->buf[0]));
}

enum print_line_t trace_print_printk_msg_only(struct trace_iterator *iter)
{
	const struct print_entry *print = (const struct print_entry *)iter->ent;

	switch (iter->ent->type) {
	case TRACE_PRINT:
		trace_seq_puts_max(&iter->seq, print->buf, iter->ent_size - sizeof(*print));
		break;
	case TRACE_BPRINT:
		print_words(iter);
		break;
	case TRACE_BPUTS:
		trace_seq_puts(&iter->seq, ((const struct bputs_entry *)iter->ent)->str);
		break;
	default:
		return TRACE_TYPE_UNHANDLED;
	}
	return trace_handle_return(&iter->seq);
}

enum print_line_t print_trace_line(struct trace_iterator *iter)
{
	u64 flags = trace_iter_flags(iter);
	enum print_line_t ret;

	iter->text_len = 0;
	if (iter->lost_events)
		trace_seq_printf(&iter->seq, "CPU:%u [LOST %llu EVENTS]\n", iter->cpu,
				 (unsigned long long)iter->lost_events);
	if (iter->trace && iter->trace->print_line) {
		trace_iterator_open_tracer(iter, iter->trace);
		ret = iter->trace->print_line(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if ((flags & TRACE_ITER_PRINTK) && (flags & TRACE_ITER_PRINTK_MSGONLY)) {
		ret = trace_print_printk_msg_only(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (flags & TRACE_ITER_BIN)
		return print_bin_fmt(iter);
	if (flags & TRACE_ITER_HEX)
		return print_hex_fmt(iter);
	if (flags & TRACE_ITER_RAW)
		return print_raw_fmt(iter);
	return print_trace_fmt(iter);
}

/* ---- TRACE_STACK ---- */

static bool trace_stack_valid(const struct trace_entry *entry, size_t length)
{
	const struct stack_entry *field = (const struct stack_entry *)entry;

	return field->size >= 0 &&
	       (size_t)field->size <= (length - sizeof(*field)) / sizeof(field->caller[0]);
}

static enum print_line_t trace_stack_print(struct trace_iterator *iter)
{
	const struct stack_entry *field = (const struct stack_entry *)iter->ent;
	u64 flags = trace_iter_flags(iter);
	size_t room = (iter->ent_size - sizeof(*field)) / sizeof(field->caller[0]);
	struct trace_seq *s = &iter->seq;

	trace_seq_puts(s, "<stack trace>\n");
	for (size_t i = 0; i < room && (s32)i < field->size; i++) {
		if (trace_seq_has_overflowed(s))
			break;
		trace_seq_puts(s, " => ");
		seq_print_ip_sym(s, field->caller[i], flags);
		trace_seq_putc(s, '\n');
	}
	return trace_handle_return(s);
}

static const struct trace_event_field kernel_stack_fields[] = {
	TRACE_FIELD(stack_entry, size, "int", true),
	TRACE_ARRAY(stack_entry, caller, "unsigned long[8]",
		    FTRACE_STACK_ENTRIES * sizeof(unsigned long), false),
	{ .name = NULL },
};

static struct trace_event trace_stack_event = {
	.type = TRACE_STACK,
	.trace = trace_stack_print,
	.valid = trace_stack_valid,
	.name = "kernel_stack",
	.fields = kernel_stack_fields,
	.print_fmt = KERNEL_STACK_PRINT_FMT,
};

/* ---- TRACE_PRINT ---- */

static enum print_line_t trace_print_print(struct trace_iterator *iter)
{
	const struct print_entry *field = (const struct print_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;

	seq_print_ip_sym(s, field->ip, trace_iter_flags(iter));
	trace_seq_puts(s, ": ");
	trace_seq_puts_max(s, field->buf, iter->ent_size - sizeof(*field));
	return trace_handle_return(s);
}

static enum print_line_t trace_print_raw(struct trace_iterator *iter)
{
	const struct print_entry *field = (const struct print_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "# %lx ", field->ip);
	trace_seq_puts_max(&iter->seq, field->buf, iter->ent_size - sizeof(*field));
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field print_fields[] = {
	TRACE_FIELD(print_entry, ip, "unsigned long", false),
	TRACE_ARRAY(print_entry, buf, "char[]", 0, true),
	{ .name = NULL },
};

static struct trace_event trace_print_event = {
	.type = TRACE_PRINT,
	.trace = trace_print_print,
	.raw = trace_print_raw,
	.name = "print",
	.fields = print_fields,
	.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->buf",
};

/* ---- TRACE_BPRINT, TRACE_BPUTS ---- */

static enum print_line_t trace_bprint_print(struct trace_iterator *iter)
{
	const struct bprint_entry *field = (const struct bprint_entry *)iter->ent;

	seq_print_ip_sym(&iter->seq, field->ip, trace_iter_flags(iter));
	trace_seq_puts(&iter->seq, ": ");
	print_words(iter);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_bprint_raw(struct trace_iterator *iter)
{
	trace_seq_printf(&iter->seq, ": %lx : ", ((const struct bprint_entry *)iter->ent)->ip);
	print_words(iter);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_bputs_print(struct trace_iterator *iter)
{
	const struct bputs_entry *field = (const struct bputs_entry *)iter->ent;

	seq_print_ip_sym(&iter->seq, field->ip, trace_iter_flags(iter));
	trace_seq_puts(&iter->seq, ": ");
	trace_seq_puts(&iter->seq, field->str);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_bputs_raw(struct trace_iterator *iter)
{
	const struct bputs_entry *field = (const struct bputs_entry *)iter->ent;

	trace_seq_printf(&iter->seq, ": %lx : ", field->ip);
	trace_seq_puts(&iter->seq, field->str);
	return trace_handle_return(&iter->seq);
}

static bool trace_bprint_valid(const struct trace_entry *entry, size_t length __unused)
{
	return trace_printk_is_constant(((const struct bprint_entry *)entry)->fmt);
}

static bool trace_bputs_valid(const struct trace_entry *entry, size_t length __unused)
{
	return trace_printk_is_constant(((const struct bputs_entry *)entry)->str);
}

static const struct trace_event_field bprint_fields[] = {
	TRACE_FIELD(bprint_entry, ip, "unsigned long", false),
	TRACE_FIELD(bprint_entry, fmt, "const char *", false),
	TRACE_ARRAY(bprint_entry, buf, "u32[]", 0, false),
	{ .name = NULL },
};

static struct trace_event trace_bprint_event = {
	.type = TRACE_BPRINT,
	.trace = trace_bprint_print,
	.raw = trace_bprint_raw,
	.valid = trace_bprint_valid,
	.name = "bprint",
	.fields = bprint_fields,
	.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->fmt",
};

static const struct trace_event_field bputs_fields[] = {
	TRACE_FIELD(bputs_entry, ip, "unsigned long", false),
	TRACE_FIELD(bputs_entry, str, "const char *", false),
	{ .name = NULL },
};

static struct trace_event trace_bputs_event = {
	.type = TRACE_BPUTS,
	.trace = trace_bputs_print,
	.raw = trace_bputs_raw,
	.valid = trace_bputs_valid,
	.name = "bputs",
	.fields = bputs_fields,
	.print_fmt = "\"%ps: %s\", (void *)REC->ip, REC->str",
};

static int __init init_events(void)
{
	register_trace_event(&trace_stack_event);
	register_trace_event(&trace_print_event);
	register_trace_event(&trace_bprint_event);
	register_trace_event(&trace_bputs_event);
	return 0;
}
core_initcall(init_events);
