/*
 * trace_printk(): prints into the trace, at a small part of the cost of printk(). For debugging any
 * kernel code: the line shows as `caller: text`. Any context, NMI included.
 * Documentation/trace/ftrace.rst, "trace_printk".
 *
 * A constant format stays in the image. The entry holds its address and the arguments (bprint), or
 * only the address of a text without arguments (bputs), and is printed as text when it is read. The
 * file printk_formats lists these addresses for programs that read trace_pipe_raw. A format that is
 * not constant is printed at once (print).
 */
#pragma once

#include "kernel/linker_table.h"

struct seq_file;
struct trace_array;

/*
 * Puts the address of a constant text into the list of printk_formats. Returns it, or NULL. In a
 * module the list is writable, and the address is loaded from it: the kernel has replaced it by
 * that of a copy, which stays when the module goes.
 */
#ifdef MODULE
#define __trace_constant(text)                                                                     \
	({                                                                                         \
		static const char *__trace_text LINKER_TABLE_ENTRY(data, trace_printk_formats,     \
								   "") =                           \
			__builtin_constant_p(text) ? (text) : NULL;                                \
		READ_ONCE(__trace_text);                                                           \
	})
#else
#define __trace_constant(text)                                                                     \
	({                                                                                         \
		static const char *const __trace_text LINKER_TABLE_ENTRY(                          \
			rodata, trace_printk_formats, "") =                                        \
			__builtin_constant_p(text) ? (text) : NULL;                                \
		__trace_text;                                                                      \
	})
#endif

/* fmt: as for printk(), with a newline. Without arguments, % is an ordinary character. */
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

/* Returns whether text is a constant of trace_printk() in the kernel's image. Any context. */
bool trace_printk_is_constant(const char *text);

/* Shows one format. Task context. */
typedef void trace_printk_show_t(struct seq_file *m, const char *fmt);
/* Calls show() for each format of the kernel and of modules. Task context. */
void trace_printk_show_formats(struct seq_file *m, trace_printk_show_t *show);
/*
 * trace/core/module_formats.c sets it in a core initcall: calls show() for each format of modules.
 * NULL: there are no modules. Task context.
 */
extern void (*module_formats_hook)(struct seq_file *m, trace_printk_show_t *show);

/*
 * Makes tr the trace_array that trace_printk() writes to, the one with the option
 * trace_printk_dest. 0, or -ENOMEM for an instance. T held.
 */
int trace_printk_set_dest(struct trace_array *tr);

/* For the macros only. fmt and text of the first two must never be freed. */
#define __trace_puts_any(constant, text)                                                           \
	(__builtin_constant_p(text) ? __trace_bputs(constant) : __trace_puts(text))
/* True. The compiler checks the arguments against fmt. */
static inline bool __printf(1, 2) __trace_printk_check(const char *fmt __unused, ...)
{
	return true;
}
void __trace_bprintk(const char *fmt, ...);
void __trace_bputs(const char *text);
void __trace_printk(const char *fmt, ...) __printf(1, 2);
void __trace_puts(const char *text);

/* Set and read tracing_on, for example to keep the trace of an error. Any context. */
void tracing_on(void);
void tracing_off(void);
int tracing_is_on(void);
