/*
 * Functions of the program: how a call makes a frame, and how the end of the function leads back.
 *
 * A static function is walked anew at each call, with what its caller passes. A global function is
 * walked once, for all arguments that its prototype allows; a call of it only checks the arguments.
 * A callback is called by a helper, any number of times: see bpf_calls_callback().
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/calls.h"

void clear_caller_saved_regs(struct bpf_verifier_env *env)
{
	for (u32 i = BPF_REG_0; i <= BPF_REG_5; i++)
		mark_reg_not_init(&cur_regs(env)[i]);
}

static int check_call_depth(struct bpf_verifier_env *env)
{
	if (env->cur->curframe + 1 < MAX_CALL_FRAMES)
		return 0;
	return refuse(env, -E2BIG, "the call stack of %d frames is too deep\n",
		      env->cur->curframe + 2);
}

static int check_global_call(struct bpf_verifier_env *env, u32 subprogno)
{
	int err = check_global_args(env, subprogno);

	if (err) {
		verbose(env, "Caller passes invalid args into func#%d\n", subprogno);
		return err;
	}
	if (env->log->level & BPF_LOG_LEVEL)
		verbose(env, "Func#%d is global and valid. Skipping.\n", subprogno);
	clear_caller_saved_regs(env);
	mark_reg_unknown(&cur_regs(env)[BPF_REG_0]);
	return 0;
}

int check_func_call(struct bpf_verifier_env *env, const struct bpf_insn *insn, u32 *insn_idx)
{
	int subprogno = bpf_find_subprog(env, *insn_idx + (u32)insn->imm + 1);
	struct bpf_func_state *caller = cur_func(env), *callee;
	int err;

	if (subprogno < 0)
		return -EFAULT;
	err = check_call_depth(env);
	if (err)
		return err;
	if (env->subprogs[subprogno].is_global)
		return check_global_call(env, (u32)subprogno);
	callee = bpf_push_frame(env, env->cur, (s32)*insn_idx, (u32)subprogno);
	if (!callee)
		return env->push_error;
	for (u32 i = BPF_REG_1; i <= BPF_REG_5; i++)
		callee->regs[i] = caller->regs[i];
	for (u32 i = BPF_REG_0; i <= BPF_REG_5; i++)
		mark_reg_not_init(&caller->regs[i]);
	*insn_idx = env->subprogs[subprogno].start - 1;
	bpf_log_call(env, caller, callee);
	return 0;
}

/* bpf_for_each_map_elem(map, callback, ctx, flags): callback(map, key, value, ctx) */
static int set_map_elem_args(struct bpf_verifier_env *env, const struct bpf_func_state *caller,
			     struct bpf_func_state *callee)
{
	struct bpf_map *map = caller->regs[BPF_REG_1].map_ptr;

	if (!map->ops->for_each)
		return refuse(env, -ENOTSUPP, "callback function not allowed for map\n");
	callee->regs[BPF_REG_1] = caller->regs[BPF_REG_1];
	for (u32 i = BPF_REG_2; i <= BPF_REG_3; i++) {
		mark_reg_pointer(&callee->regs[i],
				 i == BPF_REG_2 ? PTR_TO_MAP_KEY : PTR_TO_MAP_VALUE);
		callee->regs[i].map_ptr = map;
		callee->regs[i].map_uid = caller->regs[BPF_REG_1].map_uid;
	}
	callee->regs[BPF_REG_4] = caller->regs[BPF_REG_3];
	return 0;
}

/* bpf_loop(count, callback, ctx, flags): callback(index, ctx) */
static int set_loop_args(struct bpf_verifier_env *env, const struct bpf_func_state *caller,
			 struct bpf_func_state *callee)
{
	const struct bpf_reg_state *count = &caller->regs[BPF_REG_1];

	if (count->type != SCALAR_VALUE)
		return refuse(env, -EACCES, "R1 type=%s expected=scalar\n",
			      bpf_reg_type_str(count->type));
	mark_reg_unknown(&callee->regs[BPF_REG_1]);
	callee->regs[BPF_REG_2] = caller->regs[BPF_REG_3];
	return 0;
}

bool bpf_calls_callback(const struct bpf_verifier_env *env __unused, const struct bpf_insn *insn)
{
	return bpf_insn_is_helper_call(insn) &&
	       (insn->imm == BPF_FUNC_for_each_map_elem || insn->imm == BPF_FUNC_loop);
}

int push_callback(struct bpf_verifier_env *env, u32 insn_idx, const struct bpf_call *call)
{
	struct bpf_verifier_state *state;
	struct bpf_func_state *callee;
	int err;

	err = check_call_depth(env);
	if (err)
		return err;
	state = bpf_push_state(env, env->subprogs[call->subprogno].start, insn_idx);
	if (!state)
		return env->push_error;
	callee = bpf_push_frame(env, state, (s32)insn_idx, call->subprogno);
	if (!callee)
		return env->push_error;
	callee->in_callback_fn = true;
	return call->func_id == BPF_FUNC_loop
		       ? set_loop_args(env, state->frame[state->curframe - 1], callee)
		       : set_map_elem_args(env, state->frame[state->curframe - 1], callee);
}

int check_r0_range(struct bpf_verifier_env *env, const char *where, u64 min, u64 max)
{
	const struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
	struct tnum range = tnum_range(min, max);

	mark_precise(r0);
	if (tnum_in(range, r0->s.var_off))
		return 0;
	verbose(env, "At %s the register R0 ", where);
	if (r0->s.var_off.mask == ~0UL)
		verbose(env, "has unknown scalar value");
	else
		verbose(env, "has value " TNUM_FMT, TNUM_ARGS(r0->s.var_off));
	return refuse(env, -EINVAL, " should have been in " TNUM_FMT "\n", TNUM_ARGS(range));
}

int prepare_func_exit(struct bpf_verifier_env *env, u32 *insn_idx)
{
	struct bpf_func_state *callee = cur_func(env);
	struct bpf_func_state *caller = env->cur->frame[callee->frameno - 1];
	const struct bpf_reg_state *r0 = &callee->regs[BPF_REG_0];
	int err;

	if (reg_base(r0) == PTR_TO_STACK)
		return refuse(env, -EINVAL, "cannot return stack pointer to the caller\n");
	if (callee->in_callback_fn) {
		if (r0->type != SCALAR_VALUE)
			return refuse(env, -EACCES, "R0 not a scalar value\n");
		err = check_r0_range(env, "callback return", 0, 1);
		if (err)
			return err;
		*insn_idx = (u32)callee->callsite;
		caller->callback_returned = true;
	} else {
		caller->regs[BPF_REG_0] = *r0;
		*insn_idx = (u32)callee->callsite + 1;
	}
	bpf_log_return(env, callee, caller, *insn_idx);
	bpf_pop_frame(env, env->cur);
	return 0;
}

int check_return_code(struct bpf_verifier_env *env)
{
	const struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
	const struct bpf_prog *prog = env->prog;
	int err = check_reg_read(env, BPF_REG_0);
	s32 min, max;

	if (err)
		return err;
	if (cur_func(env)->subprogno) { /* a global function */
		if (r0->type == SCALAR_VALUE)
			return 0;
		return refuse(env, -EINVAL,
			      "At subprogram exit the register R0 is not a scalar value (%s)\n",
			      bpf_reg_type_str(r0->type));
	}
	if (!prog->ops->retval_range || !prog->ops->retval_range(prog, &min, &max))
		return 0;
	if (r0->type != SCALAR_VALUE)
		return refuse(env, -EINVAL,
			      "At program exit the register R0 is not a known value (%s)\n",
			      bpf_reg_type_str(r0->type));
	return check_r0_range(env, "program exit", (u64)min, (u64)max);
}
