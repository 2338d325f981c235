/*
 * Which numbers matter. A state that was walked covers a second one if each register of the second
 * holds nothing that the first could not hold. For numbers that would be too strict: a counter of
 * events is different each time, and no decision of the verifier depends on it. Only those are
 * compared on which one did: a jump that can only go one way, an offset, a size, a return value.
 *
 * But such a number was computed from others, and those were in the states that were kept before. So
 * each number knows its origin: the numbers in the last kept state from which it was computed. Those
 * have their origins in the kept state before it, and so on. mark_precise() marks them all.
 *
 *	state A: r1 (origin a)		state B: r1 (origin b, from a), r2 (origin c)
 *	r1 = 5			...	r2 = load	...	r1 += r2  (origin d, from b and c)
 *
 * If d matters, then b and c do in state B, and a does in state A. What a decision depends on by way
 * of memory other than the stack is not a matter of origins: a load gives a number without origin.
 *
 * Origins live as long as the walk of a function: states share them.
 */
#include "kernel/errno.h"
#include "trace/bpf/verifier/verifier.h"

struct bpf_origin {
	struct bpf_origin *from[2]; /* NULL: no more */
	struct bpf_origin *next;    /* to be marked: the list of mark_precise() */
	bool precise;
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
		bpf_state_free(env, block);
	}
}

bool is_precise(const struct bpf_reg_state *reg)
{
	return reg->origin && reg->origin->precise;
}

/* Marks one, if it is not marked, and puts it on the list of those whose origins are to be marked. */
static void mark_origin(struct bpf_origin *origin, struct bpf_origin **list)
{
	if (!origin || origin->precise)
		return;
	origin->precise = true;
	origin->next = *list;
	*list = origin;
}

void mark_precise(const struct bpf_reg_state *reg)
{
	struct bpf_origin *list = NULL;

	if (reg->type == SCALAR_VALUE)
		mark_origin(reg->origin, &list);
	while (list) {
		struct bpf_origin *origin = list;

		list = origin->next;
		mark_origin(origin->from[0], &list);
		mark_origin(origin->from[1], &list);
	}
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

/* data: the env. */
static void start_origin(struct bpf_reg_state *reg, void *data)
{
	struct bpf_verifier_env *env = data;

	if (reg->type != SCALAR_VALUE || env->push_error)
		return;
	/* Of any number and no other: whatever comes is covered. */
	if (!reg->id && scalar_is_unknown(&reg->s))
		reg->origin = NULL;
	else
		reg->origin = new_origin(env, reg->origin, NULL);
}

int start_origins(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	env->push_error = 0;
	bpf_for_each_reg(state, start_origin, env);
	return env->push_error;
}
