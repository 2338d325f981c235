/*
 * trace_printk(): print into the trace, as printk() would into the log, at a small part of its
 * cost. For any kernel code that is being looked at: the line shows as `caller: text`. Any context,
 * NMI included. Documentation/trace/ftrace.rst, "trace_printk".
 *
 * A constant format stays where it is in the image: the entry holds its address and the arguments
 * (bprint), or just the address of a text without arguments (bputs), and becomes text when it is
 * read. The file printk_formats tells these addresses to programs that read trace_pipe_raw. What is
 * not constant is printed at once (print).
 */
#pragma once

#include "kernel/linker_table.h"

/* The address of a format or text that is in the image, in the list behind printk_formats. */
#define __trace_constant(text)                                                                     \
	({                                                                                         \
		static const char *const __trace_text LINKER_TABLE_ENTRY(                          \
			rodata, trace_printk_formats, "") =                                        \
			__builtin_constant_p(text) ? (text) : NULL;                                \
		__trace_text;                                                                      \
	})

/* fmt as for printk(), with its newline. Without arguments a % is an ordinary character. */
#define trace_printk(fmt, ...)                                                                     \
	do {                                                                                       \
		const char *const __constant = __trace_constant(fmt);                              \
                                                                                                   \
		if (sizeof("" #__VA_ARGS__) == 1)                                                  \
			__trace_puts_any(__constant, fmt);                                         \
		else if (!__builtin_constant_p(fmt))                                               \
			__trace_printk(fmt, ##__VA_ARGS__);                                        \
		else if (__trace_printk_check(fmt, ##__VA_ARGS__))                                 \
			__trace_bprintk(__constant, ##__VA_ARGS__);                                \
	} while (0)

#define trace_puts(text) __trace_puts_any(__trace_constant(text), text)

/* Behind the macros. fmt and text of the first two have to live as long as the kernel. */
#define __trace_puts_any(constant, text)                                                           \
	(__builtin_constant_p(text) ? __trace_bputs(constant) : __trace_puts(text))
/* True, when the compiler has seen that the arguments are what fmt says. */
static inline bool __printf(1, 2) __trace_printk_check(const char *fmt __unused, ...)
{
	return true;
}
void __trace_bprintk(const char *fmt, ...);
void __trace_bputs(const char *text);
void __trace_printk(const char *fmt, ...) __printf(1, 2);
void __trace_puts(const char *text);

/* The switch behind the file tracing_on, for code that has found what it looked for. Any context.
 */
void tracing_on(void);
void tracing_off(void);
int tracing_is_on(void);
