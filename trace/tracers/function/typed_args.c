/*
 * Prints the arguments of traced calls (options func-args and funcgraph-args), by the types of the
 * kernel's functions: pointers and unsigned numbers in hexadecimal, signed ones in decimal, as
 * later Linux does.
 *
 * The registers hold an argument each, in the order of the System V ABI, AMD64 supplement, 3.2.3: a
 * structure of up to 16 bytes is in one or two of them, a larger one is on the stack, which is not
 * recorded.
 */
#include "kernel/btf/btf.h"
#include "kernel/init.h"
#include "trace/tracers/function/args.h"

/* The caller leaves any bits above those of the type. */
static void print_integer(struct trace_seq *s, unsigned long value, u32 size, bool is_signed)
{
	unsigned unused = size && size < sizeof(value) ? 64 - 8 * size : 0;

	if (is_signed)
		trace_seq_printf(s, "%ld", (long)(value << unused) >> unused);
	else
		trace_seq_printf(s, "0x%lx", value << unused >> unused);
}

static void print_structure(struct trace_seq *s, const struct btf_type *t, struct arg_registers *r)
{
	size_t words = DIV_ROUND_UP(t->size, sizeof(unsigned long));

	trace_seq_printf(s, "(%s)[", btf_kind(t) == BTF_KIND_UNION ? "UNION" : "STRUCT");
	if (words > 2 || r->next + words > r->count)
		trace_seq_puts(s, "...");
	else
		for (size_t i = 0; i < words; i++)
			trace_seq_printf(s, "%s0x%lx", i ? ":" : "", next_arg_register(r));
	trace_seq_putc(s, ']');
}

static void print_value(struct trace_seq *s, const struct btf_type *t, struct arg_registers *r)
{
	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		print_integer(s, next_arg_register(r), t->size, btf_int_is_signed(t));
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		print_integer(s, next_arg_register(r), t->size, true);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		print_structure(s, t, r);
		break;
	default:
		print_integer(s, next_arg_register(r), sizeof(unsigned long), false);
		break;
	}
}

static void print_typed(struct trace_seq *s, const struct btf *btf, const struct btf_type *proto,
			struct arg_registers *r)
{
	const struct btf_param *param = btf_params(proto);
	bool variadic = btf_is_variadic(proto);
	u32 count = btf_vlen(proto) - variadic;

	for (u32 i = 0; i < count; i++, param++) {
		const char *name = btf_name_by_offset(btf, param->name_off);

		if (i)
			trace_seq_puts(s, ", ");
		if (r->next == r->count) {
			trace_seq_puts(s, "...");
			return;
		}
		if (*name)
			trace_seq_printf(s, "%s=", name);
		print_value(s, btf_type_skip_modifiers(btf, param->type, NULL), r);
	}
	if (variadic)
		trace_seq_puts(s, count ? ", ..." : "...");
}

static bool print_args(struct trace_seq *s, unsigned long func, struct arg_registers *r)
{
	const struct btf_type *proto = btf_proto_at(func);

	if (proto)
		print_typed(s, btf_vmlinux(), proto, r);
	return proto;
}

static const struct func_args_ops typed_args = { .load = btf_vmlinux_load, .print = print_args };

static int __init typed_args_init(void)
{
	func_args_ops = &typed_args;
	return 0;
}
core_initcall(typed_args_init);
