/*
 * The storm over tracing: ops and fgraph_ops that are registered and unregistered, tasks that call
 * the traced functions, and NMIs.
 *
 * An ops counts the calls of ftrace_many[] by its own task, and the task knows the number of its
 * calls. Other ops trace the same functions meanwhile, but each count must be exact.
 */
#include "arch/irq/ipi.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"
#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"
#include "selftest/trace/storm.h"

#define ALIVE 0x616c6976U
#define CALLS 50U
#define TASKS 3U /* of one kind, at most */

struct storm_ops {
	struct ftrace_ops ops;
	u32 magic; /* ALIVE while the callback may be called */
	const struct task_struct *owner;
	unsigned hits[FTRACE_MANY]; /* calls by the owner; written by the owner only */
};

static atomic_t late_calls; /* calls of callbacks after their ops was unregistered */

static void count_own(unsigned long ip, unsigned long parent_ip __unused, struct ftrace_ops *op,
		      struct ftrace_regs *fregs __unused)
{
	struct storm_ops *s = container_of(op, struct storm_ops, ops);
	unsigned i;

	if (READ_ONCE(s->magic) != ALIVE)
		atomic_inc(&late_calls);
	if (current != s->owner)
		return;
	i = ftrace_many_index(ip);
	if (i < FTRACE_MANY)
		s->hits[i]++;
}

/* ---- ops that count ---- */

static const char *const globs[] = { "*lock*", "vfs_*", "*sched*", "*_read*", "*irq*", "[a-e]*" };

/* Adds the functions of ftrace_many in wanted, and sometimes many others. Returns 0 or an errno. */
static int choose_functions(struct storm_ops *s, u32 wanted, struct storm_task *task)
{
	const char *glob = globs[test_random(&task->seed) % ARRAY_SIZE(globs)];
	bool reset = true;
	int error = 0;

	if (test_random(&task->seed) % 4 == 0) {
		error = ftrace_set_filter(&s->ops, glob, strlen(glob), true);
		reset = false;
	}
	for (unsigned i = 0; i < FTRACE_MANY && !error; i++) {
		if (!(wanted & 1U << i))
			continue;
		error = ftrace_set_filter_ip(&s->ops, (unsigned long)ftrace_many[i], false, reset);
		reset = false;
	}
	return error;
}

/* Calls random functions, and checks that s counted the calls of the functions in wanted. */
static void call_and_count(struct storm_ops *s, u32 wanted, struct storm_task *task)
{
	unsigned called[FTRACE_MANY] = { 0 };

	memset(s->hits, 0, sizeof(s->hits));
	barrier();
	for (unsigned n = 0; n < CALLS; n++) {
		unsigned i = test_random(&task->seed) % FTRACE_MANY;

		ftrace_many[i]();
		called[i] += wanted >> i & 1;
	}
	barrier();
	for (unsigned i = 0; i < FTRACE_MANY; i++)
		if (s->hits[i] != called[i])
			storm_fail("%ps: %u calls, %u counted", (void *)ftrace_many[i], called[i],
				   s->hits[i]);
}

/* Returns the bits of one to three functions. */
static u32 random_functions(struct storm_task *task)
{
	u32 wanted = 0;

	for (unsigned i = 0; i < 3; i++)
		wanted |= 1U << test_random(&task->seed) % FTRACE_MANY;
	return wanted;
}

/* Registers and unregisters s. s has no hashes and is not registered, before and after. */
static void use_ops(struct storm_ops *s, struct storm_task *task)
{
	static const unsigned long flags[] = { 0, FTRACE_OPS_FL_SAVE_REGS,
					       FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED,
					       FTRACE_OPS_FL_RECURSION };
	u32 wanted = random_functions(task);

	s->ops.func = count_own;
	s->ops.flags = flags[test_random(&task->seed) % ARRAY_SIZE(flags)];
	s->owner = current;
	WRITE_ONCE(s->magic, ALIVE);
	if (!STORM_DONE(task, "filter", choose_functions(s, wanted, task), -ENOMEM) ||
	    !STORM_DONE(task, "register", register_ftrace_function(&s->ops), -ENOMEM))
		goto out;
	call_and_count(s, wanted, task);
	/* In half of the rounds, also with a changed filter. An error may leave only some of the
	 * functions in the filter, so the calls are not counted then. */
	if (test_random(&task->seed) % 2) {
		wanted = random_functions(task);
		if (STORM_DONE(task, "filter", choose_functions(s, wanted, task), -ENOMEM))
			call_and_count(s, wanted, task);
	}
	STORM_EXPECT(unregister_ftrace_function(&s->ops) == 0);
	call_and_count(s, 0, task);
out:
	WRITE_ONCE(s->magic, 0);
	ftrace_free_filter(&s->ops);
}

void storm_static_ops(struct storm_task *task)
{
	static struct storm_ops ops[TASKS];

	use_ops(&ops[task->index % TASKS], task);
	STORM_EXPECT(!(ops[task->index % TASKS].ops.flags & FTRACE_OPS_FL_DYNAMIC));
	STORM_EXPECT(atomic_read(&late_calls) == 0);
}

void storm_dynamic_ops(struct storm_task *task)
{
	struct storm_ops *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return;
	use_ops(s, task);
	kfree(s);
}

static struct storm_ops one = { .ops = { .func = count_own }, .magic = ALIVE };

/* Several tasks register the same ops and change its filter, without a lock. */
void storm_one_ops_of_many(struct storm_task *task)
{
	unsigned long ip = (unsigned long)ftrace_many[test_random(&task->seed) % FTRACE_MANY];

	STORM_DONE(task, "add", ftrace_set_filter_ip(&one.ops, ip, false, false), -ENOMEM);
	STORM_DONE(task, "register", register_ftrace_function(&one.ops), -EBUSY, -ENOMEM);
	/*
	 * The function may already be gone. Without its last one, the ops traces all for a moment.
	 */
	STORM_DONE(task, "remove", ftrace_set_filter_ip(&one.ops, ip, true, false), -ENOENT,
		   -ENOMEM);
	STORM_DONE(task, "unregister", unregister_ftrace_function(&one.ops), -EINVAL);
}

/* Frees the filter. Removing its last function may have failed for lack of memory. */
void storm_one_ops_finish(void)
{
	ftrace_free_filter(&one.ops);
}

/* ---- ops that replace ftrace_target_add() ---- */

static void go_to_multiply(unsigned long ip __unused, unsigned long parent_ip __unused,
			   struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ftrace_target_multiply);
}

static void expect_replaced(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		STORM_EXPECT(ftrace_target_add(20, 3) == 60);
}

void storm_ipmodify(struct storm_task *task)
{
	static struct ftrace_ops ops = { .func = go_to_multiply };
	unsigned long ip = (unsigned long)ftrace_target_add;

	ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
	if (STORM_DONE(task, "filter", ftrace_set_filter_ip(&ops, ip, false, true), -ENOMEM) &&
	    STORM_DONE(task, "register", register_ftrace_function(&ops), -EPERM, -ENOMEM)) {
		expect_replaced();
		STORM_EXPECT(unregister_ftrace_function(&ops) == 0);
	}
	ftrace_free_filter(&ops);
}

void storm_direct(struct storm_task *task)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	unsigned long ip = (unsigned long)ftrace_target_add;

	if (!ops)
		return;
	ops->flags = FTRACE_OPS_FL_JMP;
	if (STORM_DONE(task, "filter", ftrace_set_filter_ip(ops, ip, false, true), -ENOMEM) &&
	    STORM_DONE(task, "register",
		       register_ftrace_direct(ops, (unsigned long)ftrace_target_multiply), -EPERM,
		       -ENOMEM)) {
		expect_replaced();
		STORM_EXPECT(unregister_ftrace_direct(ops) == 0);
	}
	ftrace_free_filter(ops);
	kfree(ops);
}

/* ---- entries and returns ---- */

struct storm_graph {
	struct fgraph_ops gops;
	const struct task_struct *owner;
	unsigned entries, returns, wrong; /* of the owner's calls of ftrace_target_recurse() */
};

static bool is_own(const struct storm_graph *s, unsigned long func)
{
	return current == s->owner && func == (unsigned long)ftrace_target_recurse;
}

static int note_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs __unused)
{
	struct storm_graph *s = container_of(gops, struct storm_graph, gops);
	u64 *data = fgraph_reserve_data(gops->idx, sizeof(*data));

	if (data)
		*data = trace->func;
	if (is_own(s, trace->func)) /* other tasks must not write */
		s->entries++;
	return 1;
}

static void note_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs __unused)
{
	struct storm_graph *s = container_of(gops, struct storm_graph, gops);
	const u64 *data = fgraph_retrieve_data(gops->idx, NULL);

	if (!is_own(s, trace->func))
		return;
	s->returns++;
	s->wrong += !data || *data != trace->func;
}

void storm_graph_ops(struct storm_task *task)
{
	const char *name = "ftrace_target_recurse",
		   *glob = test_random(&task->seed) % 2 ? "" : name;
	struct storm_graph *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned depth = test_random(&task->seed) % 8;

	if (!s)
		return;
	s->gops.entryfunc = note_entry;
	s->gops.retfunc = note_return;
	s->owner = current;
	if (STORM_DONE(task, "filter", ftrace_set_filter(&s->gops.ops, glob, strlen(glob), true),
		       -ENOMEM) &&
	    STORM_DONE(task, "register", register_ftrace_graph(&s->gops), -ENOSPC, -ENOMEM)) {
		/* Without memory for its shadow stack, a new task is not traced. */
		unsigned traced = current->trace ? depth + 1 : 0;

		STORM_EXPECT(ftrace_target_recurse(depth) == depth);
		unregister_ftrace_graph(&s->gops);
		STORM_EXPECT(ftrace_target_recurse(depth) == depth);
		if (s->entries != traced || s->returns != traced || s->wrong)
			storm_fail("%u calls: %u entries, %u returns, %u of another call", traced,
				   s->entries, s->returns, s->wrong);
	}
	ftrace_free_filter(&s->gops.ops);
	kfree(s);
}

/* ---- traced calls ---- */

/* The first task is SCHED_FIFO: it preempts other tasks in trampolines and callbacks, too. */
void storm_calls(struct storm_task *task)
{
	if (!task->index && current->policy != SCHED_FIFO)
		STORM_EXPECT(sched_setscheduler(current, SCHED_FIFO, 10) == 0);
	for (unsigned i = 0; i < CALLS; i++) {
		u32 a = test_random(&task->seed), b = test_random(&task->seed);
		unsigned sum = ftrace_target_add(a, b);
		unsigned __int128 wide = ftrace_target_wide(a, b);

		STORM_EXPECT(sum == a + b || sum == a * b);
		STORM_EXPECT(ftrace_target_multiply(a, b) == a * b);
		STORM_EXPECT((u64)wide == a && (u64)(wide >> 64) == b);
		STORM_EXPECT(ftrace_target_recurse(a % 20) == a % 20);
		ftrace_target_other();
		ftrace_many[b % FTRACE_MANY]();
	}
	msleep(1); /* so that other tasks can run */
}

void storm_nmis(struct storm_task *task)
{
	preempt_disable();
	for (unsigned i = 0; i < 4; i++)
		arch_send_nmi(nth_online_cpu(test_random(&task->seed)));
	preempt_enable();
	msleep(1);
}

/* Checks that each site matches its record. This must hold at any time. */
void storm_verify(struct storm_task *task __unused)
{
	STORM_EXPECT(ftrace_verify(NULL, NULL) == 0);
	msleep(10);
}
