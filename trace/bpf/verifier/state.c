/*
 * States of the walk: their memory, copies of them, and registers without regard to instructions.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/verifier/verifier.h"

void *bpf_state_alloc(struct bpf_verifier_env *env, size_t size)
{
	if (env->memory.bytes + size <= env->table_bytes + BPF_STATE_MEMORY)
		return bpf_check_memory_alloc(&env->memory, size, &env->push_error);
	env->push_error =
		refuse(env, -E2BIG, "The states of the program need more than %lu MB of memory.\n",
		       BPF_STATE_MEMORY >> 20);
	return NULL;
}

static void *state_memdup(struct bpf_verifier_env *env, const void *from, size_t size)
{
	void *copy = bpf_state_alloc(env, size);

	if (copy)
		memcpy(copy, from, size);
	return copy;
}

static size_t stack_bytes(u32 allocated_stack)
{
	return allocated_stack / BPF_REG_SIZE * sizeof(struct bpf_stack_state);
}

static void free_frame(struct bpf_verifier_env *env, struct bpf_func_state *frame)
{
	if (!frame)
		return;
	bpf_check_memory_free(&env->memory, frame->stack);
	bpf_check_memory_free(&env->memory, frame);
}

/* Also if it returns false, *copy may be freed. */
static bool copy_frame(struct bpf_verifier_env *env, struct bpf_func_state **copy,
		       const struct bpf_func_state *src)
{
	*copy = state_memdup(env, src, sizeof(*src));
	if (!*copy || !src->stack)
		return *copy;
	(*copy)->stack = state_memdup(env, src->stack, stack_bytes(src->allocated_stack));
	return (*copy)->stack;
}

void bpf_free_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	if (!state)
		return;
	for (u32 i = 0; i <= state->curframe; i++)
		free_frame(env, state->frame[i]);
	bpf_check_memory_free(&env->memory, state->refs);
	bpf_check_memory_free(&env->memory, state);
}

struct bpf_verifier_state *bpf_copy_state(struct bpf_verifier_env *env,
					  const struct bpf_verifier_state *src)
{
	struct bpf_verifier_state *copy = state_memdup(env, src, sizeof(*src));
	bool ok;

	if (!copy)
		return NULL;
	memset(copy->frame, 0, sizeof(copy->frame));
	copy->refs = NULL;
	copy->hits = copy->misses = 0;
	if (src->nr_refs)
		copy->refs = state_memdup(env, src->refs, src->nr_refs * sizeof(*src->refs));
	ok = !src->nr_refs || copy->refs;
	for (u32 i = 0; ok && i <= src->curframe; i++)
		ok = copy_frame(env, &copy->frame[i], src->frame[i]);
	if (ok)
		return copy;
	bpf_free_state(env, copy);
	return NULL;
}

struct bpf_func_state *bpf_push_frame(struct bpf_verifier_env *env,
				      struct bpf_verifier_state *state, u32 subprogno)
{
	u32 no = state->frame[0] ? state->curframe + 1 : 0;
	struct bpf_func_state *frame;

	if (no == MAX_CALL_FRAMES) {
		env->push_error =
			refuse(env, -E2BIG, "the call stack of %d frames is too deep\n", no + 1);
		return NULL;
	}
	frame = bpf_state_alloc(env, sizeof(*frame));
	if (!frame)
		return NULL;
	frame->callsite = env->insn_idx;
	frame->frameno = no;
	frame->subprogno = subprogno;
	for (u32 i = 0; i < MAX_BPF_REG; i++)
		mark_reg_not_init(&frame->regs[i]);
	mark_reg_pointer(&frame->regs[BPF_REG_FP], PTR_TO_STACK);
	frame->regs[BPF_REG_FP].frameno = no;
	state->curframe = no;
	state->frame[no] = frame;
	return frame;
}

void bpf_pop_frame(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	free_frame(env, state->frame[state->curframe]);
	state->frame[state->curframe--] = NULL;
}

int bpf_grow_stack(struct bpf_verifier_env *env, struct bpf_func_state *func, u32 size)
{
	u16 *depth = &env->subprogs[func->subprogno].stack_depth;
	struct bpf_stack_state *stack;

	if (size <= func->allocated_stack)
		return 0;
	stack = bpf_state_alloc(env, stack_bytes(size));
	if (!stack)
		return env->push_error;
	if (func->stack)
		memcpy(stack, func->stack, stack_bytes(func->allocated_stack));
	bpf_check_memory_free(&env->memory, func->stack);
	func->stack = stack;
	func->allocated_stack = size;
	*depth = max(*depth, (u16)size);
	return 0;
}

void mark_reg_not_init(struct bpf_reg_state *reg)
{
	mark_reg_unknown(reg);
	reg->type = NOT_INIT;
}

void mark_reg_unknown(struct bpf_reg_state *reg)
{
	*reg = (struct bpf_reg_state){ .type = SCALAR_VALUE };
	scalar_set_unknown(&reg->s);
}

void mark_reg_known(struct bpf_reg_state *reg, u64 value)
{
	*reg = (struct bpf_reg_state){ .type = SCALAR_VALUE };
	scalar_set_const(&reg->s, value);
}

void mark_reg_pointer(struct bpf_reg_state *reg, u32 type)
{
	mark_reg_known(reg, 0);
	reg->type = type;
}

struct bpf_reg_state *bpf_next_reg(struct bpf_verifier_state *state, struct bpf_reg_iter *iter)
{
	for (; iter->frame <= state->curframe; iter->frame++, iter->next = 0) {
		struct bpf_func_state *frame = state->frame[iter->frame];

		if (iter->next < MAX_BPF_REG)
			return &frame->regs[iter->next++];
		while (iter->next < MAX_BPF_REG + nr_slots(frame)) {
			struct bpf_stack_state *slot = &frame->stack[iter->next++ - MAX_BPF_REG];

			if (bpf_is_spilled_reg(slot))
				return &slot->spilled;
		}
	}
	return NULL;
}
