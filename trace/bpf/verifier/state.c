/*
 * States of the walk: their memory, copies of them, and registers without regard to instructions.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/verifier/verifier.h"

/* Memory of bpf_state_alloc() begins with its size. */
struct state_memory {
	size_t size;
	u64 bytes[];
};

void *bpf_state_alloc(struct bpf_verifier_env *env, size_t size)
{
	struct state_memory *memory;

	size += sizeof(*memory);
	if (env->state_bytes + size > BPF_STATE_MEMORY) {
		verbose(env, "The states of the program need more than %lu MB of memory.\n",
			BPF_STATE_MEMORY >> 20);
		env->push_error = -E2BIG;
		return NULL;
	}
	memory = kzalloc(size, GFP_KERNEL);
	if (!memory) {
		env->push_error = -ENOMEM;
		return NULL;
	}
	memory->size = size;
	env->state_bytes += size;
	return memory->bytes;
}

void bpf_state_free(struct bpf_verifier_env *env, void *bytes)
{
	struct state_memory *memory;

	if (!bytes)
		return;
	memory = container_of(bytes, struct state_memory, bytes);
	env->state_bytes -= memory->size;
	kfree(memory);
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
	bpf_state_free(env, frame->stack);
	bpf_state_free(env, frame);
}

static struct bpf_func_state *copy_frame(struct bpf_verifier_env *env,
					 const struct bpf_func_state *src)
{
	struct bpf_func_state *copy = state_memdup(env, src, sizeof(*src));

	if (!copy)
		return NULL;
	copy->stack = NULL;
	if (src->allocated_stack) {
		copy->stack = state_memdup(env, src->stack, stack_bytes(src->allocated_stack));
		if (!copy->stack) {
			bpf_state_free(env, copy);
			return NULL;
		}
	}
	return copy;
}

void bpf_free_state(struct bpf_verifier_env *env, struct bpf_verifier_state *state)
{
	if (!state)
		return;
	for (u32 i = 0; i <= state->curframe; i++)
		free_frame(env, state->frame[i]);
	bpf_state_free(env, state->refs);
	bpf_state_free(env, state);
}

struct bpf_verifier_state *bpf_copy_state(struct bpf_verifier_env *env,
					  const struct bpf_verifier_state *src)
{
	struct bpf_verifier_state *copy = state_memdup(env, src, sizeof(*src));

	if (!copy)
		return NULL;
	memset(copy->frame, 0, sizeof(copy->frame));
	copy->refs = NULL;
	copy->hits = copy->misses = 0;
	if (src->nr_refs) {
		copy->refs = state_memdup(env, src->refs, src->nr_refs * sizeof(*src->refs));
		if (!copy->refs)
			goto err;
	}
	for (u32 i = 0; i <= src->curframe; i++) {
		copy->frame[i] = copy_frame(env, src->frame[i]);
		if (!copy->frame[i])
			goto err;
	}
	return copy;
err:
	bpf_free_state(env, copy);
	return NULL;
}

struct bpf_func_state *bpf_push_frame(struct bpf_verifier_env *env,
				      struct bpf_verifier_state *state, s32 callsite, u32 subprogno)
{
	struct bpf_func_state *frame = bpf_state_alloc(env, sizeof(*frame));
	u32 no;

	if (!frame)
		return NULL;
	no = state->frame[0] ? state->curframe + 1 : 0;
	frame->callsite = callsite;
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

	size = (size + BPF_REG_SIZE - 1) & -BPF_REG_SIZE;
	if (size <= func->allocated_stack)
		return 0;
	stack = bpf_state_alloc(env, stack_bytes(size));
	if (!stack)
		return env->push_error;
	if (func->stack)
		memcpy(stack, func->stack, stack_bytes(func->allocated_stack));
	bpf_state_free(env, func->stack);
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
	memset(reg, 0, sizeof(*reg));
	reg->type = SCALAR_VALUE;
	scalar_set_unknown(&reg->s);
}

void mark_reg_known(struct bpf_reg_state *reg, u64 value)
{
	memset(reg, 0, sizeof(*reg));
	reg->type = SCALAR_VALUE;
	scalar_set_const(&reg->s, value);
}

void mark_reg_pointer(struct bpf_reg_state *reg, u32 type)
{
	mark_reg_known(reg, 0);
	reg->type = type;
}

void bpf_for_each_reg(struct bpf_verifier_state *state,
		      void (*fn)(struct bpf_reg_state *reg, void *data), void *data)
{
	for (u32 i = 0; i <= state->curframe; i++) {
		struct bpf_func_state *frame = state->frame[i];

		for (u32 r = 0; r < MAX_BPF_REG; r++)
			fn(&frame->regs[r], data);
		for (u32 slot = 0; slot < frame->allocated_stack / BPF_REG_SIZE; slot++)
			if (bpf_is_spilled_reg(&frame->stack[slot]))
				fn(&frame->stack[slot].spilled, data);
	}
}
