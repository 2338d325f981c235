/*
 * References: records of ring buffers that a program has reserved. It must give up each one, on all
 * ways, or the ring would stand still for ever. A reference has an id; registers that point to the
 * record, or may be NULL instead, bear it.
 *
 * A callback runs any number of times. So it must give up what it has acquired, and cannot give up
 * what its caller has. A function that is called may do both for its caller.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

#define MAX_REFERENCES 256

/* The frame of the callback that runs, or 0. */
static u32 innermost_callback(const struct bpf_verifier_state *state)
{
	u32 frame = state->curframe;

	while (frame && !state->frame[frame]->in_callback_fn)
		frame--;
	return frame;
}

int acquire_reference(struct bpf_verifier_env *env, struct bpf_reg_state *reg)
{
	struct bpf_verifier_state *state = env->cur;
	struct bpf_reference_state *refs;

	if (state->nr_refs == MAX_REFERENCES)
		return refuse(env, -E2BIG, "more than %d references\n", MAX_REFERENCES);
	refs = bpf_state_alloc(env, (state->nr_refs + 1) * sizeof(*refs));
	if (!refs)
		return env->push_error;
	if (state->nr_refs)
		memcpy(refs, state->refs, state->nr_refs * sizeof(*refs));
	bpf_check_memory_free(&env->memory, state->refs);
	state->refs = refs;
	refs[state->nr_refs++] = (struct bpf_reference_state){
		.id = reg->id = reg->ref_obj_id = ++env->id_gen,
		.insn_idx = env->insn_idx,
		.callback_ref = innermost_callback(state),
	};
	return 0;
}

static struct bpf_reference_state *find_reference(struct bpf_verifier_state *state, u32 id)
{
	for (u32 i = 0; i < state->nr_refs; i++)
		if (state->refs[i].id == id)
			return &state->refs[i];
	return NULL;
}

void drop_reference(struct bpf_verifier_state *state, u32 id)
{
	struct bpf_reference_state *ref = find_reference(state, id);

	if (ref)
		*ref = state->refs[--state->nr_refs];
}

static void forget_reference(struct bpf_reg_state *reg, u32 id)
{
	/* LAB 18, unmarked, 3 of 6: a record that was given up. Starts as: (void)reg, (void)id; */
	if (reg->ref_obj_id == id)
		mark_reg_unknown(reg);
	/* END LAB 18 */
}

int release_reference(struct bpf_verifier_env *env, u32 ref_obj_id)
{
	struct bpf_verifier_state *state = env->cur;
	const struct bpf_reference_state *ref = find_reference(state, ref_obj_id);

	if (!ref || ref->callback_ref != innermost_callback(state))
		return -EINVAL;
	drop_reference(state, ref_obj_id);
	bpf_for_each_reg (reg, state)
		forget_reference(reg, ref_obj_id);
	return 0;
}

/*
 * Says which references are left of those that the callback, or the program, has acquired. A
 * function leaves its references to its caller; not if a tail call may end it.
 */
int check_reference_leak(struct bpf_verifier_env *env, bool at_tail_call)
{
	u32 callback = innermost_callback(env->cur);
	int err = 0;

	for (u32 i = 0; i < env->cur->nr_refs; i++) {
		const struct bpf_reference_state *ref = &env->cur->refs[i];

		if (ref->callback_ref != callback ||
		    (env->cur->curframe != callback && !at_tail_call))
			continue;
		verbose(env, "Unreleased reference id=%d alloc_insn=%d\n", ref->id, ref->insn_idx);
		err = -EINVAL;
	}
	return err;
}
