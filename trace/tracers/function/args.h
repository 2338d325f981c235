/* Printing the arguments of traced calls: the options func-args and funcgraph-args. */
#pragma once

#include "trace/core/iterator.h"

/* The registers of a call, which need not be aligned, and how many of them have been printed. */
struct arg_registers {
	const u8 *args;
	size_t count, next;
};
unsigned long next_arg_register(struct arg_registers *r);

/*
 * The types of the kernel's functions. typed_args.c fills it in an initcall; NULL: the kernel has
 * no types, and arguments are numbers.
 */
struct func_args_ops {
	void (*load)(void); /* reads the types, before the first print. Task context. */
	/*
	 * Prints the arguments of a call of func, without the parentheses. False: its types are not
	 * known, and nothing is printed. Any context.
	 */
	bool (*print)(struct trace_seq *s, unsigned long func, struct arg_registers *r);
};
extern const struct func_args_ops *func_args_ops;

/* Reads the types, which a dump cannot do. Task context. */
void load_function_arg_types(void);
/*
 * Prints the arguments of a traced call of func, as "(fd=3, buf=0x7ffe00001000)". If the types of
 * func are not known, prints numbers: "(0x3, 0x7ffe00001000)". args: the registers, size bytes,
 * which need not be aligned. They are printed behind what iter->seq has.
 */
void print_function_args(struct trace_iterator *iter, unsigned long func, const void *args,
			 size_t size);
