/*
 * The shadow stacks of tasks: when a task gets one, and when it is freed.
 *
 * While fgraph has a user, every task has a shadow stack. Existing tasks, idle tasks included, get
 * theirs before the sites of the first user are patched. A new task gets one before it first runs.
 * If there is no memory for it, the calls of that task are not traced.
 *
 * After the last user has left, no frame is added any more. But tasks are still inside functions
 * that will return to return_to_handler, and they need their frames for that:
 *
 * - Most of them sleep, maybe for ever. A task that sleeps has called the scheduler like any other
 *   function. So each of its frames belongs to a function that the task is inside of, and its slots
 *   do not change. fgraph writes the true return addresses back to the slots, and removes the
 *   frames.
 * - A task that runs or waits for a CPU may be at any instruction, also at the first one of
 *   return_to_handler, where the return address is neither on the stack nor in use. fgraph does not
 *   touch such a task. The task removes its frames itself when it returns; fgraph checks it again
 *   later. Only the task that does the check is known to be in a call: its frames are removed, too.
 *   Else a worker whose main function is traced would find its own frame at each check.
 * - A task may keep its frames for long: for example an idle task, if its loop function was entered
 *   while the function was traced. It keeps its stack until fgraph is used again, or until it ends.
 *
 * A stack without frames is taken from its task. It is freed after every CPU has switched tasks:
 * then the pop of its last frame has ended, and so has an unwinder's access to it. Both have
 * preemption off.
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/task/part.h"
#include "trace/fgraph/internal.h"
#include "trace/ftrace/internal.h"
#include "kernel/time/trace_clock.h"

#define DRAIN_DELAY_NS     (10 * NSEC_PER_MSEC) /* doubled each time */
#define DRAIN_DELAY_MAX_NS (5 * NSEC_PER_SEC)

static bool fgraph_active;             /* [G] to write: new tasks get a stack */
static atomic_t stack_count;           /* [A] */
static struct delayed_work drain_work; /* [G] */
static u64 drain_delay;                /* [G] */
static struct sched_switch_hook switch_hook;

int fgraph_stack_count(void)
{
	return atomic_read(&stack_count);
}

static struct fgraph_stack *alloc_stack(void)
{
	struct fgraph_stack *stack = get_free_pages(GFP_KERNEL, FGRAPH_STACK_ORDER);
	struct fgraph_frame *bottom;

	if (!stack)
		return NULL;
	bottom = fgraph_bottom(stack);
	*bottom = (struct fgraph_frame){ .data_idx = FGRAPH_NO_DATA };
	*stack = (struct fgraph_stack){ .top = bottom, .limit = bottom->data };
	atomic_inc(&stack_count);
	return stack;
}

static void free_stack(struct fgraph_stack *stack)
{
	if (!stack)
		return;
	atomic_dec(&stack_count);
	free_pages_addr(stack, FGRAPH_STACK_ORDER);
}

static void free_stacks(struct fgraph_stack *list)
{
	while (list) {
		struct fgraph_stack *next = list->next;

		free_stack(list);
		list = next;
	}
}

/* ---- allocation ---- */

struct assignment {
	struct fgraph_stack *pool; /* stacks to assign */
	unsigned missing;          /* tasks that got none */
};

static void assign_stack(struct task_struct *p, void *arg)
{
	struct assignment *give = arg;
	struct fgraph_stack *stack = give->pool;

	if (p->trace)
		return;
	if (!stack) {
		give->missing++;
		return;
	}
	give->pool = stack->next;
	stack->next = NULL;
	smp_store_release(&p->trace, stack);
}

/*
 * Gives a stack to each task without one. It cannot allocate while it walks the list of tasks, so
 * it counts the tasks without a stack, allocates, and walks again. Returns 0 or -ENOMEM. G held.
 */
static int assign_all(void)
{
	struct assignment give = { .pool = NULL };
	int error = 0;

	for (;;) {
		give.missing = 0;
		for_all_tasks(assign_stack, &give);
		if (!give.missing || error)
			break;
		while (give.missing-- && !error) {
			struct fgraph_stack *stack = alloc_stack();

			if (stack) {
				stack->next = give.pool;
				give.pool = stack;
			} else {
				error = -ENOMEM;
			}
		}
	}
	free_stacks(give.pool);
	return error;
}

/* p is in the list of tasks, and has not run. */
static void fgraph_task_new(struct task_struct *p)
{
	/* fgraph_alloc_stacks() sets it before it walks the list of tasks, and p is in the list. */
	if (!READ_ONCE(fgraph_active))
		return;
	mutex_lock(&fgraph_mutex);
	if (fgraph_active && !p->trace) {
		struct fgraph_stack *stack = alloc_stack();

		if (!stack)
			pr_warn_ratelimited("fgraph: no memory to trace the calls of %s-%d\n",
					    p->comm, p->pid);
		smp_store_release(&p->trace, stack);
	}
	mutex_unlock(&fgraph_mutex);
}

/* p has made its last task switch, and no CPU can find it any more. */
static void fgraph_task_free(struct task_struct *p)
{
	struct fgraph_stack *stack = p->trace;

	preempt_disable();
	while (stack && stack->top != fgraph_bottom(stack))
		fgraph_lose_frame(stack);
	preempt_enable();
	free_stack(stack);
}

/* ---- release ---- */

struct release {
	struct fgraph_stack *list; /* stacks without frames, taken from their tasks */
	unsigned left;             /* tasks that keep a stack with frames */
};

/* Writes the true return addresses back. The task sleeps, or is current with interrupts off. */
static void restore_return_addresses(struct fgraph_stack *stack)
{
	struct fgraph_frame *frame;

	for (frame = stack->top; frame != fgraph_bottom(stack); frame = fgraph_below(frame))
		*frame->slot = frame->ret;
	barrier(); /* an NMI's unwinder finds the frame of a slot that is not written yet */
	stack->top = fgraph_bottom(stack);
	stack->limit = stack->top->data;
}

/* p and its run queue are locked, so a task that sleeps stays asleep. */
static void release_stack_locked(struct task_struct *p, bool asleep, void *arg)
{
	struct fgraph_stack *stack = p->trace;
	struct release *release = arg;

	if (!stack)
		return;
	if (asleep || p == current)
		restore_return_addresses(stack);
	if (READ_ONCE(stack->top) != fgraph_bottom(stack)) {
		release->left++;
		return;
	}
	WRITE_ONCE(p->trace, NULL);
	stack->next = release->list;
	release->list = stack;
}

static void release_stack(struct task_struct *p, void *arg)
{
	task_call_func(p, release_stack_locked, arg);
}

/*
 * Takes the stacks without frames from all tasks, and returns them in a list. *left: the count of
 * tasks that keep a stack. G held, no users.
 */
static struct fgraph_stack *take_unused_stacks(unsigned *left)
{
	struct release release = { .list = NULL };

	for_all_tasks(release_stack, &release);
	*left = release.left;
	return release.list;
}

void fgraph_free_stacks(struct fgraph_stack *list)
{
	if (!list)
		return;
	synchronize_rcu();
	free_stacks(list);
}

static void drain(struct work_struct *work __unused)
{
	struct fgraph_stack *list = NULL;
	unsigned left = 0;

	mutex_lock(&fgraph_mutex);
	if (!fgraph_active)
		list = take_unused_stacks(&left);
	if (left && drain_delay < DRAIN_DELAY_MAX_NS) {
		drain_delay *= 2;
		schedule_delayed_work(&drain_work, drain_delay);
	}
	mutex_unlock(&fgraph_mutex);
	fgraph_free_stacks(list);
}

struct fgraph_stack *fgraph_release_stacks(void)
{
	struct fgraph_stack *list;
	unsigned left;

	fgraph_active = false;
	sched_switch_hook_set(&switch_hook, false);
	list = take_unused_stacks(&left);
	if (left) {
		drain_delay = DRAIN_DELAY_NS;
		mod_delayed_work(&drain_work, drain_delay);
	}
	return list;
}

/* ---- at a task switch ---- */

#ifdef CONFIG_DEBUG
/*
 * Checks the frames of a task that does not run: they are in the order of the calls; each slot is
 * on the task's stack, above sp, and holds return_to_handler.
 */
static void check_stack(const struct task_struct *p, struct fgraph_stack *stack,
			const unsigned long *sp)
{
	struct fgraph_frame *frame = stack->top;

	BUG_ON((u64 *)frame >= stack->limit);
	for (; frame != fgraph_bottom(stack); frame = fgraph_below(frame)) {
		BUG_ON(fgraph_below(frame) >= frame ||
		       frame->depth != fgraph_below(frame)->depth + 1);
		if (!stack_is_of_task(p, frame->slot))
			continue; /* on the boot stack */
		BUG_ON(frame->slot < sp);
		sp = frame->slot;
		/*
		 * After an interrupt at the first instruction of return_to_handler, the interrupt's
		 * frame has overwritten the slot. Then the saved rip is return_to_handler.
		 */
		BUG_ON(*sp != (unsigned long)return_to_handler &&
		       sp[-4] != (unsigned long)return_to_handler);
	}
}
#else
#define check_stack(p, stack, sp) ((void)0)
#endif

/* Runs on prev's stack, with interrupts off and the run queue's lock held. */
static void fgraph_sched_switch(struct task_struct *prev, struct task_struct *next)
{
	struct fgraph_stack *stack = READ_ONCE(prev->trace);
	u64 now = trace_clock_local();

	if (stack) {
		check_stack(prev, stack, __builtin_frame_address(0));
		stack->switched_out = now;
	}
	stack = READ_ONCE(next->trace);
	if (stack) {
		check_stack(next, stack, next->sp);
		if (stack->switched_out)
			stack->sleep_time += now - stack->switched_out;
	}
}

static struct sched_switch_hook switch_hook = { .fn = fgraph_sched_switch };

int fgraph_alloc_stacks(struct fgraph_stack **unused)
{
	int error;

	*unused = NULL;
	WRITE_ONCE(fgraph_active, true);
	error = assign_all();
	if (error)
		*unused = fgraph_release_stacks();
	else
		sched_switch_hook_set(&switch_hook, true);
	return error;
}

/* ---- statistics ---- */

static void count_task_frames(struct task_struct *p, void *arg)
{
	struct fgraph_stack *stack = p->trace;
	struct fgraph_stats *stats = arg;

	if (!stack)
		return;
	stats->frames += READ_ONCE(stack->top)->depth;
	stats->overrun += stack->overrun;
}

void fgraph_stats_read(struct fgraph_stats *stats)
{
	*stats = (struct fgraph_stats){ .frames = 0 };
	mutex_lock(&fgraph_mutex);
	for_all_tasks(count_task_frames, stats);
	stats->users = fgraph_users();
	stats->stacks = fgraph_stack_count();
	stats->unmatched = fgraph_unmatched_frames();
	mutex_unlock(&fgraph_mutex);
}

static const struct task_part shadow_stack TASK_PART(shadow_stack) = {
	.new = fgraph_task_new,
	.free = fgraph_task_free,
};

/* Runs before a user can register; only one task and the idle tasks exist. */
static int __init fgraph_init(void)
{
	INIT_DELAYED_WORK(&drain_work, drain);
	unwind_replaced = (unsigned long)return_to_handler;
	unwind_return_hook = __ftrace_graph_ret_addr;
	return 0;
}
early_initcall(fgraph_init);
