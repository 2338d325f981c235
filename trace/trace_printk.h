/*
 * trace_printk(): print into the trace, as printk() would into the log, at a small part of its
 * cost. For any kernel code that is being looked at: the line shows as `caller: text`. Any context,
 * NMI included. Documentation/trace/ftrace.rst, "trace_printk".
 */
#pragma once

#include "kernel/compiler.h"

/* fmt as for printk(), with its newline; it need not live on. The length of the text, 0 when
 * tracing is off. */
int trace_printk(const char *fmt, ...) __printf(1, 2);
int trace_puts(const char *text);
/* The callers of this place into the trace, less skip of them. Any context. */
void trace_dump_stack(unsigned skip);
/* The switch behind the file tracing_on, for code that has found what it looked for. Any context.
 */
void tracing_on(void);
void tracing_off(void);
int tracing_is_on(void);
