/* trace_seq: a text buffer that is filled piece by piece. */
#include "trace/core/trace_seq.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

#define HEX_BYTES_MAX 8

void trace_seq_init(struct trace_seq *s)
{
	s->len = s->readpos = 0;
	s->full = false;
}

void trace_seq_vprintf_pointers(struct trace_seq *s, const char *fmt, va_list args,
				unsigned long (*show_pointer)(unsigned long))
{
	size_t room = TRACE_SEQ_SIZE - s->len;
	int length;

	if (s->full)
		return;
	length = vsnprintf_pointers(s->buffer + s->len, room, fmt, args, show_pointer);
	if ((size_t)length >= room)
		s->full = true;
	else
		s->len += (size_t)length;
}

void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args)
{
	trace_seq_vprintf_pointers(s, fmt, args, NULL);
}

void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *words, size_t count)
{
	size_t room = TRACE_SEQ_SIZE - s->len;
	int length;

	if (s->full)
		return;
	length = bstr_printf(s->buffer + s->len, room, fmt, words, count);
	if ((size_t)length >= room)
		s->full = true;
	else
		s->len += (size_t)length;
}

void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	trace_seq_vprintf(s, fmt, args);
	va_end(args);
}
EXPORT_SYMBOL(trace_seq_printf);

void trace_seq_putmem(struct trace_seq *s, const void *mem, size_t len)
{
	if (s->full)
		return;
	if (len >= TRACE_SEQ_SIZE - s->len) {
		s->full = true;
		return;
	}
	memcpy(s->buffer + s->len, mem, len);
	s->len += len;
}

void trace_seq_puts(struct trace_seq *s, const char *text)
{
	trace_seq_putmem(s, text, strlen(text));
}
EXPORT_SYMBOL(trace_seq_puts);

void trace_seq_puts_max(struct trace_seq *s, const char *text, size_t max)
{
	trace_seq_putmem(s, text, strnlen(text, max));
}

void trace_seq_putc(struct trace_seq *s, char c)
{
	trace_seq_putmem(s, &c, 1);
}

void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, size_t len)
{
	const u8 *bytes = mem;

	while (len) {
		size_t part = min(len, (size_t)HEX_BYTES_MAX);

		for (size_t i = part; i-- > 0;)
			trace_seq_printf(s, "%02x", bytes[i]);
		trace_seq_putc(s, ' ');
		bytes += part;
		len -= part;
	}
}

bool trace_print_seq(struct seq_file *m, struct trace_seq *s)
{
	if (seq_write(m, s->buffer, s->len))
		return false;
	trace_seq_init(s);
	return true;
}

ssize_t trace_seq_to_user(struct trace_seq *s, char *buf, size_t count)
{
	size_t part = min(s->len - s->readpos, count);

	if (!count)
		return 0;
	if (!part)
		return -EBUSY;
	memcpy(buf, s->buffer + s->readpos, part);
	s->readpos += part;
	return (ssize_t)part;
}
