/*
 * Self-test of when filter hashes are freed. A list walker may read a hash of an ops until a grace
 * period of RCU-tasks has passed after the ops was removed from the list.
 */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "trace/ftrace/trampoline.h"

#define OTHERS 256U /* allocations, enough to reuse the memory of a freed hash */

static bool inside, may_leave;

/* Keeps its task inside a callback, so that no grace period of RCU-tasks can end. */
static void stay_inside(unsigned long ip __unused, unsigned long parent_ip __unused,
			struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	WRITE_ONCE(inside, true);
	while (!READ_ONCE(may_leave))
		cpu_relax();
}

static void stub_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
			  struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops walker_ops = { .func = stay_inside };
static struct ftrace_ops left_ops = { .func = stub_callback },
			 leader_ops = { .func = stub_callback };

static void enter(void *arg __unused, unsigned index __unused)
{
	ftrace_target_add(1, 1);
}

static bool set_filter(struct ftrace_ops *ops, const char *name)
{
	return ftrace_set_filter(ops, name, strlen(name), true) == 0;
}

/* Overwrites the memory of hash if it is free. Returns true if hash is unchanged. */
static bool hash_survives(const struct ftrace_hash *hash, u32 offset)
{
	size_t size = sizeof(*hash) + (hash->mask + 1) * sizeof(hash->slots[0]);
	void **others = kcalloc(OTHERS, sizeof(*others), GFP_KERNEL);
	bool survives;

	for (unsigned i = 0; others && i < OTHERS; i++) {
		others[i] = kmalloc(size, GFP_KERNEL);
		if (others[i])
			memset(others[i], 0, size);
	}
	survives = hash->count == 1 && ftrace_hash_contains(hash, offset);
	for (unsigned i = 0; others && i < OTHERS; i++)
		kfree(others[i]);
	kfree(others);
	return survives;
}

/* Unregisters ops without a grace period, as live patching does, then changes a hash of leader. */
static void change_hash_after_unregister(struct selftest *test, struct ftrace_ops *ops,
					 struct ftrace_ops *leader)
{
	const struct ftrace_hash *hash;
	struct ftrace_trampoline *tramp;
	struct test_group group;
	u32 offset;

	inside = may_leave = false;
	ASSERT(set_filter(&walker_ops, "ftrace_target_add"));
	ASSERT(register_ftrace_function(&walker_ops) == 0);
	ASSERT(set_filter(leader, "ftrace_target_other"));
	if (ops != leader)
		ftrace_share_hashes(leader, ops);
	ASSERT(register_ftrace_function(ops) == 0);
	hash = ops->filter_hash;
	offset = (u32)((unsigned long)ftrace_target_other - KERNEL_IMAGE_BASE);
	ASSERT(hash && ftrace_hash_contains(hash, offset));
	ASSERT(test_group_start(&group, 1, ANY_CPU, enter, NULL));
	while (!READ_ONCE(inside))
		cond_resched();

	EXPECT(ftrace_unregister_begin(ops, &tramp) == 0);
	if (ops != leader)
		ftrace_unshare_hashes(leader, ops);
	EXPECT(set_filter(leader, "ftrace_target_multiply"));
	EXPECT(hash_survives(hash, offset));

	WRITE_ONCE(may_leave, true);
	test_group_wait(&group);
	synchronize_rcu_tasks();
	ftrace_unregister_end(tramp);
	EXPECT(unregister_ftrace_function(&walker_ops) == 0);
	ftrace_free_filter(&walker_ops);
	ftrace_free_filter(leader);
}

SELFTEST(ftrace_hash, a_hash_changed_after_unregistration_stays_for_list_walkers)
{
	change_hash_after_unregister(test, &left_ops, &left_ops);
}

SELFTEST(ftrace_hash, a_hash_of_an_unregistered_follower_stays_for_list_walkers)
{
	change_hash_after_unregister(test, &left_ops, &leader_ops);
}
