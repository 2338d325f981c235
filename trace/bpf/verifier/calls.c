/*
 * Functions of the program: how a call makes a frame, and how the end of the function leads back.
 *
 * A static function is walked anew at each call, with what its caller passes. A global function is
 * walked once, for all arguments that its prototype allows; a call of it only checks the arguments.
 * A callback is called by a helper, any number of times: see verifier.h.
 */
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

void clear_caller_saved_regs(struct bpf_reg_state *regs)
{
	for (u32 i = BPF_REG_0; i <= BPF_REG_5; i++)
		mark_reg_not_init(&regs[i]);
}

static int check_global_call(struct bpf_verifier_env *env, u32 subprogno)
{
	int err = check_global_args(env, subprogno);

	if (err)
		return refuse(env, err, "Caller passes invalid args into func#%d\n", subprogno);
	if (env->log->level & BPF_LOG_LEVEL)
		verbose(env, "Func#%d is global and valid. Skipping.\n", subprogno);
	clear_caller_saved_regs(cur_regs(env));
	mark_reg_unknown(&cur_regs(env)[BPF_REG_0]);
	return 0;
}

int check_func_call(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	int subprogno = bpf_find_subprog(env, env->insn_idx + (u32)insn->imm + 1);
	struct bpf_func_state *caller = cur_func(env), *callee;

	if (subprogno < 0)
		return -EFAULT;
	if (env->subprogs[subprogno].is_global)
		return check_global_call(env, (u32)subprogno);
	callee = bpf_push_frame(env, env->cur, (u32)subprogno);
	if (!callee)
		return env->push_error;
	for (u32 i = BPF_REG_1; i <= BPF_REG_5; i++)
		callee->regs[i] = caller->regs[i];
	clear_caller_saved_regs(caller->regs);
	env->insn_idx = env->subprogs[subprogno].start - 1;
	bpf_log_call(env, caller, callee);
	return 0;
}

/* What the helper passes to its callback. */
static int set_callback_args(struct bpf_verifier_env *env, const struct bpf_reg_state *args,
			     struct bpf_reg_state *to, u32 func_id)
{
	struct bpf_map *map = args[BPF_REG_1].map_ptr;

	/* bpf_loop(count, callback, ctx, flags): callback(index, ctx) */
	if (func_id == BPF_FUNC_loop) {
		if (args[BPF_REG_1].type != SCALAR_VALUE)
			return refuse(env, -EACCES, "R1 type=%s expected=scalar\n",
				      bpf_reg_type_str(args[BPF_REG_1].type));
		mark_reg_unknown(&to[BPF_REG_1]);
		to[BPF_REG_2] = args[BPF_REG_3];
		return 0;
	}
	/* bpf_for_each_map_elem(map, callback, ctx, flags): callback(map, key, value, ctx) */
	if (!map->ops->for_each)
		return refuse(env, -ENOTSUPP, "callback function not allowed for map\n");
	to[BPF_REG_1] = args[BPF_REG_1];
	mark_reg_pointer(&to[BPF_REG_2], PTR_TO_MAP_KEY);
	mark_reg_pointer(&to[BPF_REG_3], PTR_TO_MAP_VALUE);
	to[BPF_REG_2].map_ptr = to[BPF_REG_3].map_ptr = map;
	to[BPF_REG_4] = args[BPF_REG_3];
	return 0;
}

int push_callback(struct bpf_verifier_env *env, const struct bpf_call *call)
{
	struct bpf_verifier_state *state;
	struct bpf_func_state *callee;

	state = bpf_push_state(env, env->subprogs[call->subprogno].start);
	if (!state)
		return env->push_error;
	callee = bpf_push_frame(env, state, call->subprogno);
	if (!callee)
		return env->push_error;
	callee->in_callback_fn = true;
	return set_callback_args(env, cur_regs(env), callee->regs, call->func_id);
}

/* "At … the register R0 has value …": R0 is precise, and in min … max, or -EINVAL. */
static int check_r0_range(struct bpf_verifier_env *env, const char *where, u64 min, u64 max)
{
	const struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
	struct tnum range = tnum_range(min, max);

	mark_precise(r0);
	if (tnum_in(range, r0->s.var_off))
		return 0;
	if (r0->s.var_off.mask == ~0UL)
		return refuse(env, -EINVAL,
			      "At %s the register R0 has unknown scalar value should have been "
			      "in " TNUM_FMT "\n",
			      where, TNUM_ARGS(range));
	return refuse(env, -EINVAL,
		      "At %s the register R0 has value " TNUM_FMT " should have been in " TNUM_FMT
		      "\n",
		      where, TNUM_ARGS(r0->s.var_off), TNUM_ARGS(range));
}

int prepare_func_exit(struct bpf_verifier_env *env)
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
		env->insn_idx = callee->callsite;
		caller->callback_returned = true;
	} else {
		caller->regs[BPF_REG_0] = *r0;
		env->insn_idx = callee->callsite + 1;
	}
	bpf_log_return(env, callee, caller, env->insn_idx);
	bpf_pop_frame(env, env->cur);
	return 0;
}

int end_function_here(struct bpf_verifier_env *env, bool returns_zero)
{
	struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
	int err;

	if (!env->cur->curframe)
		return 0;
	if (!bpf_push_state(env, env->insn_idx + 1))
		return env->push_error;
	if (returns_zero)
		mark_reg_known(r0, 0);
	else
		mark_reg_unknown(r0);
	err = prepare_func_exit(env);
	env->insn_idx--; /* the walk goes on behind this instruction */
	return err;
}

int check_return_code(struct bpf_verifier_env *env)
{
	const struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
	const struct bpf_prog *prog = env->prog;
	bool is_global = cur_func(env)->subprogno;
	int err = check_reg_read(env, BPF_REG_0);
	s32 min, max;

	if (err)
		return err;
	if (!is_global && (!prog->ops->retval_range || !prog->ops->retval_range(prog, &min, &max)))
		return 0;
	if (r0->type != SCALAR_VALUE)
		return refuse(env, -EINVAL, "At %s exit the register R0 is not a %s value (%s)\n",
			      is_global ? "subprogram" : "program", is_global ? "scalar" : "known",
			      bpf_reg_type_str(r0->type));
	return is_global ? 0 : check_r0_range(env, "program exit", (u64)min, (u64)max);
}
