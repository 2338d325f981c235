/* Self-tests of user memory on several CPUs: TLB flushes, lazy CPUs, and faults that race. */
#include "arch/user/mmu_context.h"
#include "arch/cpu/linkage.h"
#include "arch/cpu/processor.h"
#include "kernel/lib/string.h"
#include "kernel/smp.h"
#include "kernel/time/timer.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

long sys_madvise(unsigned long start, size_t len, int behavior) SYSCALL_SYMBOL(madvise);
#define MADV_DONTNEED 4

/* A task on another CPU that borrows mm twice, and in between is a kernel task. */
struct lazy_test {
	struct mm_struct *mm;
	unsigned long addr;
	struct completion is_lazy, go_on;
	int first, second;
	bool still_loaded;
};

static void be_lazy(void *arg, unsigned index __unused)
{
	struct lazy_test *t = arg;

	kthread_use_mm(t->mm);
	t->first = user_peek(t->addr);
	kthread_unuse_mm(t->mm);
	preempt_disable();
	t->still_loaded = loaded_mm() == t->mm;
	preempt_enable();
	complete(&t->is_lazy);
	wait_for_completion(&t->go_on);
	if (t->second == 0)
		return;
	kthread_use_mm(t->mm);
	t->second = user_peek(t->addr);
	kthread_unuse_mm(t->mm);
}

static bool start_lazy(struct lazy_test *t, struct test_group *group)
{
	init_completion(&t->is_lazy);
	init_completion(&t->go_on);
	if (!test_group_start(group, 1, nth_online_cpu(1), be_lazy, t))
		return false;
	wait_for_completion(&t->is_lazy);
	return true;
}

SELFTEST(user_memory_smp, lazy_cpu_does_not_miss_a_flush)
{
	struct lazy_test t = { .second = -1 };
	struct test_group group;

	for (unsigned i = 0; i < 20; i++) {
		void *freed;

		t.mm = test_mm_begin();
		ASSERT(t.mm);
		t.addr = test_mmap(0, PAGE_SIZE, 0);
		t.second = -1;
		EXPECT_EQ(user_poke(t.addr, 42), 0);
		ASSERT(start_lazy(&t, &group));
		EXPECT(t.still_loaded);
		EXPECT_EQ(sys_madvise(t.addr, PAGE_SIZE, MADV_DONTNEED), 0);
		freed = get_free_page(GFP_KERNEL); /* else the next fault gets the same page */
		EXPECT_EQ(user_poke(t.addr, 43), 0);
		free_page(freed);
		complete(&t.go_on);
		test_group_wait(&group);
		EXPECT_EQ(t.first, 42);
		EXPECT_EQ(t.second, 43);
		test_mm_end(t.mm);
	}
}

SELFTEST(user_memory_smp, lazy_cpu_leaves_an_address_space_that_ends)
{
	u64 before = 0;

	for (unsigned i = 0; i < 10; i++) {
		struct lazy_test t = { .second = 0 };
		struct test_group group;

		if (i == 1)
			before = memory_accounted();
		t.mm = test_mm_begin();
		ASSERT(t.mm);
		t.addr = test_mmap(0, PAGE_SIZE, 0);
		EXPECT_EQ(user_poke(t.addr, 42), 0);
		ASSERT(start_lazy(&t, &group));
		/* Frees all tables while the other CPU still has the root table. */
		test_mm_end(t.mm);
		complete(&t.go_on);
		test_group_wait(&group);
		EXPECT_EQ(t.first, 42);
	}
	memory_expect_accounted(test, before);
}

#define SHARED_PAGES 8
#define STORM_ROUNDS 24

struct storm {
	struct mm_struct *mm;
	unsigned long own;   /* a page for each task */
	unsigned long shaky; /* SHARED_PAGES that come and go */
	unsigned writers;    /* tasks 1 to writers write, task 0 unmaps and checks */
	atomic_t broken, stop;
	unsigned rounds[NR_CPUS + 1]; /* of each writer; it alone writes its number */
};

/* Writes to pages that another task unmaps; a write may fail, but must not reach a freed page. */
static void write_shaky(struct storm *s, unsigned index)
{
	unsigned long own = s->own + index * PAGE_SIZE;
	u8 value = 0;

	while (!atomic_read(&s->stop)) {
		for (unsigned i = 0; i < SHARED_PAGES; i++)
			(void)user_poke(s->shaky + i * PAGE_SIZE, 0x5a);
		if (user_peek(own) != value || user_poke(own, ++value))
			atomic_inc(&s->broken);
		WRITE_ONCE(s->rounds[index], s->rounds[index] + 1);
	}
}

/* Pages that were just freed come back first: a write through an old translation would hit them. */
static bool freed_pages_stay_intact(struct storm *s)
{
	void *pages[SHARED_PAGES];
	bool intact = true;

	for (unsigned i = 0; i < SHARED_PAGES; i++) {
		pages[i] = get_free_page(GFP_KERNEL);
		if (pages[i])
			memset(pages[i], 0x33, PAGE_SIZE);
	}
	for (unsigned i = 1; i <= s->writers; i++) {
		unsigned begin = READ_ONCE(s->rounds[i]);

		while (READ_ONCE(s->rounds[i]) - begin < 2)
			yield();
	}
	for (unsigned i = 0; i < SHARED_PAGES; i++) {
		if (pages[i] && *(volatile u8 *)pages[i] != 0x33)
			intact = false;
		free_page(pages[i]);
	}
	return intact;
}

static void change_mappings(struct storm *s)
{
	for (unsigned i = 0; i < STORM_ROUNDS; i++) {
		struct mm_struct *child = NULL;

		if (i % 3 == 0)
			child = dup_mm(s->mm);
		if (i % 2)
			sys_madvise(s->shaky, SHARED_PAGES * PAGE_SIZE, MADV_DONTNEED);
		else if (vm_munmap(s->shaky, SHARED_PAGES * PAGE_SIZE))
			atomic_inc(&s->broken);
		if (child)
			mmput(child);
		if (!freed_pages_stay_intact(s))
			atomic_inc(&s->broken);
		if (i % 2 == 0 &&
		    test_mmap(s->shaky, SHARED_PAGES * PAGE_SIZE, MAP_FIXED) != s->shaky)
			atomic_inc(&s->broken);
	}
	atomic_set(&s->stop, 1);
}

static void storm_task(void *arg, unsigned index)
{
	struct storm *s = arg;

	kthread_use_mm(s->mm);
	if (index)
		write_shaky(s, index);
	else
		change_mappings(s);
	kthread_unuse_mm(s->mm);
}

static struct storm the_storm; /* too large for a stack */

static void storm(struct selftest *test)
{
	struct storm *s = &the_storm;

	*s = (struct storm){ .writers = max(num_online_cpus() - 1, 1U) };
	s->mm = test_mm_begin();
	ASSERT(s->mm);
	s->own = test_mmap(0, (s->writers + 1) * PAGE_SIZE, 0);
	s->shaky = test_mmap(0, SHARED_PAGES * PAGE_SIZE, 0);
	EXPECT(run_threads(s->writers + 1, EACH_CPU, storm_task, s));
	EXPECT_EQ(atomic_read(&s->broken), 0);
	test_mm_end(s->mm);
}

SELFTEST(user_memory_smp, no_write_reaches_a_page_that_is_unmapped)
{
	u64 before;

	storm(test);
	before = memory_accounted();
	storm(test);
	memory_expect_accounted(test, before);
}
