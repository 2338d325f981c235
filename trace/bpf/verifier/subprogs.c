/*
 * The functions of a program: where they begin, what BTF says of them, and how much stack they need
 * when they call each other.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/core/btf.h"
#include "trace/bpf/verifier/verifier.h"

int bpf_find_subprog(const struct bpf_verifier_env *env, u32 insn_idx)
{
	for (u32 i = 0; i < env->nr_subprogs; i++)
		if (env->subprogs[i].start == insn_idx)
			return (int)i;
	return -ENOENT;
}

/* ---- where they begin ---- */

/* Keeps them in their order. */
static int add_subprog(struct bpf_verifier_env *env, s64 start)
{
	u32 i = env->nr_subprogs;

	if (start < 0 || start >= env->prog->len)
		return refuse(env, -EINVAL, "call to invalid destination\n");
	if (bpf_find_subprog(env, (u32)start) >= 0)
		return 0;
	if (i == BPF_MAX_SUBPROGS)
		return refuse(env, -E2BIG, "too many subprograms\n");
	for (; i > 0 && env->subprogs[i - 1].start > start; i--)
		env->subprogs[i].start = env->subprogs[i - 1].start;
	env->subprogs[i].start = (u32)start;
	env->nr_subprogs++;
	return 0;
}

static int find_subprogs(struct bpf_verifier_env *env)
{
	int err = add_subprog(env, 0);

	for (u32 i = 0; !err && i < env->prog->len; i++) {
		const struct bpf_insn *insn = &env->insns[i];

		if (bpf_insn_is_pseudo_call(insn) || bpf_insn_is_pseudo_func(insn)) {
			err = add_subprog(env, (s64)i + insn->imm + 1);
		} else if (bpf_insn_is_kfunc_call(insn) && insn->imm) {
			/* 0: libbpf did not find it, and the call must not be reached. */
			err = refuse(env, -EINVAL, "calling kernel function is not allowed\n");
		}
	}
	if (err)
		return err;
	env->subprogs[env->nr_subprogs].start = env->prog->len;
	if (env->log->level & BPF_LOG_LEVEL2)
		for (u32 i = 0; i < env->nr_subprogs; i++)
			verbose(env, "func#%u @%u\n", i, env->subprogs[i].start);
	return 0;
}

/* Jumps stay in their function, and none runs on into the next one. */
static int check_subprog(struct bpf_verifier_env *env, struct bpf_subprog_info *subprog)
{
	u32 end = subprog[1].start;

	for (u32 i = subprog->start; i < end; i++) {
		const struct bpf_insn *insn = &env->insns[i];
		u8 code = insn->code;
		s64 target;

		if (bpf_insn_is_helper_call(insn) && insn->imm == BPF_FUNC_tail_call)
			subprog->has_tail_call = true;
		if (BPF_CLASS(code) == BPF_LD &&
		    (BPF_MODE(code) == BPF_ABS || BPF_MODE(code) == BPF_IND))
			subprog->has_ld_abs = true;
		if (!bpf_insn_is_jump(insn))
			continue;
		target = (s64)i + bpf_jump_distance(insn) + 1;
		if (target < subprog->start || target >= end)
			return refuse(env, -EINVAL, "jump out of range from insn %u to %ld\n", i,
				      target);
	}
	if (env->insns[end - 1].code != (BPF_JMP | BPF_EXIT) &&
	    !bpf_insn_is_ja(&env->insns[end - 1]))
		return refuse(env, -EINVAL, "last insn is not an exit or jmp\n");
	return 0;
}

/* ---- what BTF says of them ---- */

/*
 * Some functions have a second end: a load from a packet that is too short, a tail call that
 * succeeds. That is only safe if BTF says that they return a number.
 */
static int check_second_end(struct bpf_verifier_env *env, const struct bpf_subprog_info *subprog)
{
	const char *end = subprog->has_ld_abs ? "LD_ABS" : "tail_call";

	if (!subprog->has_ld_abs && !subprog->has_tail_call)
		return 0;
	if (!subprog->proto)
		verbose(env, "%s is not allowed in subprogs without BTF\n", end);
	else if (!bpf_returns_number(&env->prog->btf->btf, subprog->proto))
		verbose(env, "%s is only allowed in functions that return 'int'.\n", end);
	else
		return 0;
	return -EINVAL;
}

int bpf_check_subprogs(struct bpf_verifier_env *env)
{
	int err = find_subprogs(env);

	for (u32 i = 0; !err && i < env->nr_subprogs; i++)
		err = check_subprog(env, &env->subprogs[i]);
	err = err ?: bpf_check_func_info(env);
	for (u32 i = 1; !err && i < env->nr_subprogs; i++)
		err = check_second_end(env, &env->subprogs[i]);
	return err;
}

/* ---- stack ---- */

/* The interpreter counts stack in pieces of 32 bytes, at least one for each function. */
static u32 frame_bytes(const struct bpf_subprog_info *subprog)
{
	return max(((u32)subprog->stack_depth + 31) & ~31U, 32U);
}

/*
 * A function as frame of that number, when its callers use so many bytes. Tail calls drop the frame
 * of their function, but not those of its callers, and 33 of them may follow each other: so the
 * callers may only have 256 bytes.
 */
static int check_frame(struct bpf_verifier_env *env, u32 subprog, u32 frame, u32 bytes)
{
	if (frame == MAX_CALL_FRAMES)
		return refuse(env, -E2BIG, "the call stack of %u frames is too deep !\n", frame);
	if (subprog && env->subprogs[subprog].has_tail_call && bytes >= 256)
		return refuse(env, -EACCES,
			      "tail_calls are not allowed when call stack of previous frames is %u "
			      "bytes. Too large\n",
			      bytes);
	bytes += frame_bytes(&env->subprogs[subprog]);
	if (bytes > MAX_BPF_STACK)
		return refuse(env, -EACCES, "combined stack size of %u calls is %u. Too large\n",
			      frame + 1, bytes);
	return 0;
}

/* The function that the instruction calls, or passes as a callback. -ENOENT: none. */
static int callee_of(const struct bpf_verifier_env *env, u32 i)
{
	const struct bpf_insn *insn = &env->insns[i];

	if (bpf_insn_is_pseudo_call(insn) || bpf_insn_is_pseudo_func(insn))
		return bpf_find_subprog(env, i + 1 + (u32)insn->imm);
	return -ENOENT;
}

/* All calls that functions make as the frame of that number, with the most stack before them. */
static int check_frames(struct bpf_verifier_env *env, u32 frame)
{
	for (u32 f = 0; f < env->nr_subprogs; f++) {
		struct bpf_subprog_info *caller = &env->subprogs[f];

		if (!caller->callers_stack[frame])
			continue;
		for (u32 i = caller->start; i < caller[1].start; i++) {
			u32 bytes = caller->callers_stack[frame] + frame_bytes(caller);
			int callee = callee_of(env, i), err;
			u32 *most;

			if (callee < 0)
				continue;
			err = check_frame(env, (u32)callee, frame + 1, bytes - 1);
			if (err)
				return err;
			most = &env->subprogs[callee].callers_stack[frame + 1];
			*most = max(*most, bytes);
		}
	}
	return 0;
}

int bpf_check_max_stack_depth(struct bpf_verifier_env *env)
{
	int err = check_frame(env, 0, 0, 0);

	env->subprogs[0].callers_stack[0] = 1;
	for (u32 frame = 0; !err && frame < MAX_CALL_FRAMES; frame++)
		err = check_frames(env, frame);
	return err;
}
