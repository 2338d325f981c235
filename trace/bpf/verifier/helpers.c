/*
 * Calls of helpers: whether this program may call this one, and what the result is.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

/* Whether this program may call the helper. */
static int check_helper(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	const struct bpf_func_proto *proto = call->proto;
	const char *name = bpf_func_name(call->func_id);

	if (call->func_id >= __BPF_FUNC_MAX_ID)
		return refuse(env, -EINVAL, "invalid func %s#%d\n", name, call->func_id);
	if (!proto)
		return refuse(env, -EINVAL, "unknown func %s#%d\n", name, call->func_id);
	if (!env->prog->gpl_compatible && proto->gpl_only)
		return refuse(env, -EINVAL,
			      "cannot call GPL-restricted function from non-GPL "
			      "compatible program\n");
	if (proto->allowed && !proto->allowed(env->prog))
		return refuse(env, -EINVAL, "helper call is not allowed in probe\n");
	if (!env->prog->sleepable && proto->may_sleep)
		return refuse(env, -EINVAL, "helper call might sleep in a non-sleepable prog\n");
	return 0;
}

/* Whether the helper takes this type of maps, and may write into this one for programs. */
static int check_map(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	u64 types = call->proto->map_types ?: BPF_MAPS_OF_VALUES;

	if (!call->map)
		return 0;
	if (!(types >> call->map->map_type & 1))
		return refuse(env, -EINVAL, "cannot pass map_type %d into func %s#%d\n",
			      call->map->map_type, bpf_func_name(call->func_id), call->func_id);
	if (call->map->map_flags & BPF_F_RDONLY_PROG && call->proto->writes_map)
		return refuse(env, -EACCES, "write into map forbidden\n");
	return 0;
}

static int set_btf_id(struct bpf_verifier_env *env, struct bpf_reg_state *r0,
		      const struct bpf_call *call)
{
	struct bpf_insn_aux_data *aux = &env->aux[env->insn_idx];

	if (!aux->ret_btf_id)
		aux->ret_btf_id = bpf_btf_find_struct(env->btf, call->proto->ret_btf_name);
	if (!aux->ret_btf_id)
		return refuse(env, -EINVAL, "invalid return type of func %s#%d\n",
			      bpf_func_name(call->func_id), call->func_id);
	mark_reg_pointer(r0, PTR_TO_BTF_ID);
	r0->btf_id = aux->ret_btf_id;
	return 0;
}

static int set_return_value(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];

	switch (call->proto->ret_type) {
	case RET_VOID:
		return 0;
	case RET_INTEGER:
		mark_reg_unknown(r0);
		return 0;
	case RET_SIZE:
		mark_reg_unknown(r0);
		r0->s.whole.smin = r0->s.half.smin = -4095;
		r0->s.whole.smax = r0->s.half.smax = (s32)call->max_size;
		scalar_sync(&r0->s);
		return 0;
	case RET_PTR_TO_BTF_ID:
		return set_btf_id(env, r0, call);
	case RET_PTR_TO_MAP_VALUE_OR_NULL:
		mark_reg_pointer(r0, PTR_TO_MAP_VALUE | PTR_MAYBE_NULL);
		r0->map_ptr = call->map;
		break;
	case RET_PTR_TO_ALLOC_MEM_OR_NULL:
		mark_reg_pointer(r0, PTR_TO_MEM | MEM_ALLOC | PTR_MAYBE_NULL);
		r0->mem_size = call->mem_size;
		break;
	}
	r0->id = ++env->id_gen;
	if (call->proto->ret_type == RET_PTR_TO_ALLOC_MEM_OR_NULL)
		return acquire_reference(env, r0);
	return 0;
}

/* One that succeeds ends the function: the other program returns to its caller, with any number. */
static int check_tail_call(struct bpf_verifier_env *env)
{
	int err = check_reference_leak(env, true);

	if (err)
		verbose(env, "tail_call would lead to reference leak\n");
	return err ?: end_function_here(env, false);
}

int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	struct bpf_call call = { .func_id = (u32)insn->imm };
	int err;

	call.proto = bpf_get_func_proto(call.func_id, env->prog);
	err = check_helper(env, &call);
	env->aux[env->insn_idx].proto = call.proto;
	for (u32 i = 0; i < MAX_BPF_FUNC_REG_ARGS && !err; i++)
		err = check_func_arg(env, i, &call);
	err = err ?: check_map(env, &call);
	if (err)
		return err;
	bpf_note_call_target(env, env->insn_idx, call.map);
	if (call.releases && release_reference(env, call.releases))
		return refuse(env, -EINVAL, "func %s#%d reference has not been acquired before\n",
			      bpf_func_name(call.func_id), call.func_id);
	if (env->aux[env->insn_idx].calls_callback)
		err = push_callback(env, &call);
	if (err)
		return err;
	clear_caller_saved_regs(cur_regs(env));
	return call.func_id == BPF_FUNC_tail_call ? check_tail_call(env)
						  : set_return_value(env, &call);
}
