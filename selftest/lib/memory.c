/* Helpers of the memory self-tests: selftest/lib/memory.h. */
#include "selftest/lib/memory.h"

#include "kernel/workqueue/workqueue.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/threads.h"

#define WAIT_ROUNDS 1000U /* of 10 ms */

void memory_fill(void *p, size_t size, u32 seed)
{
	u8 *bytes = p;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (u8)(seed + i * 7);
}

bool memory_intact(const void *p, size_t size, u32 seed)
{
	const u8 *bytes = p;

	for (size_t i = 0; i < size; i++)
		if (bytes[i] != (u8)(seed + i * 7))
			return false;
	return true;
}

static bool add_to_list(void **list, void *piece)
{
	if (!piece)
		return false;
	*(void **)piece = *list;
	*list = piece;
	return true;
}

void memory_take_all(struct memory_taken *taken)
{
	(void)memory_accounted();
	(void)run_on_nth_cpu(0); /* cannot fail: the CPU is online, and the caller is not bound */
	*taken = (struct memory_taken){ NULL, NULL };
	while (add_to_list(&taken->pages, get_free_page(GFP_KERNEL | __GFP_NOWARN)))
		;
	for (size_t size = KMALLOC_SLAB_MAX; size >= sizeof(void *); size /= 2)
		while (add_to_list(&taken->objects, kmalloc(size, GFP_KERNEL | __GFP_NOWARN)))
			;
}

bool memory_give_page(struct memory_taken *taken)
{
	void *page = taken->pages;

	if (!page)
		return false;
	taken->pages = *(void **)page;
	free_page(page);
	return true;
}

void memory_give_back(struct memory_taken *taken)
{
	while (memory_give_page(taken))
		;
	while (taken->objects) {
		void *next = *(void **)taken->objects;

		kfree(taken->objects);
		taken->objects = next;
	}
	run_on_any_cpu();
}

static u64 accounted_now(void)
{
	struct meminfo info;

	si_meminfo(&info);
	return info.free + info.slab + info.vmalloc + info.page_tables + info.kernel_stack;
}

/*
 * Reads the value until it no longer changes. A sum taken while pages move between owners counts
 * some pages twice or not at all. Tasks that have ended, and what waits for a grace period, are
 * freed a little later: on a busy host that is later than the next reading. So this waits for
 * callbacks.
 */
static u64 settled(u64 (*value)(void))
{
	u64 sum = value(), again;

	for (unsigned i = 0; i < WAIT_ROUNDS; i++) {
		rcu_barrier_tasks(); /* its callbacks may call call_rcu() */
		rcu_barrier();
		msleep(20);
		again = value();
		if (again == sum)
			break;
		sum = again;
	}
	return sum;
}

u64 memory_accounted(void)
{
	return settled(accounted_now);
}

/*
 * Reads the value repeatedly until it equals before: ended tasks are freed a little later. The
 * value that was equal counts. The next one may be taken while pages move again.
 */
static void expect_equal(struct selftest *test, u64 (*value)(void), const char *what, u64 before)
{
	u64 after = value();

	for (unsigned i = 0; i < WAIT_ROUNDS && after != before; i++) {
		msleep(10);
		after = value();
	}
	if (after != before)
		selftest_diag(test, "%s: %llu before, %llu after", what, (unsigned long long)before,
			      (unsigned long long)after);
	EXPECT(after == before);
}

void memory_expect_accounted(struct selftest *test, u64 before)
{
	expect_equal(test, accounted_now, "accounted bytes", before);
}

/*
 * Does not count the objects of each kworker, because pools create and end kworkers by themselves:
 * struct worker, task_struct, signal_struct and struct pid.
 */
static u64 objects_now(void)
{
	return slab_objects_in_use() - 4 * workqueue_nr_workers();
}

u64 memory_objects(void)
{
	return settled(objects_now);
}

void memory_expect_objects(struct selftest *test, u64 before)
{
	expect_equal(test, objects_now, "slab objects in use", before);
}
