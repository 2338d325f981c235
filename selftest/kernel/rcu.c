/* Self-tests of ordinary RCU: readers, lists, callbacks. */
#include "kernel/workqueue/workqueue.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rculist.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"

#define POISON 0x6b6b6b6bU

struct item {
	u32 check; /* ~value, until the item is freed */
	u32 value;
	struct list_head list;
	struct rcu_head rcu;
};

struct hammered {
	struct item *first;    /* RCU */
	struct list_head list; /* RCU */
	bool stop;
	atomic_t wrong, reads;
};

static void item_set(struct item *item, u32 value)
{
	item->value = value;
	item->check = ~value;
}

/* Writes values that show a reader which reads too late. */
static void item_free(struct rcu_head *head)
{
	struct item *item = container_of(head, struct item, rcu);

	WRITE_ONCE(item->check, POISON);
	kfree(item);
}

static void read_items(void *arg, unsigned index __unused)
{
	struct hammered *h = arg;

	while (!READ_ONCE(h->stop)) {
		struct item *item;

		rcu_read_lock();
		item = rcu_dereference(h->first);
		if (READ_ONCE(item->check) != ~READ_ONCE(item->value))
			atomic_inc(&h->wrong);
		list_for_each_entry_rcu (item, &h->list, list)
			if (READ_ONCE(item->check) != ~READ_ONCE(item->value))
				atomic_inc(&h->wrong);
		rcu_read_unlock();
		atomic_inc(&h->reads);
		cond_resched();
	}
}

SELFTEST(rcu, readers_never_see_what_was_freed)
{
	struct hammered h = { .list = LIST_HEAD_INIT(h.list) };
	struct item *item = kzalloc(sizeof(*item), GFP_KERNEL), *old;
	struct test_group readers;

	ASSERT(item);
	item_set(item, 0);
	h.first = item;
	ASSERT(test_group_start(&readers, num_online_cpus(), EACH_CPU, read_items, &h));
	while (atomic_read(&h.reads) < 100)
		yield();
	for (u32 i = 1; i <= 300; i++) {
		struct item *node = kzalloc(sizeof(*node), GFP_KERNEL);

		item = kzalloc(sizeof(*item), GFP_KERNEL);
		if (!item || !node)
			break;
		item_set(item, i);
		item_set(node, i);
		old = h.first;
		rcu_assign_pointer(h.first, item);
		call_rcu(&old->rcu, item_free);
		list_add_rcu(&node->list, &h.list);
		if (i % 4 == 0) {
			node = list_last_entry(&h.list, struct item, list);
			list_del_rcu(&node->list);
			synchronize_rcu();
			item_free(&node->rcu);
		}
	}
	WRITE_ONCE(h.stop, true);
	test_group_wait(&readers);
	EXPECT_EQ(atomic_read(&h.wrong), 0);
	EXPECT_EQ(h.first->value, 300);
	rcu_barrier();
	kfree(h.first);
	while (!list_empty(&h.list)) {
		item = list_first_entry(&h.list, struct item, list);
		list_del_rcu(&item->list);
		kfree(item);
	}
}

struct reader {
	bool inside, leave, left;
	bool ended, left_before_the_end; /* of the grace period */
};

static void read_for_long(void *arg, unsigned index __unused)
{
	struct reader *reader = arg;

	rcu_read_lock();
	WRITE_ONCE(reader->inside, true);
	while (!READ_ONCE(reader->leave))
		cpu_relax();
	WRITE_ONCE(reader->left, true);
	rcu_read_unlock();
}

static void wait_for_readers(void *arg, unsigned index __unused)
{
	struct reader *reader = arg;

	synchronize_rcu();
	reader->left_before_the_end = READ_ONCE(reader->left);
	WRITE_ONCE(reader->ended, true);
}

SELFTEST(rcu, synchronize_rcu_waits_for_a_reader)
{
	struct reader reader = { .inside = false };
	struct test_group inside, waiting;

	if (num_online_cpus() < 2)
		return;
	ASSERT(test_group_start(&inside, 1, nth_online_cpu(1), read_for_long, &reader));
	while (!READ_ONCE(reader.inside))
		yield();
	ASSERT(test_group_start(&waiting, 1, nth_online_cpu(0), wait_for_readers, &reader));
	msleep(20);
	EXPECT(!READ_ONCE(reader.ended));
	WRITE_ONCE(reader.leave, true);
	test_group_wait(&waiting);
	test_group_wait(&inside);
	EXPECT(reader.ended && reader.left_before_the_end);
}

struct counted {
	struct rcu_head head;
	atomic_t *called;
	u64 number;
	u64 *last;
	bool *out_of_order;
};

static void count_callback(struct rcu_head *head)
{
	struct counted *counted = container_of(head, struct counted, head);

	if (counted->number != *counted->last + 1)
		*counted->out_of_order = true;
	*counted->last = counted->number;
	atomic_inc(counted->called);
	kfree(counted);
}

static void call_by_the_thousand(struct selftest *test,
				 void (*call)(struct rcu_head *, void (*)(struct rcu_head *)),
				 void (*barrier_fn)(void))
{
	bool out_of_order = false;
	atomic_t called = ATOMIC_INIT(0);
	u64 last = 0;

	for (u64 i = 1; i <= 5000; i++) {
		struct counted *counted = kmalloc(sizeof(*counted), GFP_KERNEL);

		ASSERT(counted);
		*counted = (struct counted){
			.called = &called, .number = i, .last = &last, .out_of_order = &out_of_order
		};
		call(&counted->head, count_callback);
	}
	barrier_fn();
	EXPECT_EQ(atomic_read(&called), 5000);
	EXPECT(!out_of_order);
}

SELFTEST(rcu, a_barrier_waits_for_thousands_of_callbacks_in_order)
{
	call_by_the_thousand(test, call_rcu, rcu_barrier);
}

SELFTEST(rcu, a_barrier_waits_for_thousands_of_callbacks_of_tasks_in_order)
{
	call_by_the_thousand(test, call_rcu_tasks, rcu_barrier_tasks);
}
