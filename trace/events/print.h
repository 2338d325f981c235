/* Text of events: what TP_printk() and its words become. Any context. */
#pragma once

#include "trace/core/iterator.h"
#include "trace/core/output.h"

/* A value or a bit with its name. A NULL name ends a list. */
struct trace_print_flags {
	unsigned long mask;
	const char *name;
};

/* Prints "NAME: ", the name of the event, and the text. */
__printf(2, 3) enum print_line_t
	trace_event_printf(struct trace_iterator *iter, const char *fmt, ...);

/*
 * These functions return text that is valid until the line of the current entry is complete. The
 * text of one line has TRACE_ITER_TEXT_SIZE bytes together; what does not fit is left out.
 */
/*
 * The names of the bits that are set, with delim between them, and the other bits in hexadecimal.
 */
const char *trace_print_flags(struct trace_iterator *iter, unsigned long flags, const char *delim,
			      const struct trace_print_flags *names);
/* The name of value, or value in hexadecimal. */
const char *trace_print_symbolic(struct trace_iterator *iter, unsigned long value,
				 const struct trace_print_flags *names);
/* "12 34 56": bytes in hexadecimal. */
const char *trace_print_hex(struct trace_iterator *iter, const u8 *bytes, size_t count);
/*
 * Groups of 32 bits in hexadecimal, the highest first, with commas; a list such as 0,2-3 with the
 * option bitmask-list.
 */
const char *trace_print_bitmask(struct trace_iterator *iter, const void *mask, size_t size);
