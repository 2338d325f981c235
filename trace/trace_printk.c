/* trace_printk(): what it writes, and printk_formats, which says where the formats are. */
#include "trace/trace_printk.h"

#include "fs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/trace.h"

#define STACK_SKIP 2 /* the functions here, before the one that called trace_printk() */

/* The formats of all places that use trace_printk() or trace_puts(); NULL where not constant. */
extern const char *const __start___trace_printk_fmt[], *const __stop___trace_printk_fmt[];

static bool trace_printk_wanted(const struct trace_array *tr)
{
	return (READ_ONCE(tr->trace_flags) & TRACE_ITER_PRINTK) && tracing_is_on();
}

/* ---- writing; preemption off ---- */

static void write_text(unsigned long ip, const char *text, size_t length, u32 ctx)
{
	struct trace_array *tr = &global_trace;
	struct print_entry *entry =
		trace_buffer_lock_reserve(tr, TRACE_PRINT, sizeof(*entry) + length + 1, ctx);

	if (!entry)
		return;
	entry->ip = ip;
	memcpy(entry->buf, text, length);
	entry->buf[length] = '\0';
	trace_buffer_unlock_commit(tr);
	ftrace_trace_stack(tr, ctx, STACK_SKIP);
}

static void write_words(unsigned long ip, const char *fmt, const u32 *words, size_t count, u32 ctx)
{
	struct trace_array *tr = &global_trace;
	struct bprint_entry *entry = trace_buffer_lock_reserve(
		tr, TRACE_BPRINT, sizeof(*entry) + count * sizeof(*words), ctx);

	if (!entry)
		return;
	entry->ip = ip;
	entry->fmt = fmt;
	memcpy(entry->buf, words, count * sizeof(*words));
	trace_buffer_unlock_commit(tr);
	ftrace_trace_stack(tr, ctx, STACK_SKIP);
}

static void vprint_text(unsigned long ip, const char *fmt, va_list args, u32 ctx, char *scratch)
{
	int length = vscnprintf(scratch, TRACE_SCRATCH_SIZE, fmt, args);

	write_text(ip, scratch, (size_t)length, ctx);
}

void __trace_printk(const char *fmt, ...)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	u32 ctx = tracing_gen_ctx();
	va_list args;
	void *scratch;

	if (!trace_printk_wanted(&global_trace))
		return;
	preempt_disable();
	scratch = trace_scratch_get();
	if (scratch) {
		va_start(args, fmt);
		vprint_text(ip, fmt, args, ctx, scratch);
		va_end(args);
		trace_scratch_put();
	}
	preempt_enable();
}

/* Arguments that are too long for an entry: the text, cut, is better than nothing. */
void __trace_bprintk(const char *fmt, ...)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	u32 ctx = tracing_gen_ctx();
	va_list args;
	u32 *scratch;
	size_t count;

	if (!trace_printk_wanted(&global_trace))
		return;
	preempt_disable();
	scratch = trace_scratch_get();
	if (scratch) {
		va_start(args, fmt);
		count = vbin_printf(scratch, TRACE_SCRATCH_SIZE / sizeof(*scratch), fmt, args);
		if (count <= TRACE_SCRATCH_SIZE / sizeof(*scratch))
			write_words(ip, fmt, scratch, count, ctx);
		else
			vprint_text(ip, fmt, args, ctx, (char *)scratch);
		va_end(args);
		trace_scratch_put();
	}
	preempt_enable();
}

void __trace_puts(const char *text)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	u32 ctx = tracing_gen_ctx();

	if (!trace_printk_wanted(&global_trace))
		return;
	preempt_disable();
	write_text(ip, text, strnlen(text, TRACE_SCRATCH_SIZE), ctx);
	preempt_enable();
}

void __trace_bputs(const char *text)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	struct trace_array *tr = &global_trace;
	u32 ctx = tracing_gen_ctx();
	struct bputs_entry *entry;

	if (!trace_printk_wanted(tr))
		return;
	preempt_disable();
	entry = trace_buffer_lock_reserve(tr, TRACE_BPUTS, sizeof(*entry), ctx);
	if (entry) {
		entry->ip = ip;
		entry->str = text;
		trace_buffer_unlock_commit(tr);
		ftrace_trace_stack(tr, ctx, STACK_SKIP - 1);
	}
	preempt_enable();
}

/* ---- printk_formats: ADDRESS : "text", with the escapes of C ---- */

static void show_escaped(struct seq_file *m, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '\n':
			seq_puts(m, "\\n");
			break;
		case '\t':
			seq_puts(m, "\\t");
			break;
		case '\\':
		case '"':
			seq_putc(m, '\\');
			fallthrough;
		default:
			seq_putc(m, *text);
		}
	}
}

static int printk_formats_show(struct seq_file *m, void *v __unused)
{
	for (const char *const *fmt = __start___trace_printk_fmt; fmt < __stop___trace_printk_fmt;
	     fmt++) {
		if (!*fmt)
			continue;
		seq_printf(m, "0x%lx : \"", (unsigned long)*fmt);
		show_escaped(m, *fmt);
		seq_puts(m, "\"\n");
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(printk_formats);

static const struct trace_file printk_files[] = {
	{ .name = "printk_formats", .mode = 0440, .fops = &printk_formats_fops, .only_top = true },
	{ .name = NULL },
};

static int __init trace_printk_init(void)
{
	trace_register_files(printk_files);
	return 0;
}
core_initcall(trace_printk_init);
