/*
 * Self-tests of tracers on a function with a direct ops, which replaces it or stands in front of
 * it. Each CPU calls the function and checks the result, while tracers of all kinds are registered
 * and unregistered. The site changes between the jmp, or the call, and the calls of the list
 * function. No call may miss the code of the direct ops, and no argument may change.
 */
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "trace/fgraph/fgraph.h"
#include "trace/ftrace/internal.h"

#define TOGGLES 2U  /* how often each tracer is registered */
#define CALLS   200 /* on each CPU, at least */

struct direct_calls {
	bool replaced; /* by ftrace_target_multiply() */
	atomic_t calls, wrong;
	atomic_t in_front;         /* calls of in_front() */
	atomic_t traced, returned; /* calls and returns that the tracers saw */
	bool stop;
};

static struct direct_calls direct_calls;

static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	atomic_inc(&direct_calls.traced);
	/* The arguments are valid, although the call goes to another function. */
	if (ftrace_get_argument(fregs, 0) < ftrace_get_argument(fregs, 1))
		atomic_inc(&direct_calls.wrong);
}

static int count_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops __unused,
		       struct ftrace_regs *fregs __unused)
{
	return 1;
}

static void count_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops __unused,
			 struct ftrace_regs *fregs __unused)
{
	atomic_inc(&direct_calls.returned);
}

static struct ftrace_ops tracers[] = {
	{ .func = count_call },
	{ .func = count_call, .flags = FTRACE_OPS_FL_SAVE_REGS },
	{ .func = count_call, .flags = FTRACE_OPS_FL_RECURSION },
};
static struct fgraph_ops graph = { .entryfunc = count_entry, .retfunc = count_return };

static __keeps_registers void in_front(void)
{
	atomic_inc(&direct_calls.in_front);
}

static int set_to_add(struct ftrace_ops *ops)
{
	return ftrace_set_filter_ip(ops, (unsigned long)ftrace_target_add, false, true);
}

static void call_and_check(void *arg, unsigned index)
{
	struct direct_calls *d = arg;
	u32 seed = index;

	for (unsigned i = 0; i < CALLS || !READ_ONCE(d->stop); i++) {
		unsigned b = test_random(&seed) % 1000 + 3, a = b + test_random(&seed) % 1000;

		atomic_inc(&d->calls);
		if (ftrace_target_add(a, b) != (d->replaced ? a * b : a + b))
			atomic_inc(&d->wrong);
		cond_resched();
	}
}

/* Registers the tracers one after the other, then unregisters them in the same order. */
static void toggle_tracers(struct selftest *test)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tracers); i++)
		EXPECT_EQ(register_ftrace_function(&tracers[i]), 0);
	EXPECT_EQ(register_ftrace_graph(&graph), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(tracers); i++)
		EXPECT_EQ(unregister_ftrace_function(&tracers[i]), 0);
	unregister_ftrace_graph(&graph);
}

/* Makes ftrace_target_add() begin with addr, by a jmp or a call. */
static void call_while_tracers_change(struct selftest *test, bool jmp, void *addr)
{
	static struct ftrace_ops direct;
	struct direct_calls *d = &direct_calls;
	struct test_group callers;

	*d = (struct direct_calls){ .replaced = jmp };
	direct = (struct ftrace_ops){ .flags = jmp ? FTRACE_OPS_FL_JMP : 0 };
	ASSERT(set_to_add(&direct) == 0 && set_to_add(&graph.ops) == 0);
	for (unsigned i = 0; i < ARRAY_SIZE(tracers); i++)
		ASSERT(set_to_add(&tracers[i]) == 0);
	ASSERT(register_ftrace_direct(&direct, (unsigned long)addr) == 0);
	ASSERT(test_group_start(&callers, num_online_cpus(), EACH_CPU, call_and_check, d));
	for (unsigned i = 0; i < TOGGLES; i++)
		toggle_tracers(test);
	WRITE_ONCE(d->stop, true);
	test_group_wait(&callers);
	EXPECT(unregister_ftrace_direct(&direct) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(atomic_read(&d->wrong), 0);
	EXPECT_EQ(atomic_read(&d->in_front), jmp ? 0 : atomic_read(&d->calls));
	EXPECT(atomic_read(&d->traced) > 0 && atomic_read(&d->returned) > 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	selftest_diag(test, "%d calls, %d traced, %d returned", atomic_read(&d->calls),
		      atomic_read(&d->traced), atomic_read(&d->returned));

	ftrace_location((unsigned long)ftrace_target_add)->flags =
		0; /* other tests expect no flags */
	ftrace_free_filter(&direct);
	ftrace_free_filter(&graph.ops);
	for (unsigned i = 0; i < ARRAY_SIZE(tracers); i++)
		ftrace_free_filter(&tracers[i]);
}

SELFTEST(ftrace_direct, every_call_is_replaced_while_tracers_are_registered_and_unregistered)
{
	call_while_tracers_change(test, true, ftrace_target_multiply);
}

SELFTEST(ftrace_direct, code_in_front_sees_every_call_while_tracers_change)
{
	call_while_tracers_change(test, false, in_front);
}
