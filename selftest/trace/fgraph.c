/* Self-tests of traced calls and returns: pairs, values, users, their data, depth, backtraces. */
#include "arch/unwind/stacktrace.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/kthread.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "trace/fgraph/internal.h"
#include "trace/ftrace/internal.h"

/* An fgraph_ops, and the calls that it saw of the task that runs the test. */
struct witness {
	struct fgraph_ops gops;
	struct task_struct *task;
	unsigned entries, returns, wrong;
	unsigned skip; /* next entries that it rejects */
	int depth;     /* of the last event: an entry or a return */
	unsigned long retval, func;
	unsigned overrun;
	u64 last_key;
};

/* Stores a number in the frame of each call. witness_return() checks the number. */
static int witness_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	struct witness *w = gops->private;
	u64 *data;

	if (current != w->task)
		return 0;
	w->entries++;
	w->depth = trace->depth;
	w->func = trace->func;
	if (w->skip) {
		w->skip--;
		return 0;
	}
	data = fgraph_reserve_data(gops->idx, 3 * sizeof(*data));
	if (!data)
		return 0;
	data[0] = ++w->last_key;
	data[1] = trace->func;
	data[2] = (u64)trace->depth ^ ~w->last_key;
	return 1;
}

static void witness_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			   struct ftrace_regs *fregs)
{
	struct witness *w = gops->private;
	int size = 0;
	u64 *data = fgraph_retrieve_data(gops->idx, &size);

	w->returns++;
	w->depth = trace->depth;
	w->retval = trace->retval;
	w->overrun = trace->overrun;
	w->wrong += current != w->task || trace->retval != fregs->regs.ax;
	w->wrong += !data || size != 3 * sizeof(*data) || data[1] != trace->func ||
		    data[2] != ((u64)trace->depth ^ ~data[0]);
}

static int start(struct witness *w, const char *filter)
{
	int error;

	*w = (struct witness){
		.gops = { .entryfunc = witness_entry, .retfunc = witness_return, .private = w },
		.task = current,
	};
	error = ftrace_set_filter(&w->gops.ops, filter, strlen(filter), true);
	return error ? error : register_ftrace_graph(&w->gops);
}

static void stop(struct witness *w)
{
	unregister_ftrace_graph(&w->gops);
	ftrace_set_filter(&w->gops.ops, "", 0, true);
}

SELFTEST(fgraph, each_call_has_one_entry_and_one_return_with_its_value)
{
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_add") == 0);
	for (unsigned i = 0; i < 1000; i++) {
		EXPECT_EQ(ftrace_target_add(i, 7), i + 7);
		EXPECT_EQ(w.retval, i + 7);
	}
	ftrace_target_other();
	stop(&w);
	EXPECT_EQ(ftrace_target_add(1, 1), 2);
	EXPECT_EQ(w.entries, 1000);
	EXPECT_EQ(w.returns, 1000);
	EXPECT_EQ(w.func, (unsigned long)ftrace_target_add);
	EXPECT_EQ(w.depth, 0);
	EXPECT_EQ(w.wrong, 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(fgraph, a_value_in_two_registers_comes_through)
{
	static struct witness w;
	unsigned __int128 value;

	ASSERT(start(&w, "ftrace_target_wide") == 0);
	value = ftrace_target_wide(0x1122334455667788, 0x99aabbccddeeff00);
	stop(&w);
	EXPECT((u64)value == 0x1122334455667788);
	EXPECT((u64)(value >> 64) == 0x99aabbccddeeff00);
	EXPECT(w.retval == 0x1122334455667788);
	EXPECT_EQ(w.returns, 1);
}

SELFTEST(fgraph, a_call_that_its_user_skips_does_not_return_to_it)
{
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_add") == 0);
	w.skip = 3;
	for (unsigned i = 0; i < 5; i++)
		EXPECT_EQ(ftrace_target_add(i, i), 2 * i);
	stop(&w);
	EXPECT_EQ(w.entries, 5);
	EXPECT_EQ(w.returns, 2);
	EXPECT_EQ(w.wrong, 0);
}

/*
 * Each user has its own functions and its own data in the frame, and accepts or rejects each call.
 */
SELFTEST(fgraph, sixteen_users_share_calls_and_the_seventeenth_is_refused)
{
	struct witness *w = kcalloc(FGRAPH_ARRAY_SIZE + 1, sizeof(*w), GFP_KERNEL);

	ASSERT(w);
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		EXPECT_EQ(start(&w[i], i & 1 ? "ftrace_target_*" : "ftrace_target_add"), 0);
	EXPECT_EQ(start(&w[FGRAPH_ARRAY_SIZE], "ftrace_target_add"), -ENOSPC);
	EXPECT_EQ(register_ftrace_graph(&w[0].gops), -EBUSY);
	w[4].skip = 50;
	for (unsigned i = 0; i < 100; i++) {
		EXPECT_EQ(ftrace_target_add(i, 1), i + 1);
		ftrace_target_other();
	}
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		stop(&w[i]);
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++) {
		EXPECT_EQ(w[i].entries, i & 1 ? 200 : 100);
		EXPECT_EQ(w[i].returns, i == 4 ? 50 : w[i].entries);
		EXPECT_EQ(w[i].wrong, 0);
		EXPECT_EQ(w[i].depth, 0);
	}
	ftrace_set_filter(&w[FGRAPH_ARRAY_SIZE].gops.ops, "", 0, true);
	kfree(w);
}

SELFTEST(fgraph, recursion_two_hundred_deep_is_traced_and_returns)
{
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_recurse") == 0);
	EXPECT_EQ(ftrace_target_recurse(199), 199);
	stop(&w);
	EXPECT_EQ(w.entries, 200);
	EXPECT_EQ(w.returns, 200);
	EXPECT_EQ(w.depth, 0);
	EXPECT_EQ(w.retval, 199);
	EXPECT_EQ(w.overrun, 0);
	EXPECT_EQ(w.wrong, 0);
}

/* Calls of 56 bytes each: too many for the shadow stack, not too many for the kernel stack. */
#define TOO_DEEP 360

SELFTEST(fgraph, calls_without_room_on_the_shadow_stack_are_counted_and_return)
{
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_recurse") == 0);
	EXPECT_EQ(ftrace_target_recurse(TOO_DEEP - 1), TOO_DEEP - 1);
	EXPECT_EQ(ftrace_target_recurse(0), 0);
	stop(&w);
	EXPECT(w.overrun > 0);
	EXPECT_EQ(w.returns + w.overrun, TOO_DEEP + 1);
	EXPECT_EQ(w.wrong, 0);
}

SELFTEST(fgraph, functions_are_added_to_and_removed_from_the_filter_of_a_running_user)
{
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_other") == 0);
	ftrace_target_add(1, 2);
	EXPECT_EQ(w.entries, 0);
	EXPECT(ftrace_set_filter(&w.gops.ops, "ftrace_target_add", 17, true) == 0);
	ftrace_target_add(1, 2);
	ftrace_target_other();
	EXPECT_EQ(w.entries, 1);
	EXPECT(ftrace_set_notrace(&w.gops.ops, "ftrace_target_add", 17, true) == 0);
	ftrace_target_add(1, 2);
	stop(&w);
	EXPECT_EQ(w.returns, 1);
	ftrace_set_notrace(&w.gops.ops, "", 0, true);
}

/* ---- the data of outer calls ---- */

static u64 parents[4];

static void parent_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops,
			  struct ftrace_regs *fregs __unused)
{
	struct witness *w = gops->private;

	for (int i = 1; i <= 3 && !w->returns; i++) {
		int size;
		u64 *data = fgraph_retrieve_parent_data(gops->idx, &size, i);

		parents[i] = data ? data[0] : 0;
	}
	w->returns++;
}

SELFTEST(fgraph, a_return_finds_the_data_of_the_calls_that_enclose_it)
{
	static struct witness w, other;

	ASSERT(start(&other, "ftrace_target_recurse") == 0);
	ASSERT(start(&w, "ftrace_target_recurse") == 0);
	stop(&w);
	w.gops.retfunc = parent_return;
	ASSERT(ftrace_set_filter(&w.gops.ops, "ftrace_target_recurse", 21, true) == 0);
	ASSERT(register_ftrace_graph(&w.gops) == 0);
	EXPECT_EQ(ftrace_target_recurse(2), 2);
	stop(&w);
	stop(&other);
	/* The innermost call has number 3. */
	EXPECT_EQ(parents[1], 2);
	EXPECT_EQ(parents[2], 1);
	EXPECT_EQ(parents[3], 0);
	EXPECT_EQ(other.wrong, 0);
}

/* ---- a function tracer on the same functions ---- */

static atomic64_t function_hits;
static unsigned long function_parent;

static void function_hit(unsigned long ip __unused, unsigned long parent_ip,
			 struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	function_parent = parent_ip;
	atomic64_inc(&function_hits);
}

static struct ftrace_ops before_graph = { .func = function_hit };
static struct ftrace_ops after_graph = { .func = function_hit };

SELFTEST(fgraph, callbacks_of_the_function_tracer_see_the_true_caller)
{
	static struct witness w;

	atomic64_set(&function_hits, 0);
	ASSERT(ftrace_set_filter(&before_graph, "ftrace_target_other", 19, true) == 0);
	ASSERT(ftrace_set_filter(&after_graph, "ftrace_target_other", 19, true) == 0);
	ASSERT(register_ftrace_function(&before_graph) == 0);
	ASSERT(start(&w, "ftrace_target_other") == 0);
	ASSERT(register_ftrace_function(&after_graph) == 0);
	for (unsigned i = 0; i < 10; i++) {
		ftrace_target_call((void (*)(void *))ftrace_target_other, NULL);
		EXPECT(function_parent > (unsigned long)ftrace_target_call &&
		       function_parent < (unsigned long)ftrace_target_call + 64);
	}
	EXPECT(unregister_ftrace_function(&before_graph) == 0);
	EXPECT(unregister_ftrace_function(&after_graph) == 0);
	stop(&w);
	EXPECT_EQ(atomic64_read(&function_hits), 20);
	EXPECT_EQ(w.returns, 10);
	EXPECT_EQ(w.wrong, 0);
}

/* ---- backtraces ---- */

#define DEPTH 32

struct backtrace {
	unsigned long entries[DEPTH];
	unsigned count;
	void (*damage)(struct fgraph_stack *stack);
};

static void take_backtrace(void *arg)
{
	struct backtrace *b = arg;

	b->count = stack_trace_save(b->entries, DEPTH, 0);
}

static void nested_backtrace(void *arg)
{
	ftrace_target_call(take_backtrace, arg);
}

/* Counts the entries of a backtrace that lie in fn, which is shorter than 128 bytes. */
static unsigned entries_in(const struct backtrace *b, const void *fn)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->count; i++)
		n += b->entries[i] - (unsigned long)fn < 128;
	return n;
}

SELFTEST(fgraph, a_backtrace_shows_the_true_callers)
{
	static struct backtrace traces[2];
	static struct witness w;
	int error = 0;

	for (volatile unsigned i = 0; i < 2 && !error; i++) {
		ftrace_target_call(nested_backtrace, &traces[i]);
		if (!i)
			error = start(&w, "");
	}
	stop(&w);
	EXPECT_EQ(error, 0);
	EXPECT(w.returns > 4);
	EXPECT(traces[0].count > 4);
	EXPECT_EQ(traces[1].count, traces[0].count);
	EXPECT_EQ(entries_in(&traces[1], return_to_handler), 0);
	EXPECT_EQ(entries_in(&traces[1], ftrace_target_call), 2);
	EXPECT(memcmp(traces[0].entries, traces[1].entries, sizeof(traces[0].entries)) == 0);
}

static void damage_backtrace(void *arg)
{
	struct fgraph_stack *stack, *copy = kmalloc(FGRAPH_STACK_SIZE, GFP_KERNEL);
	struct backtrace *b = arg;

	if (!copy)
		return;
	preempt_disable();
	stack = current->trace;
	memcpy(copy, stack, FGRAPH_STACK_SIZE);
	b->damage(stack);
	b->count = stack_trace_save(b->entries, DEPTH, 0);
	memcpy(stack, copy, FGRAPH_STACK_SIZE);
	preempt_enable();
	kfree(copy);
}

static void damage_distance(struct fgraph_stack *stack)
{
	stack->top->prev = FGRAPH_STACK_SIZE - 8;
	stack->top->slot = NULL;
}

static void damage_top(struct fgraph_stack *stack)
{
	stack->top = (struct fgraph_frame *)0x1234567;
}

static void damage_all(struct fgraph_stack *stack)
{
	memset(stack->words, 0x5a, FGRAPH_STACK_SIZE - sizeof(*stack));
}

static void damage_to_zero(struct fgraph_stack *stack)
{
	memset(stack->words, 0, FGRAPH_STACK_SIZE - sizeof(*stack));
}

/* Only ftrace_target_call() is traced, so no frame is pushed while the shadow stack is damaged. */
SELFTEST(fgraph, a_backtrace_over_a_damaged_shadow_stack_ends)
{
	static void (*const damages[])(struct fgraph_stack *) = { damage_distance, damage_top,
								  damage_all, damage_to_zero };
	static struct witness w;

	ASSERT(start(&w, "ftrace_target_call") == 0);
	for (unsigned i = 0; i < ARRAY_SIZE(damages); i++) {
		struct backtrace b = { .damage = damages[i] };

		ftrace_target_call(damage_backtrace, &b);
		EXPECT(b.count > 1);
		EXPECT_EQ(entries_in(&b, return_to_handler), 1);
	}
	stop(&w);
	EXPECT_EQ(w.returns, ARRAY_SIZE(damages));
}
