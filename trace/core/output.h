/* Printing entries. Any context. */
#pragma once

#include "trace/core/events.h"
#include "trace/core/iterator.h"

/* The result of a print function: whether s had room for all that the function printed. */
static inline enum print_line_t trace_handle_return(const struct trace_seq *s)
{
	return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_HANDLED;
}

/* Prints the current entry into iter->seq, in the form that the options ask for. */
enum print_line_t print_trace_line(struct trace_iterator *iter);
/* The same with flags instead of the trace_flags of iter->tr. */
enum print_line_t print_trace_line_flags(struct trace_iterator *iter, u64 flags);
/*
 * Set by trace/events/print_fields.c, which has the option fields, else NULL: prints the values of
 * the current entry's fields.
 */
extern enum print_line_t (*trace_print_fields_hook)(struct trace_iterator *iter,
						    const struct trace_event *event);
/* Print the context at the start of a line, in the normal and in the latency format. */
void trace_print_context(struct trace_iterator *iter);
void trace_print_lat_context(struct trace_iterator *iter);
/*
 * Prints the five flags: irqs-off/BH-disabled, need-resched, hardirq/softirq, preempt-depth,
 * migrate-disable. The last is always '.', because migration is never disabled here.
 */
void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *entry);
/*
 * Prints a time, as at the start of a line: seconds, or the number of a clock that has no seconds.
 */
void trace_print_time(struct trace_iterator *iter, u64 ts);
/* Prints only the text of trace_printk() and trace_marker. TRACE_TYPE_UNHANDLED: another entry. */
enum print_line_t trace_print_printk_msg_only(struct trace_iterator *iter);
/* Returns the mark of a duration: ' ' up to 10 us, then + ! # * @ $ for each power of ten. */
char trace_delay_mark(u64 ns);
/* Prints the symbol of ip as the options sym-offset and sym-addr ask for. */
void seq_print_ip_sym(struct trace_seq *s, unsigned long ip, u64 trace_flags);

/* The print fmt of the entries kernel_stack and user_stack. */
#define KERNEL_STACK_PRINT_FMT                                                                     \
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> "                \
	"%ps\\n\" "                                                                                \
	"\"\\t=> %ps\\n\\t=> %ps\\n\", "                                                           \
	"(void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], "                 \
	"(void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], "                 \
	"(void *)REC->caller[6], (void *)REC->caller[7]"
