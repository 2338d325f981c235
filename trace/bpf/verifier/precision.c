/*
 * Which numbers matter, and which bytes of the stack. A state that was walked covers a second one
 * if each register of the second holds nothing that the first could not hold. For numbers that
 * would be too strict: a counter of events is different each time, and no decision of the verifier
 * depends on it. Only those are compared on which one did: a jump that can only go one way, an
 * offset, a size, a return value.
 *
 * But such a number was computed from others, which were in the states that were kept before. So
 * each number knows its origin: the numbers in the last kept state from which it was computed.
 * Those have their origins in the kept state before it, and so on. mark_precise() marks them all.
 *
 *	state A: r1 (origin a)		state B: r1 (origin b, from a), r2 (origin c)
 *	r1 = 5		...		r2 = load	...	r1 += r2 (origin d, from b, c)
 *
 * If d matters, then b and c do in state B, and a does in state A. A load from other memory than
 * the stack gives a number without origin: it depends on nothing that a state knows.
 *
 * A slot of the stack only matters if it is read later. It has an origin in the same way: the slot
 * in the kept state whose contents it still has, at least in part.
 *
 * Origins live as long as the walk of a function: states share them.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

struct bpf_origin {
	struct bpf_origin *from[2]; /* NULL: no more */
	struct bpf_origin *next;    /* to be marked: the list of mark_precise() */
	bool matters;
};

#define ORIGINS_OF_A_BLOCK 120

struct bpf_origin_block {
	struct bpf_origin_block *next;
	u32 used;
	struct bpf_origin origins[ORIGINS_OF_A_BLOCK];
};

static struct bpf_origin *new_origin(struct bpf_verifier_env *env, struct bpf_origin *a,
				     struct bpf_origin *b)
{
	struct bpf_origin_block *block = env->origins;
	struct bpf_origin *origin;

	if (!block || block->used == ORIGINS_OF_A_BLOCK) {
		block = bpf_state_alloc(env, sizeof(*block));
		if (!block)
			return NULL;
		block->next = env->origins;
		env->origins = block;
	}
	origin = &block->origins[block->used++];
	origin->from[0] = a;
	origin->from[1] = b;
	return origin;
}

void free_origins(struct bpf_verifier_env *env)
{
	while (env->origins) {
		struct bpf_origin_block *block = env->origins;

		env->origins = block->next;
		bpf_check_memory_free(&env->memory, block);
	}
}

bool is_precise(const struct bpf_reg_state *reg)
{
	return reg->origin && reg->origin->matters;
}

bool is_slot_read(const struct bpf_stack_state *slot)
{
	return slot->reads && slot->reads->matters;
}

/* Marks one that is not marked, and puts it on the list of those whose origins are to be marked. */
static void mark_origin(struct bpf_origin *origin, struct bpf_origin **list)
{
	if (!origin || origin->matters)
		return;
	origin->matters = true;
	origin->next = *list;
	*list = origin;
}

static void mark_origins(struct bpf_origin *first)
{
	struct bpf_origin *list = NULL;

	mark_origin(first, &list);
	while (list) {
		struct bpf_origin *origin = list;

		list = origin->next;
		mark_origin(origin->from[0], &list);
		mark_origin(origin->from[1], &list);
	}
}

void mark_precise(const struct bpf_reg_state *reg)
{
	if (reg->type == SCALAR_VALUE)
		mark_origins(reg->origin);
}

void mark_slot_read(const struct bpf_stack_state *slot)
{
	mark_origins(slot->reads);
}

int merge_origin(struct bpf_verifier_env *env, struct bpf_reg_state *dst,
		 const struct bpf_reg_state *src)
{
	if (!src->origin || dst->origin == src->origin)
		return 0;
	if (!dst->origin) {
		dst->origin = src->origin;
		return 0;
	}
	dst->origin = new_origin(env, dst->origin, src->origin);
	return dst->origin ? 0 : env->push_error;
}

static void start_origin(struct bpf_verifier_env *env, struct bpf_reg_state *reg)
{
	if (reg->type != SCALAR_VALUE || env->push_error)
		return;
	/* Of any number and no other: whatever comes is covered. */
	if (!reg->id && scalar_is_unknown(&reg->s))
		reg->origin = NULL;
	else
		reg->origin = new_origin(env, reg->origin, NULL);
}

/* Unknown bytes cover all others anyway. */
static void start_slot(struct bpf_verifier_env *env, struct bpf_stack_state *slot)
{
	for (u32 i = 0; i < BPF_REG_SIZE && !env->push_error; i++) {
		if (slot->slot_type[i] == STACK_SPILL || slot->slot_type[i] == STACK_ZERO) {
			slot->reads = new_origin(env, slot->reads, NULL);
			return;
		}
	}
}

int start_origins(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	env->push_error = 0;
	bpf_for_each_reg (reg, state)
		start_origin(env, reg);
	for (u32 i = 0; i <= state->curframe; i++)
		for (u32 s = 0; s < nr_slots(state->frame[i]); s++)
			start_slot(env, &state->frame[i]->stack[s]);
	return env->push_error;
}
