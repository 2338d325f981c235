/*
 * Self-tests of return probes: what their handlers see, and that no call and no instance is lost.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"
#include "kernel/sched/wait.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/fgraph/fgraph.h"
#include "trace/kprobes/internal.h"
#include "trace/kprobes/kretprobe_pool.h"

static atomic64_t entries, returns, wrong;

struct seen {
	u64 di, entry_ip, entry_sp, bx;
	u64 ax, return_ip, return_sp, return_bx;
	unsigned long ret_addr;
	struct kretprobe *probe;
};
static struct seen seen;

static void reset(void)
{
	atomic64_set(&entries, 0);
	atomic64_set(&returns, 0);
	atomic64_set(&wrong, 0);
	memset(&seen, 0, sizeof(seen));
}

static int see_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	seen.di = ri->data[0] = regs->di;
	seen.entry_ip = regs->ip;
	seen.entry_sp = regs->sp;
	seen.bx = regs->bx;
	seen.ret_addr = get_kretprobe_retaddr(ri);
	atomic64_inc(&entries);
	return 0;
}

static int see_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	seen.ax = regs_return_value(regs);
	seen.return_ip = regs->ip;
	seen.return_sp = regs->sp;
	seen.return_bx = regs->bx;
	seen.probe = get_kretprobe(ri);
	if (ri->data[0] != seen.di || get_kretprobe_retaddr(ri) != seen.ret_addr)
		atomic64_inc(&wrong);
	atomic64_inc(&returns);
	return 0;
}

SELFTEST(kretprobes, handlers_see_arguments_result_and_return_address)
{
	static struct kretprobe probe = { .kp.symbol_name = "ftrace_target_add",
					  .entry_handler = see_entry,
					  .handler = see_return,
					  .data_size = 8 };

	reset();
	ASSERT(register_kretprobe(&probe) == 0);
	EXPECT_EQ(register_kretprobe(&probe), -EINVAL);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&entries), 1);
	EXPECT_EQ(atomic64_read(&returns), 1);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(seen.di, 7);
	EXPECT_EQ((unsigned)seen.ax, 15);
	EXPECT_EQ_HEX(seen.entry_ip, (unsigned long)ftrace_target_add + 1);
	EXPECT_EQ_HEX(seen.return_ip, seen.ret_addr);
	EXPECT(seen.ret_addr != (unsigned long)return_to_handler);
	EXPECT_EQ_HEX(seen.return_sp, seen.entry_sp + 8);
	EXPECT_EQ(seen.return_bx, seen.bx);
	EXPECT(seen.probe == &probe);
	EXPECT_EQ(disable_kretprobe(&probe), 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&entries), 1);
	EXPECT_EQ(enable_kretprobe(&probe), 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&returns), 2);
	unregister_kretprobe(&probe);
	EXPECT_EQ(disable_kretprobe(&probe), -EINVAL);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&returns), 2);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

#define CALLS 2000

static void call_kinds(void *expected)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (kprobe_kinds(6) != *(u64 *)expected)
			atomic64_inc(&wrong);
}

static int count_entry(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&entries);
	return 0;
}

static int count_return(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&returns);
	return 0;
}

/* kprobe_kinds() calls kprobe_kinds_add() four times. Neither has a call site. */
SELFTEST(kretprobes, functions_without_call_sites_are_probed_by_an_int3_or_a_jump)
{
	static struct kretprobe probe = { .kp.symbol_name = "kprobe_kinds",
					  .entry_handler = see_entry,
					  .handler = see_return,
					  .data_size = 8 },
				inner = { .kp.symbol_name = "kprobe_kinds_add",
					  .entry_handler = count_entry,
					  .handler = count_return };
	struct kretprobe *both[] = { &probe, &inner };
	u64 expected = kprobe_kinds(6), n = (u64)CALLS * num_online_cpus();

	reset();
	ASSERT(register_kretprobe(&probe) == 0);
	for (unsigned i = 1; i <= 2; i++) {
		EXPECT_EQ(kprobe_kinds(6), expected);
		EXPECT_EQ(atomic64_read(&returns), i);
		EXPECT_EQ(seen.di, 6);
		EXPECT_EQ(seen.ax, expected);
		EXPECT_EQ_HEX(seen.entry_ip, (unsigned long)kprobe_kinds + 1);
		EXPECT_EQ_HEX(seen.return_ip, seen.ret_addr);
		EXPECT_EQ_HEX(seen.return_sp, seen.entry_sp + 8);
		EXPECT_EQ(seen.return_bx, seen.bx);
		wait_for_kprobe_optimizer();
	}
	unregister_kretprobe(&probe);
	probe.entry_handler = count_entry;
	probe.handler = count_return;
	reset();
	ASSERT(register_kretprobes(both, 2) == 0);
	EXPECT_EQ(run_on_cpus(call_kinds, &expected), 0);
	unregister_kretprobes(both, 2);
	EXPECT_EQ(kprobe_kinds(6), expected);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(atomic64_read(&entries), 5 * n);
	EXPECT_EQ(atomic64_read(&returns), 5 * n);
	EXPECT_EQ(atomic64_read(&probe.nmissed) + atomic64_read(&probe.kp.nmissed), 0);
}

SELFTEST(kretprobes, code_that_calls_handlers_of_returns_is_refused)
{
	static struct kretprobe of_return = { .kp.symbol_name = "fgraph_call_users" },
				inside = { .kp.symbol_name = "kprobe_kinds", .kp.offset = 1 },
				entry = { .kp.symbol_name = "return_to_handler" },
				right = { .kp.symbol_name = "kprobe_kinds" };
	struct kretprobe *two[] = { &right, &of_return };

	EXPECT_EQ(register_kretprobe(&of_return), -EINVAL);
	EXPECT_EQ(register_kretprobe(&inside), -EINVAL);
	EXPECT_EQ(register_kretprobe(&entry), -EINVAL);
	EXPECT_EQ(register_kretprobes(two, 2), -EINVAL);
	EXPECT_EQ(register_kretprobes(two, 0), -EINVAL);
	EXPECT_EQ(disable_kretprobe(&right), -EINVAL); /* taken back */
}

static int change_result(struct kretprobe_instance *ri __unused, struct pt_regs *regs)
{
	regs->ax = 99;
	return 0;
}

SELFTEST(kretprobes, a_handler_changes_the_result)
{
	static struct kretprobe probe = { .handler = change_result };

	probe.kp.addr = (unsigned long)ftrace_target_multiply;
	ASSERT(register_kretprobe(&probe) == 0);
	EXPECT_EQ(ftrace_target_multiply(3, 4), 99);
	unregister_kretprobe(&probe);
	EXPECT_EQ(ftrace_target_multiply(3, 4), 12);
}

static int refuse_odd(struct kretprobe_instance *ri __unused, struct pt_regs *regs)
{
	atomic64_inc(&entries);
	return regs->di & 1;
}

SELFTEST(kretprobes, maxactive_limits_nested_calls_and_entry_handlers_skip_returns)
{
	static struct kretprobe three = { .kp.symbol_name = "ftrace_target_recurse",
					  .handler = count_return,
					  .maxactive = 3 },
				even = { .kp.symbol_name = "ftrace_target_recurse",
					 .entry_handler = refuse_odd,
					 .maxactive = 100 };

	reset();
	ASSERT(register_kretprobe(&three) == 0 && register_kretprobe(&even) == 0);
	even.handler = count_return;
	EXPECT_EQ(ftrace_target_recurse(9), 9);
	EXPECT_EQ(atomic64_read(&three.nmissed), 7);
	EXPECT_EQ(atomic64_read(&even.nmissed), 0);
	EXPECT_EQ(atomic64_read(&entries), 10);
	EXPECT_EQ(atomic64_read(&returns), 3 + 5);
	EXPECT_EQ(ftrace_target_recurse(2), 2);
	EXPECT_EQ(atomic64_read(&three.nmissed), 7);
	unregister_kretprobe(&three);
	unregister_kretprobe(&even);
}

static int call_target(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	ftrace_target_add(1, 1);
	return 0;
}

SELFTEST(kretprobes, a_hit_inside_a_handler_is_missed_and_counted)
{
	static struct kretprobe outer = { .kp.symbol_name = "ftrace_target_multiply",
					  .entry_handler = call_target,
					  .handler = call_target },
				inner = { .kp.symbol_name = "ftrace_target_add",
					  .handler = count_return };

	reset();
	ASSERT(register_kretprobe(&outer) == 0 && register_kretprobe(&inner) == 0);
	EXPECT_EQ(ftrace_target_multiply(3, 4), 12);
	EXPECT_EQ(atomic64_read(&inner.kp.nmissed), 2);
	EXPECT_EQ(atomic64_read(&returns), 0);
	EXPECT_EQ(ftrace_target_add(3, 4), 7);
	EXPECT_EQ(atomic64_read(&returns), 1);
	unregister_kretprobe(&inner);
	unregister_kretprobe(&outer);
}

SELFTEST(kretprobes, wrong_probes_are_refused_with_linux_errnos)
{
	static struct kretprobe large = { .kp.symbol_name = "ftrace_target_add",
					  .data_size = KRETPROBE_MAX_DATA_SIZE + 1 },
				inside = { .kp.symbol_name = "ftrace_target_add", .kp.offset = 5 },
				unknown = { .kp.symbol_name = "no_such_function" },
				entry_code = { .kp.symbol_name = "asm_exc_int3" }, nothing;

	EXPECT_EQ(register_kretprobe(&large), -E2BIG);
	EXPECT_EQ(register_kretprobe(&inside), -EINVAL);
	EXPECT_EQ(register_kretprobe(&unknown), -ENOENT);
	EXPECT_EQ(register_kretprobe(&entry_code), -EINVAL);
	EXPECT_EQ(register_kretprobe(&nothing), -EINVAL);
	EXPECT_EQ(enable_kretprobe(&nothing), -EINVAL);
}

/* ---- calls that are longer than the probe, or never return ---- */

static DECLARE_WAIT_QUEUE_HEAD(gate);
static bool open_gate;
static atomic_t waiting;

static void wait_at_gate(void *unused __unused)
{
	atomic_inc(&waiting);
	wait_event(gate, READ_ONCE(open_gate));
}

static void wait_in_target(void *unused __unused, unsigned index __unused)
{
	ftrace_target_call(wait_at_gate, NULL);
}

static void start_waiters(struct selftest *test, struct test_group *group, int count)
{
	open_gate = false;
	atomic_set(&waiting, 0);
	ASSERT(test_group_start(group, (unsigned)count, ANY_CPU, wait_in_target, NULL));
	while (atomic_read(&waiting) != count)
		msleep(1);
}

static void end_waiters(struct test_group *group)
{
	WRITE_ONCE(open_gate, true);
	wake_up_all(&gate);
	test_group_wait(group);
}

SELFTEST(kretprobes, calls_may_return_after_their_probe_has_gone)
{
	static struct kretprobe first = { .kp.symbol_name = "ftrace_target_call",
					  .handler = count_return,
					  .maxactive = 4 },
				second = { .kp.symbol_name = "ftrace_target_add",
					   .handler = count_return };
	static struct test_group group;

	/* The other probe stays: fgraph calls the return, and the pool is freed after it. */
	reset();
	ASSERT(register_kretprobe(&first) == 0 && register_kretprobe(&second) == 0);
	start_waiters(test, &group, 3);
	unregister_kretprobe(&first);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 0);
	/* All probes are off and on again: the instances of the calls are free again. */
	ASSERT(register_kretprobe(&first) == 0);
	unregister_kretprobe(&second);
	start_waiters(test, &group, 4);
	EXPECT_EQ(disable_kretprobe(&first), 0);
	EXPECT_EQ(enable_kretprobe(&first), 0);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 0);
	start_waiters(test, &group, 4);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 4);
	EXPECT_EQ(atomic64_read(&first.nmissed), 0);
	unregister_kretprobe(&first);
}

static int count_wrong(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&wrong);
	return 0;
}

/* Without maxactive and without data a call keeps a token of its probe. */
SELFTEST(kretprobes, calls_without_instances_return_to_the_registration_of_their_entry)
{
	static struct kretprobe probe = { .kp.symbol_name = "ftrace_target_call",
					  .handler = count_return },
				later = { .kp.symbol_name = "ftrace_target_call",
					  .handler = count_wrong },
				stays = { .kp.symbol_name = "ftrace_target_add",
					  .handler = count_return };
	static struct test_group group;

	reset();
	ASSERT(register_kretprobe(&stays) == 0 && register_kretprobe(&probe) == 0);
	start_waiters(test, &group, 3);
	ASSERT(register_kretprobe(&later) == 0);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 3);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	unregister_kretprobe(&later);
	start_waiters(test, &group, 3);
	unregister_kretprobe(&probe);
	ASSERT(register_kretprobe(&probe) == 0);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 3);
	start_waiters(test, &group, 3);
	end_waiters(&group);
	EXPECT_EQ(atomic64_read(&returns), 6);
	unregister_kretprobe(&probe);
	unregister_kretprobe(&stays);
}

/* ---- a hit that is at a probe while a batch with the next one is unregistered ---- */

static struct {
	struct kretprobe stays, first, second;
	struct task_struct *remover; /* the task that unregisters first and second */
	bool inside;
} batch = { .stays = { .kp.symbol_name = "ftrace_target_add", .handler = count_return },
	    .second = { .kp.symbol_name = "ftrace_target_add", .handler = count_return } };

/*
 * Of first. Waits until both have left the site, and their remover waits for this hit. So no task
 * of this CPU may have a mutex that the remover needs.
 */
static int wait_for_remover(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	WRITE_ONCE(batch.inside, true);
	while (READ_ONCE(batch.second.list.prev) ||
	       READ_ONCE(batch.remover->__state) == TASK_RUNNING)
		cpu_relax();
	return 1;
}

static void hit_or_remove(void *unused __unused, unsigned index)
{
	struct kretprobe *both[] = { &batch.first, &batch.second };

	if (index) {
		batch.remover = current;
		while (!READ_ONCE(batch.inside))
			cpu_relax();
		unregister_kretprobes(both, 2);
	} else {
		while (!READ_ONCE(batch.remover))
			cond_resched();
		ftrace_target_add(1, 2);
	}
}

SELFTEST(kretprobes, a_hit_may_be_at_a_probe_that_is_unregistered_in_a_batch)
{
	struct kretprobe *all[] = { &batch.stays, &batch.first, &batch.second };

	if (num_online_cpus() < 2)
		return;
	reset();
	batch.remover = NULL;
	batch.inside = false;
	batch.first = (struct kretprobe){ .kp.symbol_name = "ftrace_target_add",
					  .entry_handler = wait_for_remover };
	wait_for_kprobe_optimizer();
	ASSERT(register_kretprobes(all, 3) == 0);
	ASSERT(run_threads(2, EACH_CPU, hit_or_remove, NULL));
	/* The hit saw all three probes. The second one was not free yet, but has no handler. */
	EXPECT_EQ(atomic64_read(&returns), 1);
	EXPECT_EQ(atomic64_read(&batch.second.nmissed), 0);
	EXPECT_EQ(batch.second.kp.addr, 0);
	unregister_kretprobe(&batch.stays);
}

static void end_at_once(void *unused __unused, unsigned index __unused)
{
}

/* Counts the list of free instances. A call meanwhile may spoil the count, but not the list. */
static u32 free_instances(const struct kretprobe *rp)
{
	struct kretprobe_pool *pool = rp->pool;
	u32 n = 0;

	for (u32 i = (u32)READ_ONCE(pool->free); i && n < pool->count; n++)
		i = READ_ONCE(kretprobe_instance_at(pool, i - 1)->next_free);
	return n;
}

/* Instances come back when the task is freed: its shadow stack goes with it. */
SELFTEST(kretprobes, functions_that_never_return_give_their_instances_back)
{
	static struct kretprobe probe = { .kp.symbol_name = "do_exit",
					  .entry_handler = refuse_odd,
					  .handler = count_return,
					  .maxactive = 5 };

	reset();
	ASSERT(register_kretprobe(&probe) == 0);
	for (unsigned i = 0; i < 20; i++) {
		ASSERT(run_threads(1, ANY_CPU, end_at_once, NULL));
		while (free_instances(&probe) < 5)
			msleep(1);
	}
	EXPECT(atomic64_read(&entries) >= 20);
	EXPECT_EQ(atomic64_read(&returns), 0);
	EXPECT_EQ(atomic64_read(&probe.nmissed), 0);
	unregister_kretprobe(&probe);
}

static void call_many(void *unused __unused)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (ftrace_target_recurse(3) != 3)
			atomic64_inc(&wrong);
}

SELFTEST(kretprobes, returns_on_all_cpus_equal_the_calls)
{
	static struct kretprobe probe = { .kp.symbol_name = "ftrace_target_recurse",
					  .handler = count_return,
					  .maxactive = 1000 };

	reset();
	ASSERT(register_kretprobe(&probe) == 0);
	EXPECT_EQ(run_on_cpus(call_many, NULL), 0);
	EXPECT_EQ(atomic64_read(&returns), (s64)CALLS * 4 * num_online_cpus());
	EXPECT_EQ(atomic64_read(&probe.nmissed), 0);
	EXPECT_EQ(atomic64_read(&probe.kp.nmissed), 0);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	unregister_kretprobe(&probe);
}

static int nothing_entered(struct ftrace_graph_ent *trace __unused,
			   struct fgraph_ops *gops __unused, struct ftrace_regs *fregs __unused)
{
	return 1;
}

static void count_graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops __unused,
			       struct ftrace_regs *fregs __unused)
{
	if (trace->retval == 15)
		atomic64_inc(&entries);
}

/* The graph tracer's user joins the probe's frame, or the probe joins its frame. */
SELFTEST(kretprobes, other_users_of_returns_see_the_same_calls)
{
	static struct kretprobe probe = { .kp.symbol_name = "ftrace_target_add",
					  .handler = count_return };
	static struct fgraph_ops graph = { .entryfunc = nothing_entered,
					   .retfunc = count_graph_return };

	reset();
	ASSERT(ftrace_set_filter_ip(&graph.ops, (unsigned long)ftrace_target_add, false, true) ==
	       0);
	ASSERT(register_kretprobe(&probe) == 0);
	ASSERT(register_ftrace_graph(&graph) == 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	unregister_kretprobe(&probe);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	ASSERT(register_kretprobe(&probe) == 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	unregister_ftrace_graph(&graph);
	unregister_kretprobe(&probe);
	ftrace_free_filter(&graph.ops);
	EXPECT_EQ(atomic64_read(&returns), 2);
	EXPECT_EQ(atomic64_read(&entries), 3);
}
