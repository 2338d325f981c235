/*
 * When to stop: the walk comes to an instruction in a state that is covered by one in which it was
 * there before. Each kept state belongs to an instruction where ways meet.
 *
 * A kept state counts the ways from it that are not at their end yet: `branches`. At 0 all are, and
 * the state was safe: a state that it covers need not be walked. Before that, the walk that comes
 * to the same instruction is in a loop. If the state did not change at all, it never will: the loop
 * has no end, and the program is refused. Else the loop is walked round by round.
 *
 * A helper that calls back ends its rounds itself. So a loop through its callback may stop as soon
 * as a round brings nothing new: states of earlier rounds of the same call of the helper are
 * compared although their ways are not at their end. It is not yet known what matters in them: so
 * all numbers are compared, and all matter then. What changed from round to round becomes unknown,
 * because the number of rounds has no bound. The way without a (further) round is walked before the
 * callback: bpf_push_state() puts the callback's aside. So a state in the callback is at its end
 * only after the ways behind the call, and cannot hide an endless loop around the call from them.
 */
#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/verifier/verifier.h"

void bpf_way_ended(struct bpf_verifier_state *from)
{
	while (from && --from->branches == 0)
		from = from->parent;
}

/* Keeps a copy of the current state, from which the walk goes on. */
static int keep_state(struct bpf_verifier_env *env)
{
	struct bpf_verifier_state *cur = env->cur, *kept;
	int err = start_origins(env, cur);

	if (err)
		return err;
	kept = bpf_copy_state(env, cur);
	if (!kept)
		return env->push_error;
	kept->branches = 1;
	list_add(&kept->node, &env->explored[env->insn_idx]);
	cur->parent = kept;
	env->total_states++;
	env->peak_states++;
	env->prev_jmps_processed = env->jmps_processed;
	env->prev_insn_processed = env->insn_processed;
	return 0;
}

/*
 * Forgets a state that is seldom found again. One with ways that are not at their end must stay,
 * because they count in it; but it is not looked at any more.
 */
static void forget_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	if (state->branches) {
		list_move_tail(&state->node, &env->retired);
		return;
	}
	list_del(&state->node);
	env->peak_states--;
	bpf_free_state(env, state);
}

/* Whether a state is of an earlier round of the same call of a helper that calls back. */
static bool is_round_of_call(struct bpf_verifier_env *env, const struct bpf_verifier_state *old)
{
	return env->aux[env->insn_idx].calls_callback && old->branches &&
	       old->frame[old->curframe]->callback_call == cur_func(env)->callback_call;
}

/* 1: covered; 0: not; or an errno. */
static int compare_unfinished(struct bpf_verifier_env *env, struct bpf_verifier_state *old)
{
	struct bpf_verifier_state *cur = env->cur;

	if (is_round_of_call(env, old)) {
		if (!bpf_states_equal(env, old, cur, true))
			return 0;
		bpf_mark_all(cur);
		return 1;
	}
	if (old->callback_rounds == cur->callback_rounds && bpf_states_equal(env, old, cur, true) &&
	    bpf_states_equal(env, cur, old, true))
		return refuse(env, -EINVAL, "infinite loop detected at insn %u\n", env->insn_idx);
	return 0;
}

/* Compares the stack with that of the last round of the same call of a helper that calls back. */
static void widen_after_round(struct bpf_verifier_env *env)
{
	struct bpf_verifier_state *state;

	list_for_each_entry (state, &env->explored[env->insn_idx], node)
		if (is_round_of_call(env, state) && bpf_same_callers(state, env->cur)) {
			bpf_widen_stack(env, state, env->cur);
			return;
		}
}

/* Comes to a helper that calls back, for the first time, or from its callback. */
static void enter_callback_call(struct bpf_verifier_env *env)
{
	struct bpf_func_state *frame = cur_func(env);

	if (frame->callback_returned)
		env->cur->callback_rounds++;
	else
		frame->callback_call = ++env->id_gen;
	frame->callback_returned = false;
}

int is_state_visited(struct bpf_verifier_env *env)
{
	bool calls_callback = env->aux[env->insn_idx].calls_callback;
	bool keep = env->attr->prog_flags & BPF_F_TEST_STATE_FREQ || calls_callback;
	struct bpf_verifier_state *old, *next;
	/* A call of such a helper is walked several times before its first state is at its end. */
	u32 nr = 0, patience = calls_callback ? 64 : 3;

	if (!env->aux[env->insn_idx].prune_point)
		return 0;
	if (calls_callback)
		enter_callback_call(env);
	env->cur->insn_idx = env->insn_idx;
	/* Not after each jump: states cost more than a few instructions that are walked again. */
	if (env->jmps_processed - env->prev_jmps_processed >= 2 &&
	    env->insn_processed - env->prev_insn_processed >= 8)
		keep = true;
	list_for_each_entry_safe (old, next, &env->explored[env->insn_idx], node) {
		nr++;
		if (old->branches) {
			int err = compare_unfinished(env, old);

			if (err)
				return err;
			/* A long loop does not need all of its rounds. */
			if (!calls_callback &&
			    env->jmps_processed - env->prev_jmps_processed < 20 &&
			    env->insn_processed - env->prev_insn_processed < 100)
				keep = false;
		} else if (bpf_states_equal(env, old, env->cur, false)) {
			old->hits++;
			bpf_inherit_precision(old, env->cur);
			return 1;
		}
		if (keep)
			old->misses++;
		if (old->misses > old->hits * 3 + patience && !is_round_of_call(env, old))
			forget_state(env, old);
	}
	env->max_states_per_insn = max(env->max_states_per_insn, nr);
	if (calls_callback)
		widen_after_round(env);
	return keep ? keep_state(env) : 0;
}
