/*
 * trace_printk(): print into the trace, as printk() would into the log, at a small part of its cost. For
 * any kernel code that is being looked at. Shows as `function: text`. Any context, NMI included; returns the
 * length of the text, 0 when tracing is off. Documentation/trace/ftrace.rst, "trace_printk".
 */
#pragma once

#include "kernel/compiler.h"

int __trace_printk(unsigned long ip, const char *fmt, ...) __printf(2, 3);
int __trace_puts(unsigned long ip, const char *text, size_t length);

#define _THIS_IP_                                                                                  \
	({                                                                                         \
		__label__ __here;                                                                  \
__here:                                                                                            \
		(unsigned long)&&__here;                                                           \
	})
#define trace_printk(fmt, ...) __trace_printk(_THIS_IP_, fmt, ##__VA_ARGS__)
#define trace_puts(text)       __trace_puts(_THIS_IP_, text, __builtin_strlen(text))
/* The callers of this place into the trace, less skip of them. Any context. */
void trace_dump_stack(unsigned skip);
/* The switch behind the file tracing_on, for code that has found what it looked for. Any context. */
void tracing_on(void);
void tracing_off(void);
int tracing_is_on(void);
