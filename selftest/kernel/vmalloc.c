/* Self-tests of vmalloc, ioremap and kernel stacks. */
#include "kernel/mm/vmalloc.h"
#include "arch/mm/pgtable.h"
#include "kernel/lib/string.h"
#include "kernel/sched/task.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"

#define ROUNDS 160U /* of all CPUs together: freeing an area costs an IPI to every CPU */
#define AREAS  6U
#define STACKS 100U

static bool is_mapped(const void *addr)
{
	return kernel_virt_to_phys((unsigned long)addr) != ~0UL;
}

SELFTEST(vmalloc, areas_hold_their_contents_between_unmapped_pages)
{
	size_t sizes[] = { 1, PAGE_SIZE, PAGE_SIZE + 1, 100000 };
	u64 before = memory_accounted();
	u8 *areas[ARRAY_SIZE(sizes)];

	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		areas[i] = vmalloc(sizes[i]);
		ASSERT(areas[i]);
		EXPECT(is_vmalloc_addr(areas[i]));
		EXPECT(IS_ALIGNED((unsigned long)areas[i], PAGE_SIZE));
		memory_fill(areas[i], sizes[i], i);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT(memory_intact(areas[i], sizes[i], i));
		EXPECT(!is_mapped(areas[i] - 1));
		EXPECT(!is_mapped(areas[i] + ALIGN(sizes[i], PAGE_SIZE)));
		vfree(areas[i]);
		EXPECT(!is_mapped(areas[i]));
	}
	EXPECT(!vmalloc(0));
	vfree(NULL);
	memory_expect_accounted(test, before);
}

SELFTEST(vmalloc, areas_that_are_freed_together_are_unmapped_and_accounted)
{
	void *areas[5] = { NULL };
	u64 before = memory_accounted();

	for (unsigned i = 0; i < ARRAY_SIZE(areas); i++)
		if (i != 3)
			areas[i] = vmalloc((i + 1) * PAGE_SIZE);
	ASSERT(areas[0] && areas[1] && areas[2] && areas[4]);
	vfree(areas[1]); /* a hole, in which another area may lie */
	areas[1] = vmalloc(100);
	ASSERT(areas[1]);
	vfree_many((const void *const *)areas, ARRAY_SIZE(areas));
	for (unsigned i = 0; i < ARRAY_SIZE(areas); i++)
		EXPECT(!is_mapped(areas[i]));
	memory_expect_accounted(test, before);
	vfree_many(NULL, 0);
}

SELFTEST(vmalloc, zeroed_areas_are_zero)
{
	u8 *p = vmalloc(3 * PAGE_SIZE);

	ASSERT(p);
	memory_fill(p, 3 * PAGE_SIZE, 1);
	vfree(p);
	p = vzalloc(3 * PAGE_SIZE);
	ASSERT(p);
	for (size_t i = 0; i < 3 * PAGE_SIZE; i++)
		ASSERT(!p[i]);
	vfree(p);
}

/* Maps and unmaps areas in random order. *arg counts damaged areas and failed allocations. */
static void map_and_unmap(void *arg, unsigned index)
{
	struct {
		u8 *p;
		size_t size;
		u32 seed;
	} areas[AREAS] = { { 0 } };
	atomic_t *damaged = arg;
	unsigned rounds = max(ROUNDS / num_online_cpus(), 8U);
	u32 seed = index + 1;

	for (unsigned i = 0; i < rounds + AREAS; i++) {
		unsigned n = i < rounds ? test_random(&seed) % AREAS : i - rounds;

		if (areas[n].p) {
			if (!memory_intact(areas[n].p, areas[n].size, areas[n].seed))
				atomic_inc(damaged);
			vfree(areas[n].p);
			areas[n].p = NULL;
		} else if (i < rounds) {
			areas[n].size = 1 + test_random(&seed) % (5 * PAGE_SIZE);
			areas[n].seed = test_random(&seed);
			areas[n].p = vmalloc(areas[n].size);
			if (areas[n].p)
				memory_fill(areas[n].p, areas[n].size, areas[n].seed);
			else
				atomic_inc(damaged);
		}
	}
}

SELFTEST(vmalloc, all_cpus_map_and_unmap_at_once)
{
	atomic_t damaged = ATOMIC_INIT(0);
	u64 before = memory_accounted();

	EXPECT(run_threads(num_online_cpus() + 2, EACH_CPU, map_and_unmap, &damaged));
	EXPECT_EQ(atomic_read(&damaged), 0);
	memory_expect_accounted(test, before);
}

SELFTEST(vmalloc, more_than_there_is_gives_null_and_leaks_nothing)
{
	u64 before = memory_accounted();
	struct meminfo info;

	si_meminfo(&info);
	EXPECT(!vmalloc(info.total));
	EXPECT(!vmalloc(1UL << 46));
	EXPECT(!vmalloc(SIZE_MAX));
	memory_expect_accounted(test, before);
}

/* A page of ordinary memory stands for the device. */
SELFTEST(vmalloc, ioremap_shows_the_device_uncached_at_its_offset)
{
	u64 before = memory_accounted();
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 0);
	unsigned long size;
	u32 *device;
	u64 *entry;

	ASSERT(page);
	device = ioremap(page_to_phys(page) + 0x120, 8);
	ASSERT(device);
	EXPECT_EQ_HEX((unsigned long)device % PAGE_SIZE, 0x120);
	*(volatile u32 *)device = 0x12345678;
	EXPECT_EQ_HEX(*(volatile u32 *)((char *)page_address(page) + 0x120), 0x12345678);
	entry = lookup_address((unsigned long)device, &size);
	ASSERT(entry);
	EXPECT(*entry & _PAGE_PCD);
	EXPECT(*entry & _PAGE_NX);
	iounmap(device);
	EXPECT(!is_mapped(device));
	free_pages(page, 0);
	memory_expect_accounted(test, before);
}

SELFTEST(vmalloc, stacks_are_disjoint_and_guarded_on_both_sides)
{
	u64 before = memory_accounted();
	static u8 *stacks[STACKS];

	for (unsigned i = 0; i < STACKS; i++) {
		stacks[i] = alloc_thread_stack();
		ASSERT(stacks[i]);
		memory_fill(stacks[i], THREAD_SIZE, i);
	}
	for (unsigned i = 0; i < STACKS; i++) {
		EXPECT(memory_intact(stacks[i], THREAD_SIZE, i));
		EXPECT(!is_mapped(stacks[i] - 1));
		EXPECT(!is_mapped(stacks[i] + THREAD_SIZE));
		EXPECT(is_stack_guard(stacks[i] - 1));
		EXPECT(is_stack_guard(stacks[i] + THREAD_SIZE));
		EXPECT(!is_stack_guard(stacks[i]));
		EXPECT(!is_stack_guard(stacks[i] + THREAD_SIZE - 1));
	}
	for (unsigned i = 0; i < STACKS; i++)
		free_thread_stack(stacks[i]);
	EXPECT(!is_stack_guard(&before));
	EXPECT(!is_stack_guard(stacks));
	memory_expect_accounted(test, before);
}

SELFTEST(vmalloc, spare_stacks_are_unmapped_but_for_a_few)
{
	struct meminfo before, most, after;
	void *list = NULL, *stack;
	unsigned count;

	/* A sixteenth of memory. Up to about a 128th may stay mapped. */
	si_meminfo(&before);
	for (count = 0; count < before.total / 16 / THREAD_SIZE; count++) {
		stack = alloc_thread_stack();
		ASSERT(stack);
		*(void **)stack = list;
		list = stack;
	}
	si_meminfo(&most);
	while ((stack = list)) {
		list = *(void **)stack;
		free_thread_stack(stack);
	}
	for (unsigned i = 0; i < 1000; i++) {
		si_meminfo(&after);
		if (most.kernel_stack - after.kernel_stack >= most.kernel_stack / 4 &&
		    after.kernel_stack < before.kernel_stack + before.total / 32)
			break;
		msleep(10);
	}
	EXPECT(most.kernel_stack - after.kernel_stack >= most.kernel_stack / 4);
	EXPECT(after.kernel_stack < before.kernel_stack + before.total / 32);
}
