/*
 * TRACING programs: at tracepoints (tp_btf), at the entry and return of functions (fentry, fexit,
 * fmod_ret), and for each object of an iterator. The context is the arguments, a word each, with
 * the types that the kernel's BTF gives: a pointer to a structure may be followed. Pure.
 */
#include "kernel/btf/btf.h"
#include "kernel/lib/string.h"
#include "trace/bpf/helpers/helpers.h"

static bool at_function(const struct bpf_prog *prog)
{
	return prog->expected_attach_type == BPF_TRACE_FENTRY ||
	       prog->expected_attach_type == BPF_TRACE_FEXIT ||
	       prog->expected_attach_type == BPF_MODIFY_RETURN;
}

/* Functions in which d_path() takes no lock that is held there. Linux's list. */
static bool d_path_allowed(const struct bpf_prog *prog)
{
	static const char *const names[] = { "vfs_truncate", "vfs_fallocate", "dentry_open",
					     "vfs_getattr", "filp_close" };

	if (prog->expected_attach_type == BPF_TRACE_ITER)
		return true;
	if (!at_function(prog) || !prog->attach_func_name)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], prog->attach_func_name))
			return true;
	return false;
}

/* clang-format off */
static const struct bpf_helper helpers[] = {
	BPF_HELPER(d_path, BPF_ARGS(ARG_PTR_TO_BTF_ID, ARG_PTR_TO_MEM, ARG_CONST_SIZE_OR_ZERO),
		   .arg_btf_name = { "path" }, .allowed = d_path_allowed),
	BPF_HELPER_AS(get_func_ip, bpf_get_func_ip_args, .gpl_only = true,
		      BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
static const struct bpf_helper function_helpers[] = {
	BPF_HELPER_AS(get_attach_cookie, bpf_get_attach_cookie_args, BPF_ARGS(ARG_PTR_TO_CTX)),
	BPF_HELPER(get_func_arg, BPF_ARGS(ARG_PTR_TO_CTX, ARG_ANYTHING, ARG_PTR_TO_LONG)),
	BPF_HELPER(get_func_ret, BPF_ARGS(ARG_PTR_TO_CTX, ARG_PTR_TO_LONG)),
	BPF_HELPER(get_func_arg_cnt, BPF_ARGS(ARG_PTR_TO_CTX)),
	{ .id = 0 },
};
static const struct bpf_helper iter_helpers[] = {
	BPF_HELPER(get_task_stack, .ret_type = RET_SIZE,
		   BPF_ARGS(ARG_PTR_TO_BTF_ID, ARG_MEM_OUT, ARG_CONST_SIZE_OR_ZERO, ARG_ANYTHING),
		   .arg_btf_name = { "task_struct" }),
	BPF_HELPER(seq_printf, .gpl_only = true,
		   BPF_ARGS(ARG_PTR_TO_BTF_ID, ARG_MEM_IN, ARG_CONST_SIZE,
			    ARG_MEM_IN | ARG_MAYBE_NULL, ARG_CONST_SIZE_OR_ZERO),
		   .arg_btf_name = { "seq_file" }),
	BPF_HELPER(seq_write, .gpl_only = true,
		   BPF_ARGS(ARG_PTR_TO_BTF_ID, ARG_MEM_IN, ARG_CONST_SIZE_OR_ZERO),
		   .arg_btf_name = { "seq_file" }),
	{ .id = 0 },
};
/* clang-format on */

static const struct bpf_func_proto *get_func_proto(u32 id, const struct bpf_prog *prog)
{
	const struct bpf_func_proto *proto = NULL;

	if (at_function(prog))
		proto = bpf_find_helper(function_helpers, id);
	else if (prog->expected_attach_type == BPF_TRACE_ITER)
		proto = bpf_find_helper(iter_helpers, id);
	/* Only trampolines know the address of the function. */
	if (id == BPF_FUNC_get_func_ip && !at_function(prog))
		return NULL;
	if (!proto)
		proto = bpf_find_helper(helpers, id);
	return proto ? proto : bpf_find_tracing_helper(bpf_args_helpers, id);
}

/*
 * The number of the argument in a word of the context, whose type it sets. A structure that is
 * passed by value takes several words. Behind the last argument is the result, with the number of
 * arguments; behind that nothing: -1.
 */
static int find_argument(const struct btf *btf, const struct btf_type *proto, bool skip_first,
			 u32 word, u32 *type)
{
	const struct btf_param *params = btf_params(proto);
	u32 nr = btf_vlen(proto);

	for (u32 i = skip_first; i < nr; i++) {
		const struct btf_type *t = btf_type_skip_modifiers(btf, params[i].type, NULL);
		u32 words = t && btf_kind(t) == BTF_KIND_STRUCT ? DIV_ROUND_UP(t->size, 8U) : 1;

		*type = params[i].type;
		if (word < words)
			return (int)(i - skip_first);
		word -= words;
	}
	*type = proto->type;
	return word ? -1 : (int)(nr - skip_first);
}

/*
 * Fills in *aux for a word that has this type. False: no such word may be read. An iterator's void
 * * is the key or the value of an element.
 */
static bool check_type(const struct btf *btf, u32 type, bool iterates,
		       struct bpf_insn_access_aux *aux)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, type, NULL), *target;
	u32 id;

	if (!t)
		return false;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_STRUCT:
		return true;
	case BTF_KIND_PTR:
		break;
	default:
		return false;
	}
	target = btf_type_skip_modifiers(btf, t->type, &id);
	if (!target && iterates)
		aux->kind = BPF_CTX_BUF;
	if (!target || btf_kind(target) == BTF_KIND_INT)
		return true; /* nothing may be read through the pointer to an int */
	if (btf_kind(target) != BTF_KIND_STRUCT)
		return false;
	aux->kind = BPF_CTX_BTF_ID;
	aux->btf_id = id;
	return true;
}

static bool is_valid_access(int off, int size, bool write, const struct bpf_prog *prog,
			    struct bpf_insn_access_aux *aux)
{
	const struct btf_type *proto = prog->attach_func_proto;
	const struct btf *btf = prog->attach_types;
	bool raw_tp = prog->expected_attach_type == BPF_TRACE_RAW_TP;
	bool iterates = prog->expected_attach_type == BPF_TRACE_ITER;
	u32 type;
	int number;

	if (!bpf_is_valid_args_access(off, size, write) || off % 8 || !btf || !proto)
		return false;
	number = find_argument(btf, proto, raw_tp, (u32)off / 8, &type);
	if (number < 0)
		return false;
	if ((u32)number == btf_vlen(proto) - raw_tp) {
		if (prog->expected_attach_type != BPF_TRACE_FEXIT &&
		    prog->expected_attach_type != BPF_MODIFY_RETURN)
			return false;
		aux->untrusted = true; /* perhaps an errno */
	}
	/* When a function returns, it may have given up what its arguments pointed to. */
	if (prog->expected_attach_type == BPF_TRACE_FEXIT)
		aux->untrusted = true;
	/* An object of an iterator may be NULL: at the end, and where there is none. */
	aux->maybe_null = iterates && number;
	return check_type(btf, type, iterates, aux);
}

static bool retval_range(const struct bpf_prog *prog, s32 *min, s32 *max)
{
	*min = 0;
	*max = prog->expected_attach_type == BPF_TRACE_ITER;
	return prog->expected_attach_type == BPF_TRACE_FENTRY ||
	       prog->expected_attach_type == BPF_TRACE_FEXIT ||
	       prog->expected_attach_type == BPF_TRACE_ITER;
}

const struct bpf_prog_type_ops bpf_tracing_ops = {
	.type = BPF_PROG_TYPE_TRACING,
	.name = "tracing",
	.get_func_proto = get_func_proto,
	.is_valid_access = is_valid_access,
	.check_attach = bpf_check_attach_target,
	.ctx_size = 8 * MAX_BPF_FUNC_ARGS,
	.retval_range = retval_range,
};
