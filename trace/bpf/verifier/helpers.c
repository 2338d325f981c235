/*
 * Calls of helpers: whether this program may call this one, and what the result is.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/calls.h"

static const struct bpf_func_proto *find_proto(struct bpf_verifier_env *env, s32 func_id)
{
	const struct bpf_func_proto *proto = NULL;

	if (func_id < 0 || func_id >= __BPF_FUNC_MAX_ID) {
		verbose(env, "invalid func %s#%d\n", bpf_func_name((u32)func_id), func_id);
		return NULL;
	}
	if (env->ops->get_func_proto)
		proto = env->ops->get_func_proto((u32)func_id, env->prog);
	if (!proto) {
		verbose(env, "unknown func %s#%d\n", bpf_func_name((u32)func_id), func_id);
		return NULL;
	}
	if (!env->prog->gpl_compatible && proto->gpl_only) {
		verbose(env, "cannot call GPL-restricted function from non-GPL compatible "
			     "program\n");
		return NULL;
	}
	if (proto->allowed && !proto->allowed(env->prog)) {
		verbose(env, "helper call is not allowed in probe\n");
		return NULL;
	}
	if (!env->prog->sleepable && proto->may_sleep) {
		verbose(env, "helper call might sleep in a non-sleepable prog\n");
		return NULL;
	}
	return proto;
}

/* Programs do not write into a map that is read-only for them. */
static int check_rdonly_map(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	switch (call->func_id) {
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem:
	case BPF_FUNC_map_push_elem:
	case BPF_FUNC_map_pop_elem:
		if (!(call->map->map_flags & BPF_F_RDONLY_PROG))
			return 0;
		return refuse(env, -EACCES, "write into map forbidden\n");
	default:
		return 0;
	}
}

static int release_argument(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	int err = call->releases ? release_reference(env, call->ref_obj_id) : 0;

	if (err)
		verbose(env, "func %s#%d reference has not been acquired before\n",
			bpf_func_name(call->func_id), call->func_id);
	return err;
}

/* Helpers that write text or addresses return how many bytes that was, or an errno. */
static void refine_size(struct bpf_reg_state *r0, const struct bpf_call *call)
{
	switch (call->func_id) {
	case BPF_FUNC_get_stack:
	case BPF_FUNC_get_task_stack:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		r0->s.smin = r0->s.s32_min = -4095;
		r0->s.smax = r0->s.s32_max = (s32)call->max_size;
		scalar_sync(&r0->s);
		break;
	default:
		break;
	}
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
		refine_size(r0, call);
		return 0;
	case RET_PTR_TO_BTF_ID:
		return set_btf_id(env, r0, call);
	case RET_PTR_TO_MAP_VALUE_OR_NULL:
		mark_reg_pointer(r0, PTR_TO_MAP_VALUE | PTR_MAYBE_NULL);
		r0->map_ptr = call->map;
		r0->map_uid = call->map_uid;
		break;
	case RET_PTR_TO_ALLOC_MEM_OR_NULL:
		mark_reg_pointer(r0, PTR_TO_MEM | MEM_ALLOC | PTR_MAYBE_NULL);
		r0->mem_size = call->mem_size;
		break;
	}
	r0->id = ++env->id_gen;
	return 0;
}

/* A record that was reserved is a reference: one id for the register and for the reference. */
static int acquire_result(struct bpf_verifier_env *env, u32 insn_idx, const struct bpf_call *call)
{
	int id;

	if (call->proto->ret_type != RET_PTR_TO_ALLOC_MEM_OR_NULL)
		return 0;
	id = acquire_reference(env, insn_idx);
	if (id < 0)
		return id;
	cur_regs(env)[BPF_REG_0].id = cur_regs(env)[BPF_REG_0].ref_obj_id = (u32)id;
	return 0;
}

/*
 * A tail call that succeeds in a function that was called ends this function: the other program
 * returns to the function's caller, with any number. So there are two ways from here, of which the
 * first one is walked later: that the tail call fails.
 */
static int check_tail_call(struct bpf_verifier_env *env, u32 *insn_idx)
{
	int err = check_tail_call_leak(env);

	if (err)
		return err;
	clear_caller_saved_regs(env);
	if (!env->cur->curframe)
		return 0; /* success ends the program: nothing to be walked */
	if (!bpf_push_state(env, *insn_idx + 1, *insn_idx))
		return env->push_error;
	mark_reg_unknown(&cur_regs(env)[BPF_REG_0]);
	err = prepare_func_exit(env, insn_idx);
	(*insn_idx)--;
	return err;
}

int check_helper_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, u32 *insn_idx)
{
	struct bpf_call call = { .func_id = (u32)insn->imm };
	int err = 0;

	call.proto = find_proto(env, insn->imm);
	if (!call.proto)
		return -EINVAL;
	env->aux[*insn_idx].proto = call.proto;
	for (u32 i = 0; i < MAX_BPF_FUNC_REG_ARGS && !err; i++)
		err = check_func_arg(env, i, &call);
	if (!err)
		err = check_map_func_compatibility(env, call.map, call.func_id);
	if (!err)
		err = check_rdonly_map(env, &call);
	if (err)
		return err;
	bpf_note_call_target(env, *insn_idx, call.map);
	err = release_argument(env, &call);
	if (!err && bpf_calls_callback(env, insn))
		err = push_callback(env, *insn_idx, &call);
	if (err)
		return err;
	if (call.func_id == BPF_FUNC_tail_call)
		return check_tail_call(env, insn_idx);
	clear_caller_saved_regs(env);
	err = set_return_value(env, &call);
	return err ?: acquire_result(env, *insn_idx, &call);
}
