/*
 * Traces calls and their returns by replacing return addresses on the stack.
 *
 * At the entry of a function that a user (fgraph_ops) wants, ftrace calls the user's entry stub.
 * The stub saves the function's return address in a frame on the task's shadow stack, and writes
 * the address of return_to_handler in its place. So the function returns to return_to_handler. A
 * return stub then calls the users, writes the true return address back, and removes the frame.
 *
 *	the stack                            the shadow stack
 *	| ...                  |             | ...                                  |
 *	| return_to_handler    | <---- slot  | ret, slot, func, users, ..., data    | <- top
 *	| frame of the traced  |             |                                      | <- limit
 *
 * Several users may want the same call. The callback of the first user makes the frame. The next
 * users find the return address replaced, see that the frame is for this call, and join it. Each
 * user has its own ftrace_ops with its own filter, so ftrace alone decides which users a site
 * calls.
 *
 * Interrupts and NMIs use the shadow stack of the task that they interrupt. When they end, all
 * their functions have returned, so top and limit are as before the interrupt, at any instruction.
 * An unwinder in an interrupt always finds the frame of a slot that holds return_to_handler: the
 * frame exists before the slot is changed, and until the slot is changed back.
 *
 * Frames belong to the task. It may sleep, migrate or be killed between a push and the pop. Each
 * push and each pop runs with preemption off, so on one CPU. trace/fgraph/tasks.c gives the shadow
 * stacks to tasks and frees them. Functions that never return (do_exit, an oops) leave their frames
 * on the stack until the task is freed.
 *
 * A frame has a bit for each user. Users come and go while calls are active. After a user has left
 * fgraph_array and every CPU has switched tasks, no CPU calls the user; but frames with its bit
 * remain. A new user may get the same bit. The count of registrations (epoch) tells the difference:
 * frames with an older epoch than the user's are not the user's own.
 */
#include "trace/fgraph/fgraph.h"

#include "arch/cpu/local.h"
#include "arch/mm/pgtable.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"
#include "trace/ftrace/recursion.h"

DEFINE_MUTEX(fgraph_mutex);

static struct fgraph_ops fgraph_stub; /* marks a free place in fgraph_array */
struct fgraph_ops *fgraph_array[FGRAPH_ARRAY_SIZE] = { [0 ... FGRAPH_ARRAY_SIZE - 1] =
							       &fgraph_stub };
u32 fgraph_epoch;
static bool silenced; /* set by an error, never cleared: fgraph_silence() */
static u64
	fgraph_unmatched; /* [A] frames that were removed although their function did not return */

/* ---- callbacks in modules ----
 *
 * They have call sites, so they may have frames themselves, above the frame of the call that they
 * are called for. So they see a copy of that frame, whose data is theirs alone.
 */

union frame_copy {
	struct fgraph_frame frame;
	u8 room[sizeof(struct fgraph_frame) + FGRAPH_MAX_DATA_SIZE];
};

/* Calls entryfunc for the innermost frame. The guard of gops->ops is held: it has RECURSION. */
__calls_callbacks static noinline int
guarded_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	union frame_copy copy = { .frame.data_idx = FGRAPH_NO_DATA };
	struct ftrace_graph_ent own = { .func = trace->func,
					.depth = trace->depth,
					.frame = &copy.frame };
	struct fgraph_stack *stack = current->trace;

	if (stack->limit + 1 + FGRAPH_MAX_DATA_SIZE / 8 > fgraph_stack_end(stack)) {
		fgraph_no_frame(stack, gops, trace->func);
		return 0;
	}
	if (!gops->entryfunc(&own, gops, fregs))
		return 0;
	if (copy.frame.data_idx != FGRAPH_NO_DATA) {
		int size = copy.frame.data_words * 8;

		memcpy(fgraph_reserve_data(gops->idx, size), copy.frame.data, (size_t)size);
	}
	return 1;
}

/* Guards a callback at a return, as RECURSION does at an entry. 0: it must not be called. */
static int begin_guard(void)
{
	int bit = __trace_recursion_trylock(TRACE_RECURSION_LIST_SHIFT);

	if (bit)
		preempt_disable_notrace(); /* once for each bit: trace_recursion_preempt_count() */
	return bit;
}

static void end_guard(int bit)
{
	__trace_recursion_unlock(bit);
	preempt_enable_notrace();
}

__calls_callbacks static noinline void guarded_return(const struct ftrace_graph_ret *trace,
						      struct fgraph_ops *gops,
						      struct ftrace_regs *fregs)
{
	union frame_copy copy = { .frame.data_idx = FGRAPH_NO_DATA };
	struct ftrace_graph_ret own = *trace;
	int size, bit = begin_guard();
	const void *data;

	if (!bit)
		return;
	data = fgraph_find_data(trace->frame, ((struct fgraph_stack *)current->trace)->limit,
				gops->idx, &size);
	own.frame = &copy.frame;
	if (data) {
		copy.frame.data_idx = (u8)gops->idx;
		memcpy(copy.frame.data, data, (size_t)size);
	}
	gops->retfunc(&own, gops, fregs);
	end_guard(bit);
}

__calls_callbacks static noinline void guarded_lost(struct fgraph_ops *gops, unsigned long func,
						    void *data)
{
	int bit = begin_guard();

	if (!bit)
		return;
	gops->lostfunc(gops, func, data);
	end_guard(bit);
}

__calls_callbacks static void fgraph_guarded_entry(unsigned long ip,
						   unsigned long parent_ip __unused,
						   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	current->trace_recursion += TRACE_RECURSION_GRAPH;
	fgraph_handle_entry(ip, op, fregs, guarded_entry);
	current->trace_recursion -= TRACE_RECURSION_GRAPH;
}

static bool in_module(const void *func)
{
	return (unsigned long)func >= MODULES_START && (unsigned long)func < MODULES_END;
}

/* ---- the slow parts of the stubs ---- */

__calls_callbacks bool fgraph_join_frame(struct fgraph_stack *stack, unsigned long *slot,
					 struct fgraph_ops *gops, unsigned long ip,
					 struct ftrace_regs *fregs)
{
	struct fgraph_frame *frame = stack->top;
	struct ftrace_graph_ent trace = { .func = ip, .depth = frame->depth - 1 };

	/* Without this frame, another function has jumped here at its end (a tail call). */
	if (frame->slot != slot || fgraph_frame_func(frame) != ip || frame->users & gops->bit)
		return false;
	/* This user may be newer than the frame. No user that has left has a bit in the frame. */
	frame->epoch = READ_ONCE(fgraph_epoch);
	if ((gops->guarded ? guarded_entry : gops->entryfunc)(&trace, gops, fregs))
		frame->users |= gops->bit;
	return true;
}

__calls_callbacks void fgraph_no_frame(struct fgraph_stack *stack, struct fgraph_ops *gops,
				       unsigned long ip)
{
	if (stack)
		local_inc32(&stack->overrun);
	if (gops->lostfunc && !READ_ONCE(silenced))
		gops->lostfunc(gops, ip, NULL);
}

__calls_callbacks void fgraph_lose_frame(struct fgraph_stack *stack)
{
	struct fgraph_frame *frame = stack->top;

	for (unsigned users = READ_ONCE(silenced) ? 0 : frame->users; users; users &= users - 1) {
		int idx = __builtin_ctz(users);
		struct fgraph_ops *gops = READ_ONCE(fgraph_array[idx]);
		void *data = fgraph_find_data(frame, stack->limit, idx, NULL);

		if (data && gops->lostfunc && (s32)(frame->epoch - gops->epoch) >= 0)
			(gops->guarded ? guarded_lost
				       : gops->lostfunc)(gops, fgraph_frame_func(frame), data);
	}
	WRITE_ONCE(stack->top, fgraph_below(frame));
	barrier();
	WRITE_ONCE(stack->limit, (u64 *)frame);
}

__calls_callbacks struct fgraph_frame *fgraph_unwind_to(struct fgraph_stack *stack,
							const unsigned long *slot)
{
	while (stack->top != fgraph_bottom(stack) && stack->top->slot != slot) {
		__atomic_fetch_add(&fgraph_unmatched, 1, __ATOMIC_RELAXED);
		fgraph_lose_frame(stack);
	}
	if (stack->top == fgraph_bottom(stack))
		panic("fgraph: no frame with the return address of slot %p", slot);
	return stack->top;
}

__calls_callbacks void fgraph_call_users(struct fgraph_stack *stack, struct fgraph_frame *frame,
					 struct ftrace_regs *fregs)
{
	struct ftrace_graph_ret trace;

	fgraph_fill_return(&trace, stack, frame, fregs);
	for (unsigned users = READ_ONCE(silenced) ? 0 : frame->users; users; users &= users - 1) {
		struct fgraph_ops *gops = READ_ONCE(fgraph_array[__builtin_ctz(users)]);

		if (gops == &fgraph_stub || (s32)(frame->epoch - gops->epoch) < 0)
			continue;
		if (unlikely(gops->guarded))
			guarded_return(&trace, gops, fregs);
		else
			gops->retfunc(&trace, gops, fregs);
	}
}

__calls_callbacks static void ftrace_graph_func(unsigned long ip, unsigned long parent_ip __unused,
						struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct fgraph_ops *gops = container_of(op, struct fgraph_ops, ops);

	current->trace_recursion += TRACE_RECURSION_GRAPH;
	fgraph_handle_entry(ip, op, fregs, gops->entryfunc);
	current->trace_recursion -= TRACE_RECURSION_GRAPH;
}

__calls_callbacks static void fgraph_return(struct ftrace_regs *fregs)
{
	fgraph_handle_return(fregs, NULL);
}

/* Any return stub works for all users. It is fastest for the user that has provided it. */
void (*ftrace_return_to_handler)(struct ftrace_regs *fregs) = fgraph_return;
void (*ftrace_return_with_regs)(struct ftrace_regs *fregs) = fgraph_return;

/* ---- the unwinder ---- */

/* True if frame is aligned and inside the shadow stack. Its contents may be invalid. */
static bool is_frame(struct fgraph_stack *stack, const struct fgraph_frame *frame)
{
	return (const u64 *)frame > stack->words && IS_ALIGNED((unsigned long)frame, 8) &&
	       (const u64 *)(frame + 1) <= fgraph_stack_end(stack);
}

/*
 * Finds the frame of slot: searches from top, or below the frame that the last search has found.
 * The search goes strictly down and so ends, even if a frame is invalid.
 */
static struct fgraph_frame *find_frame(struct fgraph_stack *stack, int *idx,
				       const unsigned long *slot)
{
	/*
	 * LAB 5: Test a frame with is_frame() before you read it.
	 * Starts as:
	 *	(void)stack, (void)idx, (void)slot, (void)is_frame;
	 *	return NULL;
	 */
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
	/* END LAB 5 */
}

unsigned long __ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				      unsigned long *retp)
{
	struct fgraph_frame *frame = NULL;
	struct fgraph_stack *stack;

	if (likely(ret != (unsigned long)return_to_handler))
		return ret;
	preempt_disable_notrace(); /* keeps the stack from being freed */
	stack = READ_ONCE(task->trace);
	if (stack)
		frame = find_frame(stack, idx, retp);
	if (frame)
		ret = frame->ret;
	else if (task != current)
		ret = READ_ONCE(*retp); /* tasks.c may have written the true address back */
	preempt_enable_notrace();
	return ret;
}

/* ---- users' data for a call: after the first, each has a word with idx and size before it ---- */

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
		/* Skip data of an earlier user with this idx, and calls that the user skipped. */
		if (!gops || !(frame->users & 1U << idx) || (s32)(frame->epoch - gops->epoch) < 0)
			continue;
		data = fgraph_find_data(frame, (u64 *)above, idx, size);
		if (data && --depth <= 0)
			return data;
	}
	return NULL;
}

/* ---- users ---- */

/* Returns the index of a free place, or -ENOSPC. G held. */
static int free_idx(void)
{
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (fgraph_array[i] == &fgraph_stub)
			return (int)i;
	return -ENOSPC;
}

unsigned fgraph_users(void)
{
	unsigned users = 0;

	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		users += fgraph_array[i] != &fgraph_stub;
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
	bool regs = false;

	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++) {
		if (fgraph_array[i]->return_stub && !fgraph_array[i]->guarded)
			stub = fgraph_array[i]->return_stub;
		regs |= !!(fgraph_array[i]->ops.flags & FTRACE_OPS_FL_SAVE_REGS);
	}
	smp_store_release(&ftrace_return_with_regs, stub);
	smp_store_release(&ftrace_return_to_handler, regs ? fgraph_save_regs : stub);
	smp_mb();
	if (READ_ONCE(silenced))
		WRITE_ONCE(ftrace_return_to_handler, fgraph_return);
}

/* True if gops has a place, also while it is being unregistered. G held. */
static bool has_place(const struct fgraph_ops *gops)
{
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (fgraph_array[i] == gops)
			return true;
	return false;
}

/*
 * Gives gops a place. *unused: stacks to free after fgraph_mutex is dropped. G held. The caller
 * registers gops->ops.
 */
static int add_user(struct fgraph_ops *gops, struct fgraph_stack **unused)
{
	int idx, error;

	*unused = NULL;
	if (has_place(gops))
		return -EBUSY;
	idx = free_idx();
	if (idx < 0)
		return idx;
	error = fgraph_users() ? 0 : fgraph_alloc_stacks(unused);
	if (error)
		return error;
	gops->guarded =
		in_module(gops->entryfunc) || in_module(gops->retfunc) || in_module(gops->lostfunc);
	if (gops->guarded)
		gops->ops.flags |= FTRACE_OPS_FL_RECURSION;
	gops->idx = idx;
	gops->bit = (u16)(1U << idx);
	gops->epoch = fgraph_epoch + 1;
	gops->ops.func = gops->guarded      ? fgraph_guarded_entry
			 : gops->entry_stub ? gops->entry_stub
					    : ftrace_graph_func;
	WRITE_ONCE(fgraph_epoch, gops->epoch);
	smp_store_release(&fgraph_array[idx], gops);
	choose_return_stub();
	return 0;
}

/*
 * Ends the callbacks of gops. All entries have ended: no site calls it, and a grace period of
 * RCU-tasks has passed. It waits without fgraph_mutex, so that a new task, and other users, do not
 * wait as well.
 */
static void remove_user(struct fgraph_ops *gops)
{
	struct fgraph_stack *unused = NULL;

	mutex_lock(&fgraph_mutex);
	WRITE_ONCE(fgraph_array[gops->idx], &fgraph_stub);
	choose_return_stub();
	if (!fgraph_users())
		unused = fgraph_release_stacks();
	mutex_unlock(&fgraph_mutex);
	synchronize_rcu(); /* retfunc runs with preemption off */
	fgraph_free_stacks(unused);
}

/* A callback with a call site would be called for its own call. One in a module is guarded. */
static bool is_traced(void *func)
{
	if (in_module(func) || !ftrace_location((unsigned long)func))
		return false;
	pr_err("fgraph: the callback %ps is traced itself: it must be notrace\n", func);
	return true;
}

int register_ftrace_graph(struct fgraph_ops *gops)
{
	struct fgraph_stack *unused;
	int error;

	if (!gops->entryfunc || !gops->retfunc || is_traced(gops->entryfunc) ||
	    is_traced(gops->retfunc))
		return -EINVAL;
	mutex_lock(&fgraph_mutex);
	error = add_user(gops, &unused);
	mutex_unlock(&fgraph_mutex);
	fgraph_free_stacks(unused);
	if (error)
		return error;
	error = gops->no_sites ? 0 : register_ftrace_function(&gops->ops);
	if (error)
		remove_user(gops);
	return error;
}
EXPORT_SYMBOL_GPL(register_ftrace_graph);

void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	if (gops->no_sites || unregister_ftrace_function(&gops->ops) != -EINVAL)
		remove_user(gops);
}
EXPORT_SYMBOL_GPL(unregister_ftrace_graph);

/* ---- an oops in a callback ---- */

/*
 * Calls no retfunc any more. Either choose_return_stub() sees `silenced` after its choice, or its
 * choice is undone here.
 */
static void fgraph_silence(void)
{
	WRITE_ONCE(silenced, true);
	smp_mb();
	WRITE_ONCE(ftrace_return_to_handler, fgraph_return);
}

static bool is_entry_stub(unsigned long func)
{
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (func == (unsigned long)READ_ONCE(fgraph_array[i])->entry_stub)
			return true;
	return false;
}

/* return_to_handler and the entry stubs turn preemption off without a count in trace_recursion. */
static bool hides_preempt_off(unsigned long ip)
{
	unsigned long offset;
	char name[KSYM_NAME_LEN];

	return ip == return_to_handler_called ||
	       (kallsyms_lookup(ip, NULL, &offset, name) && is_entry_stub(ip - offset));
}

/*
 * Removes the frame without a replaced return address, with the frames above it: current has
 * faulted in its entryfunc. Preemption off.
 */
static void abandon_entries(void)
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

static struct ftrace_oops_user oops_user = {
	.is_caller = arch_is_ftrace_caller, /* of return_to_handler */
	.silence = fgraph_silence,
	.hides_preempt_off = hides_preempt_off,
	.abandon = abandon_entries,
	.mutex = &fgraph_mutex,
};

static int __init fgraph_oops_init(void)
{
	ftrace_add_oops_user(&oops_user);
	return 0;
}
early_initcall(fgraph_oops_init);
