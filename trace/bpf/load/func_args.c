/*
 * What a function of the program expects and returns, by the program's BTF.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/verifier/verifier.h"

/* Where lines are known, a line begins at each function. Both are in order. */
static int check_line_info(struct bpf_verifier_env *env)
{
	const struct bpf_line_info *lines = env->prog->line_info;
	u32 subprog = 0, count = env->prog->nr_line_info;

	for (u32 i = 0; i < count && subprog < env->nr_subprogs; i++) {
		u32 insn = lines[i].insn_off;

		if (env->subprogs[subprog].start < insn)
			return refuse(env, -EINVAL, "missing bpf_line_info for func#%u\n", subprog);
		subprog += env->subprogs[subprog].start == insn;
	}
	if (!count || subprog == env->nr_subprogs)
		return 0;
	return refuse(env, -EINVAL, "missing bpf_line_info for %u funcs starting from func#%u\n",
		      env->nr_subprogs - subprog, subprog);
}

/* The types are FUNCs, in order: syscall/debug_info.c. */
int bpf_check_func_info(struct bpf_verifier_env *env)
{
	const struct bpf_func_info *info = env->prog->func_info;

	if (env->prog->nr_func_info && env->prog->nr_func_info != env->nr_subprogs)
		return refuse(env, -EINVAL,
			      "number of funcs in func_info doesn't match number of subprogs\n");
	for (u32 i = 0; i < env->prog->nr_func_info; i++) {
		struct bpf_subprog_info *subprog = &env->subprogs[i];
		const struct btf *btf = &env->prog->btf->btf;
		const struct btf_type *func = btf_type_by_id(btf, info[i].type_id);

		if (subprog->start != info[i].insn_off)
			return refuse(env, -EINVAL,
				      "func_info BTF section doesn't match subprog layout in BPF "
				      "program\n");
		subprog->name = btf_name_by_offset(btf, func->name_off);
		subprog->is_global = btf_vlen(func) == BTF_FUNC_GLOBAL;
		subprog->proto = btf_type_by_id(btf, func->type);
		if (!subprog->proto || btf_kind(subprog->proto) != BTF_KIND_FUNC_PROTO)
			return -EINVAL;
	}
	return check_line_info(env);
}

static bool is_number(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_INT || btf_kind(t) == BTF_KIND_ENUM ||
		     btf_kind(t) == BTF_KIND_ENUM64);
}

bool bpf_returns_number(const struct btf *btf, const struct btf_type *proto)
{
	return is_number(btf_type_skip_modifiers(btf, proto->type, NULL));
}

/* The names of the contexts, as programs in C have them. */
static const struct {
	enum bpf_prog_type type;
	const char *name;
} ctx_types[] = {
	{ BPF_PROG_TYPE_SOCKET_FILTER, "__sk_buff" },
	{ BPF_PROG_TYPE_KPROBE, "bpf_user_pt_regs_t" },
	{ BPF_PROG_TYPE_KPROBE, "pt_regs" },
	{ BPF_PROG_TYPE_PERF_EVENT, "bpf_perf_event_data" },
	{ BPF_PROG_TYPE_RAW_TRACEPOINT, "bpf_raw_tracepoint_args" },
};

/* Whether a pointer to this type, or to what it is a typedef of, is the program's context. */
static bool is_ctx_type(const struct bpf_prog *prog, const struct btf *btf, u32 type_id)
{
	const struct btf_type *t = btf_type_by_id(btf, type_id);
	const struct btf_type *target = btf_type_skip_modifiers(btf, type_id, NULL);

	for (u32 i = 0; t && target && i < ARRAY_SIZE(ctx_types); i++)
		if (ctx_types[i].type == prog->type &&
		    (!strcmp(ctx_types[i].name, btf_name_by_offset(btf, t->name_off)) ||
		     !strcmp(ctx_types[i].name, btf_name_by_offset(btf, target->name_off))))
			return true;
	return false;
}

int bpf_get_func_args(struct bpf_verifier_env *env, u32 subprog, struct bpf_func_arg *arg, u32 *nr)
{
	const struct btf_type *proto = env->subprogs[subprog].proto;
	const char *name = env->subprogs[subprog].name;
	const struct btf *btf;

	if (!proto)
		return -EINVAL;
	btf = &env->prog->btf->btf;
	*nr = btf_vlen(proto);
	if (*nr > MAX_BPF_FUNC_REG_ARGS)
		return refuse(env, -EINVAL,
			      "Global function %s() with %u > %d args. Buggy compiler.\n", name,
			      *nr, MAX_BPF_FUNC_REG_ARGS);
	if (!bpf_returns_number(btf, proto))
		return refuse(
			env, -EINVAL,
			"Global function %s() doesn't return scalar. Only those are supported.\n",
			name);
	for (u32 i = 0; i < *nr; i++) {
		const struct btf_type *t =
			btf_type_skip_modifiers(btf, btf_params(proto)[i].type, NULL);

		arg[i].mem_size = 0;
		if (is_number(t)) {
			arg[i].kind = BPF_FUNC_ARG_SCALAR;
		} else if (t && btf_kind(t) == BTF_KIND_PTR &&
			   is_ctx_type(env->prog, btf, t->type)) {
			arg[i].kind = BPF_FUNC_ARG_CTX;
		} else if (t && btf_kind(t) == BTF_KIND_PTR && bpf_btf_type_size(btf, t->type)) {
			arg[i].kind = BPF_FUNC_ARG_MEM;
			arg[i].mem_size = bpf_btf_type_size(btf, t->type);
		} else {
			return refuse(env, -EINVAL, "Arg#%u type in %s() is not supported yet.\n",
				      i, name);
		}
	}
	return 0;
}
