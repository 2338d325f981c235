/*
 * Traced calls and their returns: the return address on the stack is hijacked.
 *
 * At the entry of a function that a user (fgraph_ops) wants, ftrace calls its entry stub. That
 *keeps the function's return address in a frame on the task's shadow stack, and puts the address of
 * return_to_handler in its place. So the function returns there; a return stub takes the frame off
 * again, tells the users, and the true address is gone to.
 *
 *	the stack                            the shadow stack
 *	| ...                  |             | ...                                  |
 *	| return_to_handler    | <---- slot  | ret, slot, func, users, ..., data    | <- top
 *	| frame of the traced  |             |                                      | <- limit
 *
 * Any number of ftrace_ops may want the same call. The first one's callback makes the frame; those
 * after it find the address replaced by that very frame, and join it. Each user's ftrace_ops is
 * its own, with its own filter, so that ftrace alone decides whom a site calls.
 *
 * Interrupts and NMIs. They nest on the task that they interrupt, and have returned from all their
 * functions when they end, so they leave top and limit as they found them, at whatever instruction
 * they came. An unwinder in them never finds return_to_handler in a slot without its frame: the
 * frame is there before the slot is changed, and until it has been changed back.
 *
 * Tasks. Frames belong to the task, which may sleep, migrate or be killed between a push and its
 * pop; both happen with preemption off, each on one CPU. Who gives and takes the shadow stacks is
 * told in trace/fgraph/tasks.c. Functions that never return (do_exit, an oops) leave their frames
 * behind, which go with the task.
 *
 * Users that leave. Frames hold a bit for each user, and users come and go while calls are under
 * way. Once a user has left the array and every CPU has switched tasks, nobody calls it; frames
 * with its bit remain. A newcomer may get the same place: calls entered before its time, by the
 * count of registrations (epoch), are not its own.
 */
#include "trace/fgraph/fgraph.h"

#include "kernel/panic.h"
#include "kernel/rcu/rcu.h"
#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"
#include "trace/ftrace/recursion.h"

DEFINE_MUTEX(fgraph_mutex);

static struct fgraph_ops fgraph_nobody;
struct fgraph_ops *fgraph_array[FGRAPH_ARRAY_SIZE] = { [0 ... FGRAPH_ARRAY_SIZE - 1] =
							       &fgraph_nobody };
u32 fgraph_epoch;
static bool silenced;        /* once, by an error: see fgraph_silence() */
static u64 fgraph_unmatched; /* [A] frames thrown away: their function never returned */

/* The address in slot has been replaced already: by another user for this call? */
bool fgraph_join_frame(struct fgraph_stack *stack, unsigned long *slot, struct fgraph_ops *gops,
		       unsigned long ip, struct ftrace_regs *fregs)
{
	struct fgraph_frame *frame = stack->top;
	struct ftrace_graph_ent trace = { .func = ip, .depth = frame->depth - 1 };

	/* Else a function jumped here at its end: its own frame is below this call's. */
	if (frame->slot != slot || fgraph_frame_func(frame) != ip || frame->users & gops->bit)
		return false;
	/* This user may have come after the frame; none of its bits is one's who left before. */
	frame->epoch = READ_ONCE(fgraph_epoch);
	if (gops->entryfunc(&trace, gops, fregs))
		frame->users |= gops->bit;
	return true;
}

struct fgraph_frame *fgraph_unwind_to(struct fgraph_stack *stack, const unsigned long *slot)
{
	while (stack->top != fgraph_bottom(stack) && stack->top->slot != slot) {
		struct fgraph_frame *frame = stack->top;

		__atomic_fetch_add(&fgraph_unmatched, 1, __ATOMIC_RELAXED);
		WRITE_ONCE(stack->top, fgraph_below(frame));
		barrier();
		WRITE_ONCE(stack->limit, (u64 *)frame);
	}
	if (stack->top == fgraph_bottom(stack))
		panic("fgraph: nobody knows where to return to from %p", slot);
	return stack->top;
}

void fgraph_tell_users(struct fgraph_stack *stack, struct fgraph_frame *frame,
		       struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace;

	fgraph_fill_return(&trace, stack, frame, fregs);
	for (unsigned users = READ_ONCE(silenced) ? 0 : frame->users; users; users &= users - 1) {
		struct fgraph_ops *gops = READ_ONCE(fgraph_array[__builtin_ctz(users)]);

		if (gops != &fgraph_nobody && (s32)(frame->epoch - gops->epoch) >= 0)
			gops->retfunc(&trace, gops, fregs);
	}
}

static void fgraph_entry(unsigned long ip, unsigned long parent_ip __unused, struct ftrace_ops *op,
			 struct ftrace_regs *fregs)
{
	struct fgraph_ops *gops = container_of(op, struct fgraph_ops, ops);

	current->trace_recursion += TRACE_RECURSION_GRAPH;
	fgraph_handle_entry(ip, op, fregs, gops->entryfunc);
	current->trace_recursion -= TRACE_RECURSION_GRAPH;
}

static void fgraph_return(struct ftrace_regs *fregs)
{
	fgraph_handle_return(fregs, NULL);
}

/* What return_to_handler calls: any user's stub will do for all, it is best for its own. */
void (*ftrace_return_to_handler)(struct ftrace_regs *fregs) = fgraph_return;

/* Either choose_return_stub() finds it silenced after its choice, or the choice is undone here. */
void fgraph_silence(void)
{
	WRITE_ONCE(silenced, true);
	smp_mb();
	WRITE_ONCE(ftrace_return_to_handler, fgraph_return);
}

bool fgraph_is_entry_stub(unsigned long func)
{
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (func == (unsigned long)READ_ONCE(fgraph_array[i])->entry_stub)
			return true;
	return false;
}

void fgraph_abandon_entries(void)
{
	struct fgraph_stack *stack = current->trace;
	struct fgraph_frame *frame = stack ? stack->top : NULL;

	for (; frame && frame != fgraph_bottom(stack); frame = fgraph_below(frame)) {
		if (*frame->slot == (unsigned long)return_to_handler)
			continue;
		WRITE_ONCE(stack->top, fgraph_below(frame));
		barrier();
		WRITE_ONCE(stack->limit, (u64 *)frame);
	}
}

bool fgraph_calls_callbacks(unsigned long func)
{
	return func == (unsigned long)fgraph_entry || func == (unsigned long)fgraph_join_frame ||
	       func == (unsigned long)fgraph_return || func == (unsigned long)fgraph_tell_users;
}

/* ---- the unwinder ---- */

/* A frame of which nobody knows whether it is sound: it lies in the stack, and above its bottom. */
static bool is_frame(struct fgraph_stack *stack, const struct fgraph_frame *frame)
{
	return (const u64 *)frame > stack->words && IS_ALIGNED((unsigned long)frame, 8) &&
	       (const u64 *)(frame + 1) <= fgraph_stack_end(stack);
}

/*
 * The frame of slot, which has not been found yet: searched from top, or below the one that was
 * found last. It goes strictly down, whatever is written in the frames.
 */
static struct fgraph_frame *find_frame(struct fgraph_stack *stack, int *idx,
				       const unsigned long *slot)
{
	struct fgraph_frame *frame = READ_ONCE(stack->top);

	if (*idx)
		frame = fgraph_below((struct fgraph_frame *)&stack->words[*idx]);
	while (is_frame(stack, frame)) {
		if (frame->slot == slot && frame->ret != (unsigned long)return_to_handler) {
			*idx = (int)((u64 *)frame - stack->words);
			return frame;
		}
		if (fgraph_below(frame) >= frame)
			break;
		frame = fgraph_below(frame);
	}
	return NULL;
}

unsigned long __ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				      unsigned long *retp)
{
	struct fgraph_frame *frame = NULL;
	struct fgraph_stack *stack;

	if (likely(ret != (unsigned long)return_to_handler))
		return ret;
	preempt_disable(); /* so long the stack is not freed */
	stack = READ_ONCE(task->trace);
	if (stack)
		frame = find_frame(stack, idx, retp);
	if (frame)
		ret = frame->ret;
	else if (task != current)
		ret = READ_ONCE(*retp); /* perhaps it was just put back: trace/fgraph/tasks.c */
	preempt_enable();
	return ret;
}

/* ---- data that users keep for a call: after the first, each has a word with idx and words ---- */

void *fgraph_reserve_more(struct fgraph_stack *stack, int idx, unsigned words)
{
	u64 *head = stack->limit;

	if (stack->top->data_idx == FGRAPH_NO_DATA)
		return NULL; /* no room */
	if (head + 1 + words > fgraph_stack_end(stack))
		return NULL;
	WRITE_ONCE(stack->limit, head + 1 + words);
	barrier();
	*head = (u64)(unsigned)idx << 32 | words;
	return head + 1;
}

void *fgraph_find_data(struct fgraph_frame *frame, u64 *end, int idx, int *size)
{
	u64 *head;

	if (frame->data_idx == FGRAPH_NO_DATA)
		return NULL;
	if (frame->data_idx == idx) {
		if (size)
			*size = frame->data_words * 8;
		return frame->data;
	}
	for (head = frame->data + frame->data_words; head < end; head += 1 + (u32)*head) {
		if ((int)(*head >> 32) == idx) {
			if (size)
				*size = (int)(u32)*head * 8;
			return head + 1;
		}
	}
	return NULL;
}

void *fgraph_retrieve_parent_data(int idx, int *size, int depth)
{
	const struct fgraph_ops *gops = READ_ONCE(fgraph_array[idx]);
	struct fgraph_stack *stack = current->trace;
	struct fgraph_frame *frame = stack->top, *above;

	while (frame != fgraph_bottom(stack)) {
		void *data;

		above = frame;
		frame = fgraph_below(frame);
		/* Not what an earlier user in the same place has left, nor for a call it skipped.
		 */
		if (!gops || !(frame->users & 1U << idx) || (s32)(frame->epoch - gops->epoch) < 0)
			continue;
		data = fgraph_find_data(frame, (u64 *)above, idx, size);
		if (data && --depth <= 0)
			return data;
	}
	return NULL;
}

/* ---- users ---- */

/* A free place, not the one that was left last: [G]. Negative when there is none. */
static int free_idx(void)
{
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (fgraph_array[i] == &fgraph_nobody)
			return (int)i;
	return -ENOSPC;
}

unsigned fgraph_users(void)
{
	unsigned users = 0;

	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		users += fgraph_array[i] != &fgraph_nobody;
	return users;
}

u64 fgraph_unmatched_frames(void)
{
	return __atomic_load_n(&fgraph_unmatched, __ATOMIC_RELAXED);
}

/* G held. */
static void choose_return_stub(void)
{
	void (*stub)(struct ftrace_regs * fregs) = fgraph_return;

	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (fgraph_array[i]->return_stub)
			stub = fgraph_array[i]->return_stub;
	WRITE_ONCE(ftrace_return_to_handler, stub);
	smp_mb();
	if (READ_ONCE(silenced))
		WRITE_ONCE(ftrace_return_to_handler, fgraph_return);
}

/* From here on nobody calls gops. G held. */
static void remove_user(struct fgraph_ops *gops)
{
	/* No entry, and then no return. */
	unregister_ftrace_function(&gops->ops);
	WRITE_ONCE(fgraph_array[gops->idx], &fgraph_nobody);
	choose_return_stub();
	synchronize_rcu();
	if (!fgraph_users())
		fgraph_take_stacks();
}

/* G held. */
static int add_user(struct fgraph_ops *gops)
{
	int idx, error;

	if (gops->ops.flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	idx = free_idx();
	if (idx < 0)
		return idx;
	error = fgraph_users() ? 0 : fgraph_give_stacks();
	if (error)
		return error;
	gops->idx = idx;
	gops->bit = (u16)(1U << idx);
	gops->epoch = fgraph_epoch + 1;
	gops->ops.func = gops->entry_stub ? gops->entry_stub : fgraph_entry;
	WRITE_ONCE(fgraph_epoch, gops->epoch);
	smp_store_release(&fgraph_array[idx], gops);
	choose_return_stub();
	error = register_ftrace_function(&gops->ops);
	if (error)
		remove_user(gops);
	return error;
}

int register_ftrace_graph(struct fgraph_ops *gops)
{
	int error;

	if (!gops->entryfunc || !gops->retfunc)
		return -EINVAL;
	mutex_lock(&fgraph_mutex);
	error = add_user(gops);
	mutex_unlock(&fgraph_mutex);
	return error;
}

void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	mutex_lock(&fgraph_mutex);
	if (gops->ops.flags & FTRACE_OPS_FL_ENABLED)
		remove_user(gops);
	mutex_unlock(&fgraph_mutex);
}
