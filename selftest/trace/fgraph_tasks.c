/*
 * Self-tests of traced calls in tasks that sleep, migrate, are interrupted or end, and of tasks
 * that are still inside a traced call when the tracer is unregistered.
 */
#include "arch/irq/ipi.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/lib/string.h"
#include "kernel/sched/kthread.h"
#include "kernel/workqueue/workqueue.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "kernel/smp.h"
#include "trace/fgraph/internal.h"
#include "trace/ftrace/internal.h"

struct counter {
	struct fgraph_ops gops;
	atomic64_t entries, returns, nmi, irq;
};

static int count_entry(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs __unused)
{
	struct counter *c = container_of(gops, struct counter, gops);

	atomic64_inc(&c->entries);
	if (in_nmi())
		atomic64_inc(&c->nmi);
	else if (in_hardirq())
		atomic64_inc(&c->irq);
	return 1;
}

static void count_return(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops,
			 struct ftrace_regs *fregs __unused)
{
	atomic64_inc(&container_of(gops, struct counter, gops)->returns);
}

static int start(struct counter *c, const char *filter)
{
	int error;

	*c = (struct counter){ .gops = { .entryfunc = count_entry, .retfunc = count_return } };
	error = ftrace_set_filter(&c->gops.ops, filter, strlen(filter), true);
	return error ? error : register_ftrace_graph(&c->gops);
}

static void stop(struct counter *c)
{
	unregister_ftrace_graph(&c->gops);
	ftrace_set_filter(&c->gops.ops, "", 0, true);
}

/* Starts a thread. Holds a reference until thread_end(), because the thread may end earlier. */
static struct task_struct *thread_start(int (*fn)(void *arg), void *arg, const char *name, int cpu)
{
	struct task_struct *task = kthread_create(fn, arg, "%s", name);

	if (IS_ERR(task))
		return task;
	get_task_struct(task);
	if (cpu >= 0)
		kthread_bind(task, (unsigned)cpu);
	wake_up_process(task);
	return task;
}

static int thread_end(struct task_struct *task)
{
	int ret = kthread_stop(task);

	put_task_struct(task);
	return ret;
}

/* A task that sleeps inside ftrace_target_call() until sleeper_end(). */
struct sleeper {
	struct completion inside, go;
	struct task_struct *task;
	bool dies;
};

static void sleep_until_go(void *arg)
{
	struct sleeper *s = arg;

	complete(&s->inside);
	wait_for_completion(&s->go);
	if (s->dies)
		do_exit(0);
}

static int sleeper_thread(void *arg)
{
	ftrace_target_call(sleep_until_go, arg);
	return 7;
}

static int sleeper_start(struct sleeper *s)
{
	init_completion(&s->inside);
	init_completion(&s->go);
	s->task = thread_start(sleeper_thread, s, "sleeper", -1);
	if (IS_ERR(s->task))
		return (int)PTR_ERR(s->task);
	wait_for_completion(&s->inside);
	while (READ_ONCE(s->task->on_rq)) /* it completes inside before it sleeps */
		msleep(1);
	return 0;
}

static int sleeper_end(struct sleeper *s)
{
	complete(&s->go);
	return thread_end(s->task);
}

SELFTEST(fgraph, a_sleeping_task_loses_its_frames_when_the_last_user_is_unregistered)
{
	static struct sleeper s;
	static struct counter c;
	struct fgraph_stack *stack;

	ASSERT(start(&c, "") == 0);
	ASSERT(sleeper_start(&s) == 0);
	stack = s.task->trace;
	EXPECT(stack && stack->top->depth >= 2);
	stop(&c);
	EXPECT(!s.task->trace);
	EXPECT_EQ(sleeper_end(&s), 7);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(fgraph, a_new_user_does_not_get_the_returns_of_earlier_calls)
{
	static struct sleeper s;
	static struct counter keeper, old, new;
	int idx;

	ASSERT(start(&keeper, "ftrace_target_other") == 0); /* so that frames are kept */
	ASSERT(start(&old, "ftrace_target_call") == 0);
	idx = old.gops.idx;
	ASSERT(sleeper_start(&s) == 0);
	stop(&old);
	ASSERT(start(&new, "ftrace_target_call") == 0);
	EXPECT_EQ(new.gops.idx, idx);
	EXPECT_EQ(sleeper_end(&s), 7);
	EXPECT_EQ(atomic64_read(&old.entries), 1);
	EXPECT_EQ(atomic64_read(&old.returns), 0);
	EXPECT_EQ(atomic64_read(&new.entries), 0);
	EXPECT_EQ(atomic64_read(&new.returns), 0);
	stop(&new);
	stop(&keeper);
}

SELFTEST(fgraph, the_stack_of_a_task_that_sleeps_shows_its_true_callers)
{
	unsigned long before[16] = { 0 }, after[16] = { 0 };
	static struct sleeper s;
	static struct counter c;
	unsigned n, m;

	ASSERT(start(&c, "") == 0);
	ASSERT(sleeper_start(&s) == 0);
	n = stack_trace_save_task(s.task, before, ARRAY_SIZE(before));
	for (unsigned i = 0; i < n; i++)
		EXPECT(before[i] - (unsigned long)return_to_handler >= 64);
	stop(&c); /* restores the return addresses */
	m = stack_trace_save_task(s.task, after, ARRAY_SIZE(after));
	EXPECT(n > 3);
	EXPECT_EQ(m, n);
	EXPECT(memcmp(before, after, sizeof(before)) == 0);
	EXPECT_EQ(sleeper_end(&s), 7);
}

/* Waits for the stacks of tasks that were running when the last user was unregistered. */
static void settle(void)
{
	for (unsigned i = 0; i < 1000 && fgraph_stack_count(); i++)
		msleep(10);
}

static void count_stack(struct task_struct *p, void *count)
{
	*(int *)count += p->trace != NULL;
}

/* Returns the number of stacks that no task in the list of tasks has. */
static int stacks_without_task(void)
{
	int owned = 0;

	for_all_tasks(count_stack, &owned);
	return fgraph_stack_count() - owned;
}

/*
 * The number of all stacks proves nothing: tasks of earlier tests may still be at their end, and
 * get a stack when the user is registered. A dead task has left the list of tasks, and its stack
 * must go with it.
 */
SELFTEST(fgraph, the_frames_of_a_task_that_ends_inside_a_traced_call_are_freed)
{
	static struct sleeper s = { .dies = true };
	static struct counter c;

	settle();
	EXPECT_EQ(fgraph_stack_count(), 0);
	ASSERT(start(&c, "ftrace_target_call") == 0);
	for (unsigned i = 0; i < 20; i++) {
		ASSERT(sleeper_start(&s) == 0);
		EXPECT_EQ(s.task->trace != NULL, 1);
		EXPECT_EQ(sleeper_end(&s), 0);
	}
	while (stacks_without_task()) /* until the last task is switched away from */
		msleep(1);
	stop(&c);
	EXPECT_EQ(atomic64_read(&c.entries), 20);
	EXPECT_EQ(atomic64_read(&c.returns), 0);
}

/* ---- a worker whose main function is traced ---- */

#define WORKS 64U /* as many as workers may be idle after earlier tests (MAX_WORKERS) */

static struct {
	struct counter of_workers;
	struct work_struct works[WORKS];
	struct completion begun, go;
	atomic_t blocked;
	bool stopped;
} workers;

/* Keeps a worker that was there before. The first new one unregisters when the others are done. */
static void block_or_stop(struct work_struct *work __unused)
{
	struct fgraph_stack *stack = current->trace;

	if (!stack || !stack->top->depth) {
		atomic_inc(&workers.blocked);
		complete(&workers.begun);
		wait_for_completion(&workers.go);
		atomic_dec(&workers.blocked);
		return;
	}
	complete_all(&workers.go);
	while (atomic_read(&workers.blocked))
		msleep(1);
	stop(&workers.of_workers);
	workers.stopped = true;
	complete(&workers.begun);
}

/* It is the last to be idle, so it also does the work that checks the stacks again. */
SELFTEST(fgraph, a_worker_that_takes_the_stacks_away_gives_its_own_back)
{
	unsigned n = 0;

	init_completion(&workers.begun);
	init_completion(&workers.go);
	workers.stopped = false;
	ASSERT(start(&workers.of_workers, "worker_thread") == 0);
	while (!workers.stopped && n < WORKS) {
		INIT_WORK(&workers.works[n], block_or_stop);
		schedule_work_on(nth_online_cpu(0), &workers.works[n++]);
		wait_for_completion(&workers.begun);
	}
	EXPECT(workers.stopped);
	complete_all(&workers.go);
	while (n)
		flush_work(&workers.works[--n]);
	if (!workers.stopped)
		stop(&workers.of_workers);
	settle();
	EXPECT_EQ(fgraph_stack_count(), 0);
}

/* ---- a call chain through an interrupt and an NMI ---- */

static void wait_for_nmi(void *arg)
{
	struct counter *c = arg;
	s64 before = atomic64_read(&c->nmi);

	arch_send_nmi(smp_processor_id());
	while (atomic64_read(&c->nmi) == before)
		cpu_relax();
}

static void nmi_in_interrupt(void *arg)
{
	ftrace_target_call(wait_for_nmi, arg);
}

static void interrupt_this_cpu(void *arg)
{
	smp_call_function_single(smp_processor_id(), nmi_in_interrupt, arg, true);
}

static struct completion spinning;
static bool interrupted;

static void spin_until_interrupted(void *unused __unused)
{
	complete(&spinning);
	while (!READ_ONCE(interrupted))
		cpu_relax();
}

static int spin_thread(void *unused)
{
	ftrace_target_call(spin_until_interrupted, unused);
	return 5;
}

SELFTEST(fgraph, calls_in_an_nmi_in_an_interrupt_in_a_call_all_return)
{
	static struct counter c;
	struct task_struct *spinner;
	unsigned last = num_online_cpus() - 1;

	ASSERT(start(&c, "") == 0);
	if (last) {
		/* The interrupt arrives on the last CPU while its task is in a traced call. */
		EXPECT(run_on_nth_cpu(0)); /* on the last CPU it would be a mere call */
		init_completion(&spinning);
		WRITE_ONCE(interrupted, false);
		spinner = thread_start(spin_thread, NULL, "spinner", (int)last);
		ASSERT(!IS_ERR(spinner));
		wait_for_completion(&spinning);
		EXPECT_EQ(smp_call_function_single(last, nmi_in_interrupt, &c, true), 0);
		WRITE_ONCE(interrupted, true);
		EXPECT_EQ(thread_end(spinner), 5);
		EXPECT(atomic64_read(&c.irq) > 0);
		run_on_any_cpu();
	} else {
		ftrace_target_call(interrupt_this_cpu, &c);
	}
	stop(&c);
	EXPECT(atomic64_read(&c.nmi) > 1);
	EXPECT(atomic64_read(&c.returns) > 10);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

/* ---- all users on all CPUs ---- */

static int busy_thread(void *arg)
{
	u64 *rounds = arg;

	while (!kthread_should_stop()) {
		if (ftrace_target_recurse(20) != 20 || ftrace_target_add(40, 2) != 42 ||
		    (u64)(ftrace_target_wide(1, 2) >> 64) != 2)
			return -EIO;
		if (__atomic_add_fetch(rounds, 1, __ATOMIC_RELAXED) % 16 == 0)
			msleep(1); /* it may wake up on another CPU */
		cond_resched();
	}
	return 0;
}

SELFTEST(fgraph, tasks_on_all_cpus_keep_their_results_while_everything_is_toggled)
{
	struct task_struct *busy[16];
	static struct counter all, some;
	static u64 rounds;
	unsigned n = 2 * num_online_cpus(), i;

	n = min(n, (unsigned)ARRAY_SIZE(busy));
	for (i = 0; i < n; i++) {
		busy[i] = kthread_run(busy_thread, &rounds, "busy/%u", i);
		ASSERT(!IS_ERR(busy[i]));
	}
	for (i = 0; i < 4 * selftest_rounds(2); i++) { /* each combination so often */
		ASSERT(start(&all, i & 1 ? "*s*" : "") == 0);
		ASSERT(start(&some, "ftrace_target_*") == 0);
		msleep(2);
		EXPECT(ftrace_set_filter(&some.gops.ops, "*schedule*", 10, true) == 0);
		msleep(1);
		stop(i & 2 ? &all : &some);
		msleep(1);
		stop(i & 2 ? &some : &all);
	}
	for (i = 0; i < n; i++)
		EXPECT_EQ(kthread_stop(busy[i]), 0);
	EXPECT(rounds > 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	settle();
	EXPECT_EQ(fgraph_stack_count(), 0);
}
