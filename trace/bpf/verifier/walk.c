/*
 * The walk: all ways through a function, each in the state in which a run comes there. At a jump
 * whose condition is not known, one way is put aside, and walked when the present one is at its
 * end. A way ends at the program's EXIT, or where a state like the present one was walked before:
 * prune.c.
 *
 * Linux also walks the ways that a CPU may take by speculation after a wrong prediction, to keep
 * unprivileged programs from reading what they leave in the caches. Here programs of users without
 * CAP_BPF and CAP_PERFMON are refused, and those who have them may read the kernel's memory. So
 * these ways are not walked.
 */
#include "kernel/errno.h"
#include "kernel/sched/sched.h"
#include "trace/bpf/verifier/verifier.h"

/* More ways that wait than that, and the program is too complex. */
#define MAX_PENDING 8192

struct bpf_verifier_state *bpf_push_state(struct bpf_verifier_env *env, u32 insn_idx)
{
	struct bpf_verifier_state *state;

	if (env->nr_pending == MAX_PENDING) {
		env->push_error = refuse(env, -E2BIG, "The sequence of %u jumps is too complex.\n",
					 env->nr_pending + 1);
		return NULL;
	}
	state = bpf_copy_state(env, env->cur);
	if (!state)
		return NULL;
	env->nr_pending++;
	state->insn_idx = insn_idx;
	state->prev_insn_idx = env->insn_idx;
	state->log_pos = env->log->pos;
	if (state->parent)
		state->parent->branches++;
	list_add(&state->node, &env->pending);
	return state;
}

/* Goes on with the way that was put aside last. False: there is none. */
static bool pop_state(struct bpf_verifier_env *env)
{
	struct bpf_verifier_state *state;

	bpf_free_state(env, env->cur);
	env->cur = NULL;
	if (list_empty(&env->pending))
		return false;
	state = list_first_entry(&env->pending, struct bpf_verifier_state, node);
	list_del(&state->node);
	env->nr_pending--;
	env->cur = state;
	env->insn_idx = state->insn_idx;
	env->prev_insn_idx = (s32)state->prev_insn_idx;
	/* The way before was safe: that is all the user needs to know of it. */
	if (!(env->log->level & BPF_LOG_LEVEL2))
		bpf_log_rewind(env, state->log_pos);
	return true;
}

/* EXIT: 1: of the program. 0: of a function that was called; the walk goes on. Or an errno. */
static int check_exit(struct bpf_verifier_env *env)
{
	int err = check_reference_leak(env, false);

	if (err)
		return err;
	if (!env->cur->curframe)
		return check_return_code(env) ?: 1;
	return prepare_func_exit(env);
}

/* 1: the way is at its end. 0: goes on at env->insn_idx. Or an errno. */
static int check_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
	int err;

	env->jmps_processed++;
	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		env->insn_idx = bpf_jump_target(insn, env->insn_idx);
		return 0;
	case BPF_EXIT:
		return check_exit(env);
	case BPF_CALL:
		if (bpf_insn_is_kfunc_call(insn))
			return refuse(env, -EINVAL,
				      "invalid kernel function call not eliminated in verifier "
				      "pass\n");
		err = bpf_insn_is_pseudo_call(insn) ? check_func_call(env, insn)
						    : check_helper_call(env, insn);
		env->insn_idx++;
		return err;
	default:
		return check_cond_jmp_op(env, insn);
	}
}

static int check_insn(struct bpf_verifier_env *env)
{
	const struct bpf_insn *insn = &env->insns[env->insn_idx];
	u8 class = BPF_CLASS(insn->code);
	int err;

	if (class == BPF_JMP || class == BPF_JMP32)
		return check_jump(env, insn);
	err = check_step(env, insn);
	if (err)
		return err;
	if (bpf_insn_is_ld_imm64(insn))
		env->aux[++env->insn_idx].seen = true;
	env->insn_idx++;
	return 0;
}

/* One instruction. 1: the way is at its end. *new_way: the last instruction was on another way. */
static int step(struct bpf_verifier_env *env, bool *new_way)
{
	u32 insn_idx = env->insn_idx;
	int ret;

	if (++env->insn_processed > BPF_COMPLEXITY_LIMIT_INSNS)
		return refuse(env, -E2BIG, "BPF program is too large. Processed %u insn\n",
			      env->insn_processed);
	ret = is_state_visited(env);
	if (ret < 0)
		return ret;
	if (ret) {
		bpf_log_pruned(env, *new_way);
		return 1;
	}
	if (fatal_signal_pending(current))
		return -EAGAIN;
	cond_resched();
	bpf_log_step(env, *new_way);
	if (env->log->watch)
		env->log->watch(env->log, env);
	env->aux[insn_idx].seen = true;
	*new_way = env->insns[insn_idx].code == (BPF_JMP | BPF_EXIT);
	ret = check_insn(env);
	env->prev_insn_idx = (s32)insn_idx;
	return ret;
}

static int walk_ways(struct bpf_verifier_env *env)
{
	int ret;

	do {
		bool new_way = true;

		do
			ret = step(env, &new_way);
		while (!ret);
		bpf_way_ended(env->cur->parent);
	} while (ret > 0 && pop_state(env));
	return min(ret, 0);
}

/* ---- functions ---- */

/* What a global function may rely on: what its BTF says. */
static int init_arguments(struct bpf_verifier_env *env, u32 subprog, struct bpf_reg_state *regs)
{
	struct bpf_func_arg arg[MAX_BPF_FUNC_REG_ARGS];
	u32 nr;
	int err = bpf_get_func_args(env, subprog, arg, &nr);

	if (err)
		return err;
	for (u32 i = 0; i < nr; i++) {
		struct bpf_reg_state *reg = &regs[BPF_REG_1 + i];

		if (arg[i].kind == BPF_FUNC_ARG_SCALAR) {
			mark_reg_unknown(reg);
		} else if (arg[i].kind == BPF_FUNC_ARG_CTX) {
			mark_reg_pointer(reg, PTR_TO_CTX);
		} else {
			mark_reg_pointer(reg, PTR_TO_MEM | PTR_MAYBE_NULL);
			reg->mem_size = arg[i].mem_size;
			reg->id = ++env->id_gen;
		}
	}
	return 0;
}

static int start_walk(struct bpf_verifier_env *env, u32 subprog)
{
	struct bpf_func_state *frame;

	INIT_LIST_HEAD(&env->pending);
	INIT_LIST_HEAD(&env->retired);
	for (u32 i = 0; i < env->prog->len; i++)
		INIT_LIST_HEAD(&env->explored[i]);
	env->cur = bpf_state_alloc(env, sizeof(*env->cur));
	if (!env->cur)
		return env->push_error;
	env->insn_idx = env->subprogs[subprog].start;
	frame = bpf_push_frame(env, env->cur, subprog);
	if (!frame)
		return env->push_error;
	env->prev_insn_idx = -1;
	env->logged_line = NULL;
	if (subprog)
		return init_arguments(env, subprog, frame->regs);
	mark_reg_pointer(&frame->regs[BPF_REG_1], PTR_TO_CTX);
	return 0;
}

static void free_list(struct bpf_verifier_env *env, struct list_head *list)
{
	struct bpf_verifier_state *state, *next;

	list_for_each_entry_safe (state, next, list, node)
		bpf_free_state(env, state);
}

static void end_walk(struct bpf_verifier_env *env)
{
	bpf_free_state(env, env->cur);
	env->cur = NULL;
	env->nr_pending = 0;
	free_list(env, &env->pending);
	free_list(env, &env->retired);
	for (u32 i = 0; i < env->prog->len; i++)
		free_list(env, &env->explored[i]);
	free_origins(env);
}

static int walk_function(struct bpf_verifier_env *env, u32 subprog)
{
	int err = start_walk(env, subprog);

	err = err ?: walk_ways(env);
	end_walk(env);
	/* The user wants to read why a program is refused, not why it is safe. */
	if (!err && !(env->log->level & BPF_LOG_LEVEL2))
		bpf_log_rewind(env, 0);
	return err;
}

int bpf_walk(struct bpf_verifier_env *env)
{
	bpf_compute_liveness(env);
	/* Calls of global functions trust that each is safe for all arguments of its types. */
	for (u32 i = 1; i < env->nr_subprogs; i++) {
		int err;

		if (!env->subprogs[i].is_global)
			continue;
		if (env->log->level & BPF_LOG_LEVEL)
			verbose(env, "Validating func#%u...\n", i);
		err = walk_function(env, i);
		if (err)
			return err;
		if (env->log->level & BPF_LOG_LEVEL)
			verbose(env, "Func#%u is safe for any args that match its prototype\n", i);
	}
	return walk_function(env, 0);
}
