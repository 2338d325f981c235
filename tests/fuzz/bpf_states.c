/* Comparing real runs with the states of the verifier: see bpf_states.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/bpf_states.h"
#include "tests/host/bpf_scalar.h"

#define MAX_INSNS   512
#define MAX_OF_INSN 256 /* more states of an instruction: it is not checked */
#define MAX_STATES  6000

struct kept {
	struct kept *next;
	u32 curframe, nr_refs;
	struct bpf_func_state frame[];
};

static struct {
	struct kept *states;
	u32 nr;
	u16 live_regs;
	u16 live_after_call; /* the registers that the caller reads when a call here has returned */
} kept[MAX_INSNS];
static u32 nr_kept;

void states_keep(struct bpf_verifier_env *env)
{
	const struct bpf_verifier_state *state = env->cur;
	u32 at = env->insn_idx, i;
	struct kept *copy;

	if (at >= MAX_INSNS || kept[at].nr >= MAX_OF_INSN || nr_kept >= MAX_STATES) {
		if (at < MAX_INSNS)
			kept[at].nr = MAX_OF_INSN;
		return;
	}
	copy = malloc(sizeof(*copy) + (state->curframe + 1) * sizeof(copy->frame[0]));
	copy->curframe = state->curframe;
	copy->nr_refs = state->nr_refs;
	for (i = 0; i <= state->curframe; i++) {
		size_t size = state->frame[i]->allocated_stack / BPF_REG_SIZE *
			      sizeof(struct bpf_stack_state);

		copy->frame[i] = *state->frame[i];
		copy->frame[i].stack = malloc(size + 1);
		if (size)
			memcpy(copy->frame[i].stack, state->frame[i]->stack, size);
	}
	copy->next = kept[at].states;
	kept[at].states = copy;
	kept[at].nr++;
	kept[at].live_regs = env->aux[at].live_regs;
	if (at + 1 < env->prog->len)
		kept[at].live_after_call = env->aux[at + 1].live_regs;
	nr_kept++;
}

u32 states_kept(void)
{
	return nr_kept;
}

void states_free(void)
{
	u32 i, f;

	for (i = 0; i < MAX_INSNS; i++) {
		while (kept[i].states) {
			struct kept *state = kept[i].states;

			kept[i].states = state->next;
			for (f = 0; f <= state->curframe; f++)
				free(state->frame[f].stack);
			free(state);
		}
		kept[i].nr = 0;
	}
	nr_kept = 0;
}

/* Numbers of the same id have the same value. */
struct ids {
	u32 nr;
	struct {
		u32 id;
		u64 value;
	} known[64];
};

static bool same_value(struct ids *ids, u32 id, u64 value)
{
	u32 i;

	for (i = 0; i < ids->nr; i++)
		if (ids->known[i].id == id)
			return ids->known[i].value == value;
	if (ids->nr < ARRAY_SIZE(ids->known)) {
		ids->known[ids->nr].id = id;
		ids->known[ids->nr++].value = value;
	}
	return true;
}

static bool kind_matches(const struct bpf_reg_state *reg, const struct region *region)
{
	switch (reg->type & BPF_REG_TYPE_BASE) {
	case PTR_TO_CTX:
		return region->kind == REGION_CTX;
	case CONST_PTR_TO_MAP:
		return region->kind == REGION_MAP && region->map == reg->map_ptr;
	case PTR_TO_MAP_VALUE:
		return region->kind == REGION_VALUE && region->map == reg->map_ptr;
	case PTR_TO_MAP_KEY:
		return region->kind == REGION_KEY;
	case PTR_TO_STACK:
		return region->kind == REGION_STACK && region->live &&
		       region->number == reg->frameno;
	case PTR_TO_MEM:
		return region->kind == REGION_RECORD && region->live &&
		       region->size == reg->mem_size;
	case PTR_TO_FUNC:
		return region->kind == REGION_FUNC;
	default:
		return false;
	}
}

static bool reg_matches(const struct machine *m, const struct bpf_reg_state *reg, struct word word,
			struct ids *ids)
{
	const struct region *region;
	u64 start;

	if (reg->type == NOT_INIT)
		return true; /* nothing reads it */
	if (word.region == WORD_NOT_INIT)
		return false;
	if (reg->type == SCALAR_VALUE)
		return scalar_contains(&reg->s, word.bits) &&
		       (!reg->id || same_value(ids, reg->id, word.bits));
	if (reg->type & PTR_MAYBE_NULL && word.region < 0)
		return !word.bits;
	if (word.region < 0)
		return false;
	region = &m->regions[word.region];
	start = region->base + (region->kind == REGION_STACK ? region->size : 0);
	return kind_matches(reg, region) &&
	       scalar_contains(&reg->s, word.bits - start - (u64)(s64)reg->off);
}

/* The bytes of a slot, the lowest one last, as in slot_type. */
static bool slot_matches(const struct machine *m, const struct bpf_stack_state *slot, u32 number,
			 const struct region *stack, struct ids *ids)
{
	struct word word = machine_number(0);
	u64 at = stack->size - 8 * ((u64)number + 1);
	struct bpf_reg_state reg;
	u32 i, spilled = 0;

	if (8 * (number + 1) > stack->size) {
		for (i = 0; i < BPF_REG_SIZE; i++)
			if (slot->slot_type[i] != STACK_INVALID)
				return false;
		return true;
	}
	for (i = 0; i < BPF_REG_SIZE; i++) {
		u64 byte = at + BPF_REG_SIZE - 1 - i;

		if (slot->slot_type[i] == STACK_ZERO && stack->bytes[byte])
			return false;
		spilled += slot->slot_type[i] == STACK_SPILL;
	}
	if (!bpf_is_spilled_reg(slot))
		return true;
	memcpy(&word.bits, stack->bytes + at, spilled);
	reg = slot->spilled;
	if (spilled == BPF_REG_SIZE)
		word.region = stack->pointers[at / 8];
	else
		scalar_truncate(&reg.s, (u8)spilled); /* only its lower bytes are there */
	return reg_matches(m, &reg, word, ids);
}

static bool frame_matches(const struct machine *m, const struct kept *state, u32 f, u16 live,
			  struct ids *ids, const char **why)
{
	const struct bpf_func_state *func = &state->frame[f];
	const struct region *stack = &m->regions[m->frames[f].stack];
	u32 i;

	*why = "callsite";
	if (f && func->callsite != (u32)m->frames[f].callsite)
		return false;
	for (i = 0; i < BPF_REG_10; i++) {
		struct word word = f == m->depth    ? m->regs[i]
				   : i >= BPF_REG_6 ? m->frames[f + 1].saved[i - BPF_REG_6]
						    : (struct word){ 0, WORD_NOT_INIT };

		*why = "register";
		if (live & 1 << i && !reg_matches(m, &func->regs[i], word, ids))
			return false;
	}
	*why = "stack";
	for (i = 0; i < func->allocated_stack / BPF_REG_SIZE; i++)
		if (!slot_matches(m, &func->stack[i], i, stack, ids))
			return false;
	return true;
}

static bool state_matches(const struct machine *m, u32 pc, const struct kept *state,
			  const char **why)
{
	struct ids ids = { .nr = 0 };
	u32 f;

	*why = "frames or references";
	/* A record that the helper did not give is a reference until the program has looked. */
	if (state->curframe != m->depth || state->nr_refs < m->references)
		return false;
	for (f = 0; f <= m->depth; f++) {
		u16 live = f == m->depth
				   ? kept[pc].live_regs
				   : kept[m->frames[f + 1].callsite].live_after_call & (u16)~0x3f;

		if (!frame_matches(m, state, f, live, &ids, why))
			return false;
	}
	return true;
}

void states_check(const struct machine *m, u32 pc)
{
	const char *why = "no state was walked";
	const struct kept *state;

	if (pc >= MAX_INSNS || kept[pc].nr >= MAX_OF_INSN)
		return;
	for (state = kept[pc].states; state; state = state->next)
		if (state_matches(m, pc, state, &why))
			return;
	machine_fail(m, "no state of instruction %u is like the run (the last: %s)", pc, why);
}
