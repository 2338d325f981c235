/* Self-tests of user memory: areas, faults, copy on write, and the end of an address space. */
#include "arch/user/mmu_context.h"
#include "kernel/smp.h"
#include "kernel/vm/mm.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

SELFTEST(user_memory, is_zero_at_first_and_keeps_what_is_written)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 8 * PAGE_SIZE, 0);

	ASSERT(mm);
	EXPECT(!IS_ERR_VALUE(addr));
	EXPECT_EQ(user_peek(addr), 0);
	EXPECT_EQ(get_mm_rss(mm), 0); /* the page of zeros does not count */
	EXPECT_EQ(user_poke(addr, 7), 0);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE, 8), 0);
	EXPECT_EQ(user_peek(addr), 7);
	EXPECT_EQ(user_peek(addr + 1), 0);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 8);
	EXPECT_EQ(get_mm_rss(mm), 2);
	EXPECT_EQ(mm->total_vm, 8);
	test_mm_end(mm);
}

SELFTEST(user_memory, no_area_is_a_fault)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, PAGE_SIZE, 0);

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr, 1), 0);
	EXPECT_EQ(user_peek(addr - 1), -EFAULT);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_poke(0, 1), -EFAULT);
	EXPECT_EQ(vm_munmap(addr, PAGE_SIZE), 0);
	EXPECT_EQ(user_peek(addr), -EFAULT);
	EXPECT_EQ(get_mm_rss(mm), 0);
	EXPECT_EQ(mm->pgtables, 0);
	EXPECT_EQ(mm->map_count, 0);
	test_mm_end(mm);
}

SELFTEST(user_memory, munmap_in_the_middle_splits_an_area)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 6 * PAGE_SIZE, 0);

	ASSERT(mm);
	for (unsigned i = 0; i < 6; i++)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, (u8)(i + 1)), 0);
	EXPECT_EQ(vm_munmap(addr + 2 * PAGE_SIZE, 2 * PAGE_SIZE), 0);
	EXPECT_EQ(mm->map_count, 2);
	for (unsigned i = 0; i < 6; i++)
		EXPECT_EQ(user_peek(addr + i * PAGE_SIZE), i == 2 || i == 3 ? -EFAULT : (int)i + 1);
	/* The hole is the first that fits, and the three parts become one area again. */
	EXPECT_EQ_HEX(test_mmap(0, 2 * PAGE_SIZE, 0), addr + 2 * PAGE_SIZE);
	EXPECT_EQ(mm->map_count, 1);
	EXPECT_EQ(user_peek(addr + 2 * PAGE_SIZE), 0);
	EXPECT_EQ(user_peek(addr + 5 * PAGE_SIZE), 6);
	test_mm_end(mm);
}

SELFTEST(user_memory, areas_follow_each_other_downwards)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long first = test_mmap(0, PAGE_SIZE, 0);
	unsigned long second = test_mmap(0, 3 * PAGE_SIZE, MAP_SHARED), third;

	ASSERT(mm);
	EXPECT_EQ(first, mm->mmap_base - PAGE_SIZE);
	EXPECT_EQ(second, first - 3 * PAGE_SIZE);
	EXPECT_EQ(test_mmap(second, PAGE_SIZE, MAP_FIXED_NOREPLACE), -EEXIST);
	EXPECT_EQ(test_mmap(second + 1, PAGE_SIZE, MAP_FIXED), -EINVAL);
	third = test_mmap(second, PAGE_SIZE, 0); /* a hint that is taken: the next free range */
	EXPECT_EQ_HEX(third, second - PAGE_SIZE);
	EXPECT_EQ_HEX(test_mmap(0x12345000, PAGE_SIZE, 0), 0x12345000);
	EXPECT(test_mmap(0, PAGE_SIZE, MAP_32BIT) < 0x80000000UL);
	EXPECT_EQ(test_mmap(0, 1UL << 47, 0), -ENOMEM);
	EXPECT_EQ(test_mmap(0, 0, 0), -EINVAL);
	test_mm_end(mm);
}

SELFTEST(user_memory, fork_shares_pages_until_one_side_writes)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);
	unsigned long shared = test_mmap(0, PAGE_SIZE, MAP_SHARED);

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr, 1), 0);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE, 2), 0);
	EXPECT_EQ(user_poke(shared, 3), 0);
	child = dup_mm(mm);
	ASSERT(child);
	EXPECT_EQ(get_mm_rss(child), 2); /* shared memory is found by a fault */
	EXPECT_EQ(user_poke(addr, 11), 0);
	EXPECT_EQ(user_poke(shared, 13), 0);
	EXPECT_EQ(user_poke(addr + 2 * PAGE_SIZE, 14), 0);

	kthread_unuse_mm(mm);
	kthread_use_mm(child);
	EXPECT_EQ(user_peek(addr), 1);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 2);
	EXPECT_EQ(user_peek(addr + 2 * PAGE_SIZE), 0);
	EXPECT_EQ(user_peek(shared), 13);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE, 22), 0);
	EXPECT_EQ(user_poke(shared, 23), 0);
	kthread_unuse_mm(child);
	mmput(child);

	kthread_use_mm(mm);
	EXPECT_EQ(user_peek(addr), 11);
	EXPECT_EQ(user_peek(addr + PAGE_SIZE), 2);
	EXPECT_EQ(user_peek(shared), 23);
	EXPECT_EQ(get_mm_rss(mm), 4);
	test_mm_end(mm);
}

SELFTEST(user_memory, stack_grows_to_its_limit_and_keeps_its_distance)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long top, limit = 8UL << 20, other;

	ASSERT(mm);
	EXPECT_EQ(setup_stack(mm), 0);
	EXPECT_EQ(setup_arg_pages(mm, false), 0);
	top = (mm->start_stack & PAGE_MASK) + PAGE_SIZE;
	EXPECT_EQ(mm->stack_vm, 33);
	EXPECT_EQ(user_poke(top - limit, 1), 0);
	EXPECT_EQ(mm->stack_vm, limit / PAGE_SIZE);
	EXPECT_EQ(user_poke(top - limit - 1, 1), -EFAULT);
	/*
	 * A new area does not come nearer than the gap; one that is forced there stops the stack.
	 */
	other = top - limit - 0x100000;
	EXPECT_EQ_HEX(test_mmap(other, PAGE_SIZE, 0), mm->mmap_base - PAGE_SIZE);
	test_mm_end(mm);

	mm = test_mm_begin();
	ASSERT(mm);
	EXPECT_EQ(setup_stack(mm), 0);
	top = (mm->start_stack & PAGE_MASK) + PAGE_SIZE;
	EXPECT_EQ_HEX(test_mmap(top - 0x200000, PAGE_SIZE, MAP_FIXED), top - 0x200000);
	EXPECT_EQ(user_poke(top - 0x200000 + PAGE_SIZE + 0x100000, 1), 0);
	EXPECT_EQ(user_poke(top - 0x200000 + 0x100000, 1), -EFAULT);
	test_mm_end(mm);
}

SELFTEST(user_memory, another_task_reads_and_writes_it)
{
	struct mm_struct *mm = test_mm_begin();
	unsigned long addr = test_mmap(0, 2 * PAGE_SIZE, 0);
	char text[8] = "program";

	ASSERT(mm);
	EXPECT_EQ(user_poke(addr + PAGE_SIZE - 1, 'p'), 0);
	kthread_unuse_mm(mm);
	EXPECT_EQ(access_remote_vm(mm, addr + PAGE_SIZE - 4, text, 7, true), 7);
	EXPECT_EQ(access_remote_vm(mm, addr + PAGE_SIZE - 4, text + 1, 7, false), 7);
	EXPECT(text[1] == 'p' && text[4] == 'g' && text[7] == 'm');
	EXPECT_EQ(access_remote_vm(mm, addr + 2 * PAGE_SIZE - 2, text, 7, false), 2);
	mmput(mm);
}

/* Makes, forks and ends an address space with a bit of everything. */
static void live_and_die(struct selftest *test)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	unsigned long addr = test_mmap(0, 600 * PAGE_SIZE, 0);
	unsigned long shared = test_mmap(0, 16 * PAGE_SIZE, MAP_SHARED);

	ASSERT(mm);
	test_mmap(0x10000000, 4 * PAGE_SIZE, 0);
	EXPECT_EQ(user_poke(0x10000000, 1), 0);
	for (unsigned i = 0; i < 600; i += 3)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, 1), 0);
	EXPECT_EQ(user_poke(shared + PAGE_SIZE, 1), 0);
	EXPECT_EQ(setup_stack(mm), 0);
	child = dup_mm(mm);
	ASSERT(child);
	for (unsigned i = 0; i < 600; i += 2)
		EXPECT_EQ(user_poke(addr + i * PAGE_SIZE, 2), 0);
	EXPECT_EQ(vm_munmap(addr + 100 * PAGE_SIZE, 50 * PAGE_SIZE), 0);
	test_mm_end(mm);
	kthread_use_mm(child);
	EXPECT_EQ(user_poke(addr, 3), 0);
	EXPECT_EQ(user_peek(shared + PAGE_SIZE), 1);
	test_mm_end(child);
}

SELFTEST(user_memory, all_pages_come_back)
{
	u64 before, objects;

	live_and_die(test); /* the slab caches get their pages */
	before = memory_accounted();
	objects = memory_objects();
	for (unsigned i = 0; i < 20; i++)
		live_and_die(test);
	memory_expect_objects(test, objects);
	memory_expect_accounted(test, before);
	EXPECT_EQ(atomic64_read(&vm_committed_as), 0);
}

SELFTEST(user_memory, fork_without_memory_fails_and_leaves_nothing)
{
	struct mm_struct *mm = test_mm_begin(), *child = NULL;
	unsigned long addr = test_mmap(0, 4 * PAGE_SIZE, 0);
	struct memory_taken taken;
	unsigned failures = 0;
	u64 before;

	ASSERT(mm);
	test_mmap(0x10000000, PAGE_SIZE, MAP_SHARED);
	EXPECT_EQ(user_poke(addr, 1), 0);
	EXPECT_EQ(user_poke(0x10000000, 2), 0);
	mmput(dup_mm(mm)); /* the slab caches get their pages */
	before = memory_accounted();
	memory_take_all(&taken);
	/* Each time it gets one page further. */
	while (!(child = dup_mm(mm)) && memory_give_page(&taken))
		failures++;
	memory_give_back(&taken);
	ASSERT(child);
	EXPECT(failures >= 4); /* the root table, and three below it */
	EXPECT_EQ(get_mm_rss(child), 1);
	mmput(child);
	EXPECT_EQ(user_peek(addr), 1);
	EXPECT_EQ(user_poke(addr, 3), 0);
	EXPECT_EQ(get_mm_rss(mm), 2);
	memory_expect_accounted(test, before);
	test_mm_end(mm);
}
