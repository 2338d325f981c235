/*
 * trace_seq: a buffer of text that is printed into piece by piece. What does not fit as a whole is
 * left out, and the sequence is full from then on: the owner empties it and prints the line again.
 * Any context.
 */
#pragma once

#include "kernel/compiler.h"

#define TRACE_SEQ_SIZE 8192U /* the longest entry and its context fit */

struct seq_file;

struct trace_seq {
	size_t len;     /* bytes in buffer */
	size_t readpos; /* of them, already given to a reader */
	bool full;      /* something did not fit */
	char buffer[TRACE_SEQ_SIZE];
};

void trace_seq_init(struct trace_seq *s);
__printf(2, 3) void trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
__printf(2, 0) void trace_seq_vprintf(struct trace_seq *s, const char *fmt, va_list args);
/* What vbin_printf() has packed into count words. */
__printf(2, 0) void trace_seq_bprintf(struct trace_seq *s, const char *fmt, const u32 *words,
				      size_t count);
/* At most max bytes of text, up to its NUL. */
void trace_seq_puts_max(struct trace_seq *s, const char *text, size_t max);
void trace_seq_puts(struct trace_seq *s, const char *text);
void trace_seq_putc(struct trace_seq *s, char c);
void trace_seq_putmem(struct trace_seq *s, const void *mem, size_t len);
/* The bytes of mem as one number in memory's order, the highest first, and a blank. */
void trace_seq_putmem_hex(struct trace_seq *s, const void *mem, size_t len);
/* Something did not fit, or there is no room for more. */
static inline bool trace_seq_has_overflowed(const struct trace_seq *s)
{
	return s->full;
}
/* All of it into m, then empty. False when m is full. */
bool trace_print_seq(struct seq_file *m, struct trace_seq *s);
/* At most count bytes of what was not read yet to buf; -EBUSY when there is none. */
ssize_t trace_seq_to_user(struct trace_seq *s, char *buf, size_t count);
