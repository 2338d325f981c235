/*
 * Whether one state covers another one: nothing that can happen from the second cannot happen from
 * the first. So if the first was safe, the second one is.
 *
 * A register covers another one if each value of the second is one of the first. A register that is
 * not live, and a number that does not matter, cover anything: liveness.c, precision.c. With
 * `exact` numbers are compared in any case: for states that were not walked to their end, of which
 * it is not known yet what matters.
 *
 * Ids are names: two registers of the first state that have the same id must have the same one in
 * the second, but maybe another name.
 */
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

/*
 * The id `cur` stands for `old`, in all registers. 0 is the id of a register that shares nothing.
 */
static bool ids_match(struct bpf_verifier_env *env, u32 old, u32 cur)
{
	if (!old)
		return true;
	for (u32 i = 0; i < env->nr_ids; i++)
		if (env->idmap[i].old == old)
			return cur && env->idmap[i].cur == cur;
	if (env->nr_ids == BPF_ID_MAP_SIZE)
		return false;
	env->idmap[env->nr_ids++] = (struct bpf_id_pair){ old, cur };
	return true;
}

static bool pointers_equal(struct bpf_verifier_env *env, const struct bpf_reg_state *old,
			   const struct bpf_reg_state *cur)
{
	if (old->type != cur->type || old->off != cur->off || old->frameno != cur->frameno ||
	    old->map_ptr != cur->map_ptr) /* or mem_size, btf_id, subprogno */
		return false;
	return scalar_within(&old->s, &cur->s) && ids_match(env, old->id, cur->id) &&
	       !old->ref_obj_id == !cur->ref_obj_id &&
	       ids_match(env, old->ref_obj_id, cur->ref_obj_id);
}

static bool reg_covers(struct bpf_verifier_env *env, const struct bpf_reg_state *old,
		       const struct bpf_reg_state *cur, bool exact)
{
	if (old->type == NOT_INIT)
		return true;
	if (old->type != SCALAR_VALUE)
		return pointers_equal(env, old, cur);
	if (cur->type != SCALAR_VALUE)
		return false;
	if (!exact && !is_precise(old))
		return true;
	return scalar_within(&old->s, &cur->s) && ids_match(env, old->id, cur->id);
}

static bool slot_covers(struct bpf_verifier_env *env, const struct bpf_stack_state *old,
			const struct bpf_stack_state *cur, bool exact)
{
	bool is_number = bpf_is_spilled_reg(old) && old->spilled.type == SCALAR_VALUE;
	bool any_number = is_number && !exact && !is_precise(&old->spilled);

	if (!exact && !is_slot_read(old))
		return true;
	/* What was safe to read as a number is not as a pointer: of that, no part may be read. */
	if (cur && bpf_is_spilled_reg(cur) && cur->spilled.type != SCALAR_VALUE &&
	    (!bpf_is_spilled_reg(old) || is_number))
		return false;
	for (u32 byte = 0; byte < BPF_REG_SIZE; byte++) {
		u8 type = old->slot_type[byte];

		/* It may have been anything: then it was safe to read anything. */
		if (type == STACK_INVALID || type == STACK_MISC ||
		    (type == STACK_SPILL && any_number))
			continue;
		if (!cur || cur->slot_type[byte] != type)
			return false;
	}
	return !bpf_is_spilled_reg(old) || any_number ||
	       reg_covers(env, &old->spilled, &cur->spilled, exact);
}

static struct bpf_stack_state *slot_of(struct bpf_func_state *frame, u32 i)
{
	return i < nr_slots(frame) ? &frame->stack[i] : NULL;
}

/*
 * The registers that matter in a frame: of the one on top before the instruction, else at the call.
 */
static u16 live_regs_of(const struct bpf_verifier_env *env, const struct bpf_verifier_state *state,
			u32 frame)
{
	static const u16 callee_saved = 0x3c0; /* R6 to R9 */
	u32 callsite;

	if (frame == state->curframe)
		return env->aux[state->insn_idx].live_regs;
	callsite = state->frame[frame + 1]->callsite;
	/* A callback returns to the call, which may be made again. */
	if (state->frame[frame + 1]->in_callback_fn)
		return env->aux[callsite].live_regs;
	return env->aux[callsite + 1].live_regs & callee_saved;
}

static bool frame_covers(struct bpf_verifier_env *env, struct bpf_func_state *old,
			 struct bpf_func_state *cur, u16 live, bool exact)
{
	for (u32 i = 0; i < MAX_BPF_REG; i++)
		if (live >> i & 1 && !reg_covers(env, &old->regs[i], &cur->regs[i], exact))
			return false;
	for (u32 i = 0; i < nr_slots(old); i++)
		if (!slot_covers(env, &old->stack[i], slot_of(cur, i), exact))
			return false;
	return true;
}

/* Both hold the same references, under whatever ids. */
static bool refs_equal(struct bpf_verifier_env *env, const struct bpf_verifier_state *old,
		       const struct bpf_verifier_state *cur)
{
	if (old->nr_refs != cur->nr_refs)
		return false;
	for (u32 i = 0; i < old->nr_refs; i++)
		if (!ids_match(env, old->refs[i].id, cur->refs[i].id) ||
		    old->refs[i].callback_ref != cur->refs[i].callback_ref)
			return false;
	return true;
}

bool bpf_same_callers(const struct bpf_verifier_state *a, const struct bpf_verifier_state *b)
{
	if (a->curframe != b->curframe)
		return false;
	for (u32 i = 0; i <= a->curframe; i++)
		if (a->frame[i]->callsite != b->frame[i]->callsite ||
		    a->frame[i]->in_callback_fn != b->frame[i]->in_callback_fn)
			return false;
	return true;
}

bool bpf_states_equal(struct bpf_verifier_env *env, struct bpf_verifier_state *old,
		      struct bpf_verifier_state *cur, bool exact)
{
	if (!bpf_same_callers(old, cur))
		return false;
	env->nr_ids = 0;
	if (!refs_equal(env, old, cur))
		return false;
	for (u32 i = 0; i <= old->curframe; i++)
		if (!frame_covers(env, old->frame[i], cur->frame[i], live_regs_of(env, old, i),
				  exact))
			return false;
	return true;
}

void bpf_mark_all(struct bpf_verifier_state *state)
{
	bpf_for_each_reg (reg, state)
		mark_precise(reg);
	for (u32 i = 0; i <= state->curframe; i++)
		for (u32 s = 0; s < nr_slots(state->frame[i]); s++)
			mark_slot_read(&state->frame[i]->stack[s]);
}

void bpf_inherit_precision(struct bpf_verifier_state *old, struct bpf_verifier_state *cur)
{
	for (u32 i = 0; i <= old->curframe; i++) {
		struct bpf_func_state *from = old->frame[i], *to = cur->frame[i];

		for (u32 r = 0; r < MAX_BPF_REG; r++)
			if (is_precise(&from->regs[r]))
				mark_precise(&to->regs[r]);
		for (u32 s = 0; s < nr_slots(from); s++) {
			const struct bpf_stack_state *slot = slot_of(to, s);

			if (!slot || !is_slot_read(&from->stack[s]))
				continue;
			mark_slot_read(slot);
			if (bpf_is_spilled_reg(slot) && bpf_is_spilled_reg(&from->stack[s]) &&
			    is_precise(&from->stack[s].spilled))
				mark_precise(&slot->spilled);
		}
	}
}

/* A number by which a callback may end its rounds: one that was decided by, or was not there. */
static bool matters(const struct bpf_stack_state *before)
{
	return !bpf_is_spilled_reg(before) || is_precise(&before->spilled);
}

/*
 * The stack of the callers, which a callback may write to: what differs from the round before
 * becomes unknown. A number with a smaller range would only grow from round to round.
 *
 * But not a pointer: of an unknown one there is no use. It moves from round to round, until the
 * callback says that it is enough, or it leaves its memory. Numbers that may say so stay known
 * then, too.
 */
void bpf_widen_stack(struct bpf_verifier_env *env, struct bpf_verifier_state *old,
		     struct bpf_verifier_state *cur)
{
	bool moved = false;

	env->nr_ids = 0;
	/* Twice over all frames: the first time it only looks for pointers. */
	for (u32 i = 0; i < 2 * (old->curframe + 1); i++) {
		u32 no = i % (old->curframe + 1);
		struct bpf_func_state *from = old->frame[no];

		for (u32 s = 0; s < nr_slots(from); s++) {
			struct bpf_stack_state *slot = slot_of(cur->frame[no], s);

			if (!slot || slot_covers(env, &from->stack[s], slot, true))
				continue;
			if (bpf_is_spilled_reg(slot) && slot->spilled.type != SCALAR_VALUE) {
				moved = true;
			} else if (i > old->curframe && !(moved && matters(&from->stack[s]))) {
				memset(slot->slot_type, STACK_MISC, sizeof(slot->slot_type));
				mark_reg_unknown(&slot->spilled);
			}
		}
	}
}
