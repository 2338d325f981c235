/*
 * trace_seq: a text buffer that is filled piece by piece. A piece that does not fit is omitted as a
 * whole, and the buffer is full from then on. The owner empties it and prints the line again. Any
 * context.
 */
#pragma once

#include "kernel/compiler.h"

#define TRACE_SEQ_SIZE 8192U /* enough for the longest entry and its context */

struct seq_file;

struct trace_seq {
	size_t len;     /* bytes in buffer */
	size_t readpos; /* bytes that a reader has taken */
	bool full;      /* a piece did not fit */
	char buffer[TRACE_SEQ_SIZE];
};

void trace_seq_init(struct trace_seq *s);
__printf(2, 3) void trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
__printf(2, 0) void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args);
/* The same, but %p alone prints the number that show_pointer returns for it. NULL: the address. */
__printf(2, 0) void trace_seq_vprintf_pointers(struct trace_seq *s, const char *fmt, va_list args,
					       unsigned long (*show_pointer)(unsigned long));
/* Prints arguments that vbin_printf() has packed into count words. */
__printf(2, 0) void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *words,
				      size_t count);
/* Prints text up to its NUL, at most max bytes. */
void trace_seq_puts_max(struct trace_seq *s, const char *text, size_t max);
void trace_seq_puts(struct trace_seq *s, const char *text);
void trace_seq_putc(struct trace_seq *s, char c);
void trace_seq_putmem(struct trace_seq *s, const void *mem, size_t len);
/* Prints the bytes of mem as a hexadecimal number, the highest byte first, and a blank. */
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, size_t len);
/* Returns whether a piece did not fit. */
static inline bool trace_seq_has_overflowed(const struct trace_seq *s)
{
	return s->full;
}
/* Moves the whole text to m. False: m is full, and the text stays. */
bool trace_print_seq(struct seq_file *m, struct trace_seq *s);
/* Copies at most count unread bytes to buf. -EBUSY: all bytes are read. */
ssize_t trace_seq_to_user(struct trace_seq *s, char *buf, size_t count);
