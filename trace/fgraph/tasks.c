/*
 * Who has a shadow stack, and from when to when.
 *
 * While there is a user, every task has one: those that are there, idle tasks included, get theirs
 * before the first user's functions are patched, those born later before they first run. A task
 * that finds no memory goes without, and its calls are not traced.
 *
 * When the last user has left, no frame is added any more, but tasks are still inside functions
 * that will return to return_to_handler, and need their frames for that. Most of them sleep, maybe
 * for ever. A task that sleeps has called the scheduler like any other function, so each of its
 * frames is that of a function that it is inside of, and its slots lie still: the true addresses
 * are put back, and it has no frames any more. A task that runs or waits for a CPU may stand at any
 * instruction, also where its return address is neither on the stack nor in use (the first of
 * return_to_handler): it is left alone, gets rid of its frames by returning, and is looked at again
 * later. What still has frames then, as an idle task that was traced since before its loop, keeps
 * its stack until the next time, or its end.
 *
 * A stack without frames is taken from its task, and freed after every CPU has switched tasks: the
 * pop of its last frame, or a look at it by an unwinder, both with preemption off, have ended.
 */
#include "arch/stacktrace.h"
#include "fs/debugfs.h"
#include "fs/seq_file.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
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

/* ---- giving ---- */

struct give {
	struct fgraph_stack *pool;
	unsigned missing;
};

static void give_stack(struct task_struct *p, void *arg)
{
	struct give *give = arg;
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

/* Everybody's stack. 0 or -ENOMEM. G held. */
static int give_all(void)
{
	struct give give = { .pool = NULL };
	int error = 0;

	for (;;) {
		give.missing = 0;
		for_all_tasks(give_stack, &give);
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

/* task_new_hook: a task is known, and has not run. */
static void fgraph_task_new(struct task_struct *p)
{
	/* Whoever makes it true looks at the list of tasks afterwards, and p is in it by now. */
	if (!READ_ONCE(fgraph_active))
		return;
	mutex_lock(&fgraph_mutex);
	if (fgraph_active && !p->trace) {
		struct fgraph_stack *stack = alloc_stack();

		if (!stack)
			pr_warn("fgraph: no memory to trace the calls of %s-%d\n", p->comm, p->pid);
		smp_store_release(&p->trace, stack);
	}
	mutex_unlock(&fgraph_mutex);
}

/* task_free_hook: nobody knows p any more, and it has made its last switch. */
static void fgraph_task_free(struct task_struct *p)
{
	free_stack(p->trace);
}

/* ---- taking away ---- */

struct take {
	struct fgraph_stack *list; /* without frames, and without a task */
	unsigned left;
};

/* p sleeps: have it return to where it was called from, with nobody in between. */
static void put_addresses_back(struct fgraph_stack *stack)
{
	struct fgraph_frame *frame;

	for (frame = stack->top; frame != fgraph_bottom(stack); frame = fgraph_below(frame))
		*frame->slot = frame->ret;
	stack->top = fgraph_bottom(stack);
	stack->limit = stack->top->data;
}

/* p and its run queue are locked: a task that sleeps stays asleep. */
static void take_stack_locked(struct task_struct *p, bool asleep, void *arg)
{
	struct fgraph_stack *stack = p->trace;
	struct take *take = arg;

	if (!stack)
		return;
	if (asleep)
		put_addresses_back(stack);
	if (READ_ONCE(stack->top) != fgraph_bottom(stack)) {
		take->left++;
		return;
	}
	WRITE_ONCE(p->trace, NULL);
	stack->next = take->list;
	take->list = stack;
}

static void take_stack(struct task_struct *p, void *arg)
{
	task_call_func(p, take_stack_locked, arg);
}

/* One pass over all tasks. How many keep a stack with frames. G held, no users. */
static unsigned take_all(void)
{
	struct take take = { .list = NULL };

	for_all_tasks(take_stack, &take);
	synchronize_rcu();
	free_stacks(take.list);
	return take.left;
}

static void drain(struct work_struct *work __unused)
{
	mutex_lock(&fgraph_mutex);
	if (!fgraph_active && take_all() && drain_delay < DRAIN_DELAY_MAX_NS) {
		drain_delay *= 2;
		schedule_delayed_work(&drain_work, drain_delay);
	}
	mutex_unlock(&fgraph_mutex);
}

void fgraph_take_stacks(void)
{
	fgraph_active = false;
	sched_switch_hook_set(&switch_hook, false);
	if (take_all()) {
		drain_delay = DRAIN_DELAY_NS;
		mod_delayed_work(&drain_work, drain_delay);
	}
}

/* ---- at a task switch ---- */

#ifdef CONFIG_DEBUG
/*
 * What must be so whenever the task does not run: its frames lie in the order of the calls, each
 * slot is on its stack, above sp, and has been replaced.
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
			continue; /* the boot stack */
		BUG_ON(frame->slot < sp);
		sp = frame->slot;
		/*
		 * An interrupt at the first instruction of return_to_handler has its frame where
		 * the slot was: of that, rip.
		 */
		BUG_ON(*sp != (unsigned long)return_to_handler &&
		       sp[-4] != (unsigned long)return_to_handler);
	}
}
#else
#define check_stack(p, stack, sp) ((void)0)
#endif

/* On prev's stack, interrupts off, the run queue's lock held. */
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

int fgraph_give_stacks(void)
{
	int error;

	WRITE_ONCE(fgraph_active, true);
	error = give_all();
	if (error) {
		fgraph_take_stacks();
		return error;
	}
	sched_switch_hook_set(&switch_hook, true);
	synchronize_rcu(); /* no switch goes on that has not seen it */
	return 0;
}

/* ---- /sys/kernel/debug/fgraph: what tests and the curious want to know ---- */

struct count {
	unsigned frames;
	u64 overrun;
};

static void count_frames(struct task_struct *p, void *arg)
{
	struct fgraph_stack *stack = p->trace;
	struct count *count = arg;

	if (!stack)
		return;
	count->frames += READ_ONCE(stack->top)->depth;
	count->overrun += stack->overrun;
}

/* A task that runs changes its count meanwhile. */
static int fgraph_show(struct seq_file *m, void *v __unused)
{
	struct count count = { .frames = 0 };

	mutex_lock(&fgraph_mutex);
	for_all_tasks(count_frames, &count);
	seq_printf(m, "users: %u\nstacks: %d\nframes: %u\noverrun: %lu\nunmatched: %lu\n",
		   fgraph_users(), fgraph_stack_count(), count.frames, count.overrun,
		   fgraph_unmatched_frames());
	mutex_unlock(&fgraph_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(fgraph);

static int __init fgraph_files_init(void)
{
	debugfs_create_file("fgraph", 0444, NULL, NULL, &fgraph_fops);
	return 0;
}
device_initcall(fgraph_files_init);

/* Before anybody can register: only one task and the idle ones are there. */
static int __init fgraph_init(void)
{
	INIT_DELAYED_WORK(&drain_work, drain);
	task_new_hook = fgraph_task_new;
	task_free_hook = fgraph_task_free;
	unwind_return_hook = __ftrace_graph_ret_addr;
	return 0;
}
early_initcall(fgraph_init);
