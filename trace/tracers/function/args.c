/* Prints the arguments of traced calls: by their types, if these are known, or as numbers. */
#include "trace/tracers/function/args.h"

#include "kernel/lib/string.h"
#include "trace/core/output.h"

const struct func_args_ops *func_args_ops __ro_after_init;

unsigned long next_arg_register(struct arg_registers *r)
{
	unsigned long value;

	memcpy(&value, r->args + r->next++ * sizeof(value), sizeof(value));
	return value;
}

void load_function_arg_types(void)
{
	if (func_args_ops)
		func_args_ops->load();
}

static void print_untyped(struct trace_seq *s, struct arg_registers *r)
{
	while (r->next < r->count) {
		trace_seq_puts(s, r->next ? ", " : "");
		trace_seq_printf(s, "0x%lx", next_arg_register(r));
	}
}

void print_function_args(struct trace_iterator *iter, unsigned long func, const void *args,
			 size_t size)
{
	struct arg_registers registers = { .args = args, .count = size / sizeof(unsigned long) };
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '(');
	if (registers.count && !iter->any_context)
		load_function_arg_types();
	if (!registers.count || !func_args_ops || !func_args_ops->print(s, func, &registers))
		print_untyped(s, &registers);
	trace_seq_putc(s, ')');
}
