/* Text of events: the name, flags, symbols. */
#include "trace/events/print.h"

#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/random/hash_pointer.h"
#include "trace/core/events.h"
#include "trace/core/options.h"

enum print_line_t trace_event_printf(struct trace_iterator *iter, const char *fmt, ...)
{
	const struct trace_event *event = ftrace_find_event(iter->ent->type);
	va_list args;

	trace_seq_printf(&iter->seq, "%s: ", event ? event->name : "?");
	va_start(args, fmt);
	trace_seq_vprintf_pointers(&iter->seq, fmt, args,
				   trace_iter_flags(iter) & TRACE_ITER_HASH_PTR ? hash_pointer
										: NULL);
	va_end(args);
	return trace_handle_return(&iter->seq);
}
EXPORT_SYMBOL_GPL(trace_event_printf);

/* ---- pieces of text in iter->text ---- */

__printf(2, 3) static void add(struct trace_iterator *iter, const char *fmt, ...)
{
	size_t room = sizeof(iter->text) - iter->text_len;
	va_list args;

	va_start(args, fmt);
	iter->text_len += (size_t)vscnprintf(iter->text + iter->text_len, room, fmt, args);
	va_end(args);
}

/* Ends the piece that begins at start. The next piece begins behind its NUL. */
static const char *finish(struct trace_iterator *iter, size_t start)
{
	if (iter->text_len < sizeof(iter->text) - 1)
		iter->text_len++;
	iter->text[iter->text_len] = '\0';
	return iter->text + start;
}

const char *trace_print_flags(struct trace_iterator *iter, unsigned long flags, const char *delim,
			      const struct trace_print_flags *names)
{
	size_t start = iter->text_len;
	const char *between = "";

	add(iter, "%s", "");
	for (; names->name && flags; names++) {
		if ((flags & names->mask) != names->mask || !names->mask)
			continue;
		add(iter, "%s%s", between, names->name);
		flags &= ~names->mask;
		between = delim;
	}
	if (flags)
		add(iter, "%s0x%lx", between, flags);
	return finish(iter, start);
}
EXPORT_SYMBOL_GPL(trace_print_flags);

const char *trace_print_symbolic(struct trace_iterator *iter, unsigned long value,
				 const struct trace_print_flags *names)
{
	size_t start = iter->text_len;

	while (names->name && names->mask != value)
		names++;
	if (names->name)
		add(iter, "%s", names->name);
	else
		add(iter, "0x%lx", value);
	return finish(iter, start);
}
EXPORT_SYMBOL_GPL(trace_print_symbolic);

const char *trace_print_hex(struct trace_iterator *iter, const u8 *bytes, size_t count)
{
	size_t start = iter->text_len;

	add(iter, "%s", "");
	for (size_t i = 0; i < count; i++)
		add(iter, "%s%02x", i ? " " : "", bytes[i]);
	return finish(iter, start);
}
EXPORT_SYMBOL_GPL(trace_print_hex);

static struct trace_flag bitmask_list = { .name = "bitmask-list" };

const char *trace_print_bitmask(struct trace_iterator *iter, const void *mask, size_t size)
{
	const u32 *words = mask;
	size_t start = iter->text_len;

	add(iter, "%s", "");
	if (trace_iter_flags(iter) & bitmask_list.mask) {
		struct cpumask cpus = { { 0 } }; /* a larger mask is cut */

		memcpy(&cpus, mask, min(size, sizeof(cpus)));
		iter->text_len += (size_t)cpulist_print(iter->text + iter->text_len,
							sizeof(iter->text) - iter->text_len, &cpus);
		return finish(iter, start);
	}
	for (size_t i = size / sizeof(*words); i-- > 0;)
		add(iter, "%08x%s", words[i], i ? "," : "");
	return finish(iter, start);
}
EXPORT_SYMBOL_GPL(trace_print_bitmask);

static int __init print_init(void)
{
	return register_trace_flag(&bitmask_list);
}
core_initcall(print_init);
