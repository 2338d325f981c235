/* trace_printk(): its entries, and where they go. */
#include "trace/core/trace_printk.h"

#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "trace/core/options.h"
#include "trace/core/write.h"

#define STACK_SKIP 1 /* frames: the function that trace_printk() calls */

/* The format of each call of trace_printk() or trace_puts(). NULL: the format is not constant. */
DEFINE_LINKER_TABLE(rodata, const char *const, trace_printk_formats);

/* [T] to write, RCU to read: the trace_array with the option trace_printk_dest. */
static struct trace_array *printk_trace = &global_trace;

int trace_printk_set_dest(struct trace_array *tr)
{
	int error = tr->name ? tracing_expand(tr) : 0;

	if (error)
		return error;
	printk_trace->trace_flags &= ~(u64)TRACE_ITER_TRACE_PRINTK;
	tr->trace_flags |= TRACE_ITER_TRACE_PRINTK;
	WRITE_ONCE(printk_trace, tr);
	return 0;
}

/* The trace_array to write to, or NULL: none. Preemption off. */
static struct trace_array *trace_printk_dest(void)
{
	struct trace_array *tr = READ_ONCE(printk_trace);

	return (READ_ONCE(tr->trace_flags) & TRACE_ITER_PRINTK) && tracing_is_on_tr(tr) ? tr : NULL;
}

/* ---- writing; preemption off; true: the entry is recorded ---- */

static bool write_text(struct trace_array *tr, unsigned long ip, const char *text, size_t length,
		       u32 ctx)
{
	struct trace_buffer *buffer;
	struct print_entry *entry = trace_buffer_lock_reserve(
		tr, TRACE_PRINT, sizeof(*entry) + length + 1, ctx, &buffer);

	if (!entry)
		return false;
	entry->ip = ip;
	memcpy(entry->buf, text, length);
	entry->buf[length] = '\0';
	trace_buffer_unlock_commit(buffer);
	return true;
}

static bool write_words(struct trace_array *tr, unsigned long ip, const char *fmt, const u32 *words,
			size_t count, u32 ctx)
{
	struct trace_buffer *buffer;
	struct bprint_entry *entry = trace_buffer_lock_reserve(
		tr, TRACE_BPRINT, sizeof(*entry) + count * sizeof(*words), ctx, &buffer);

	if (!entry)
		return false;
	entry->ip = ip;
	entry->fmt = fmt;
	memcpy(entry->buf, words, count * sizeof(*words));
	trace_buffer_unlock_commit(buffer);
	return true;
}

static bool vwrite_text(struct trace_array *tr, unsigned long ip, const char *fmt, va_list *args,
			u32 ctx)
{
	char *scratch = trace_scratch_get();
	bool written;

	if (!scratch)
		return false;
	written = write_text(tr, ip, scratch,
			     (size_t)vscnprintf(scratch, TRACE_SCRATCH_SIZE, fmt, *args), ctx);
	trace_scratch_put();
	return written;
}

/*
 * If the arguments do not fit in an entry, writes the text instead, cut to the maximum. The next
 * boot knows no addresses of this one: for it the text is written, too.
 */
static bool vwrite_words(struct trace_array *tr, unsigned long ip, const char *fmt, va_list *args,
			 u32 ctx)
{
	const size_t max = TRACE_SCRATCH_SIZE / sizeof(u32);
	bool written = false;
	u32 *scratch;
	size_t count;

	if (tr->persistent)
		return vwrite_text(tr, ip, fmt, args, ctx);
	scratch = trace_scratch_get();
	if (!scratch)
		return false;
	count = vbin_printf(scratch, max, fmt, *args);
	if (count <= max)
		written = write_words(tr, ip, fmt, scratch, count, ctx);
	trace_scratch_put();
	return count <= max ? written : vwrite_text(tr, ip, fmt, args, ctx);
}

/* args: NULL, and fmt is the text itself, for the two functions below. */
typedef bool vwrite_t(struct trace_array *tr, unsigned long ip, const char *fmt, va_list *args,
		      u32 ctx);

static bool write_string(struct trace_array *tr, unsigned long ip, const char *text,
			 va_list *args __unused, u32 ctx)
{
	return write_text(tr, ip, text, strnlen(text, TRACE_SCRATCH_SIZE), ctx);
}

static bool write_address(struct trace_array *tr, unsigned long ip, const char *text, va_list *args,
			  u32 ctx)
{
	struct trace_buffer *buffer;
	struct bputs_entry *entry;

	if (tr->persistent)
		return write_string(tr, ip, text, args, ctx);
	entry = trace_buffer_lock_reserve(tr, TRACE_BPUTS, sizeof(*entry), ctx, &buffer);
	if (!entry)
		return false;
	entry->ip = ip;
	entry->str = text;
	trace_buffer_unlock_commit(buffer);
	return true;
}

/* Write an event by means of vwrite, and the stack behind it if that is wanted. Inline: STACK_SKIP
 * counts one function. */
static __always_inline void vtrace_printk(vwrite_t *vwrite, unsigned long ip, const char *fmt,
					  va_list *args)
{
	u32 ctx = tracing_gen_ctx();
	struct trace_array *tr;

	preempt_disable_notrace();
	tr = trace_printk_dest();
	if (tr && vwrite(tr, ip, fmt, args, ctx))
		ftrace_trace_stack(tr, ctx, STACK_SKIP);
	preempt_enable_notrace();
}

void __trace_printk(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vtrace_printk(vwrite_text, (unsigned long)__builtin_return_address(0), fmt, &args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(__trace_printk);

void __trace_bprintk(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vtrace_printk(vwrite_words, (unsigned long)__builtin_return_address(0), fmt, &args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(__trace_bprintk);

void __trace_puts(const char *text)
{
	vtrace_printk(write_string, (unsigned long)__builtin_return_address(0), text, NULL);
}
EXPORT_SYMBOL_GPL(__trace_puts);

void __trace_bputs(const char *text)
{
	vtrace_printk(write_address, (unsigned long)__builtin_return_address(0), text, NULL);
}
EXPORT_SYMBOL_GPL(__trace_bputs);

bool trace_printk_is_constant(const char *text)
{
	for_each_linker_table_entry (fmt, trace_printk_formats) {
		if (text && *fmt == text)
			return true;
	}
	return false;
}

void (*module_formats_hook)(struct seq_file *m, trace_printk_show_t *show);

void trace_printk_show_formats(struct seq_file *m, trace_printk_show_t *show)
{
	for_each_linker_table_entry (fmt, trace_printk_formats) {
		if (*fmt)
			show(m, *fmt);
	}
	if (module_formats_hook)
		module_formats_hook(m, show);
}
