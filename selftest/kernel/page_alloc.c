/*
 * Self-tests of the page allocator: all CPUs at once, in interrupts too, and without free memory.
 */
#include "kernel/mm/page_alloc.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/threads.h"
#include "kernel/smp.h"

#define ROUNDS 1500U
#define BLOCKS 16U

struct block {
	struct page *page;
	unsigned order;
	u32 seed;
};

/* Fills only the first and the last bytes of a block: an overlapping block would damage them. */
static void fill_block(const struct block *b)
{
	u8 *p = page_address(b->page);

	memory_fill(p, 64, b->seed);
	memory_fill(p + (PAGE_SIZE << b->order) - 64, 64, b->seed);
}

static bool block_intact(const struct block *b)
{
	const u8 *p = page_address(b->page);

	return memory_intact(p, 64, b->seed) &&
	       memory_intact(p + (PAGE_SIZE << b->order) - 64, 64, b->seed);
}

/* Allocates and frees blocks of orders 0 to 3 in random order. *arg counts the damaged blocks. */
static void allocate_and_free(void *arg, unsigned index)
{
	struct block blocks[BLOCKS] = { { 0 } };
	atomic_t *damaged = arg;
	u32 seed = index + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct block *b = &blocks[test_random(&seed) % BLOCKS];

		if (b->page) {
			if (!block_intact(b))
				atomic_inc(damaged);
			free_pages(b->page, b->order);
			b->page = NULL;
			continue;
		}
		b->order = test_random(&seed) % 4 ? 0 : test_random(&seed) % 4;
		b->seed = test_random(&seed);
		b->page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, b->order);
		if (b->page)
			fill_block(b);
	}
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (!blocks[i].page)
			continue;
		if (!block_intact(&blocks[i]))
			atomic_inc(damaged);
		free_pages(blocks[i].page, blocks[i].order);
	}
}

SELFTEST(page_alloc, blocks_of_all_cpus_are_disjoint_and_come_back)
{
	atomic_t damaged = ATOMIC_INIT(0);
	u64 before = memory_accounted();

	EXPECT(run_threads(num_online_cpus() + 2, EACH_CPU, allocate_and_free, &damaged));
	EXPECT_EQ(atomic_read(&damaged), 0);
	memory_expect_accounted(test, before);
}

static void allocate_in_interrupt(void *arg)
{
	atomic_t *damaged = arg;
	struct block blocks[4];

	for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = (struct block){ .order = i % 2, .seed = i };
		blocks[i].page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, blocks[i].order);
		if (blocks[i].page)
			fill_block(&blocks[i]);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++) {
		if (!blocks[i].page)
			continue;
		if (!block_intact(&blocks[i]))
			atomic_inc(damaged);
		free_pages(blocks[i].page, blocks[i].order);
	}
}

SELFTEST(page_alloc, interrupts_allocate_in_the_middle_of_allocations)
{
	atomic_t damaged = ATOMIC_INIT(0);
	u64 before = memory_accounted();
	struct test_group group;

	EXPECT(test_group_start(&group, num_online_cpus(), EACH_CPU, allocate_and_free, &damaged));
	for (unsigned i = 0; i < 100; i++)
		on_each_cpu(allocate_in_interrupt, &damaged, true);
	test_group_wait(&group);
	EXPECT_EQ(atomic_read(&damaged), 0);
	memory_expect_accounted(test, before);
}

/* Allocates all memory that GFP_KERNEL can get, large blocks first, as a list through private. */
static struct page *take_all(u64 *bytes)
{
	struct page *list = NULL, *page;

	*bytes = 0;
	for (unsigned order = MAX_ORDER; order-- > 0;) {
		while ((page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, order))) {
			page->private = (unsigned long)list;
			list = page;
			*bytes += PAGE_SIZE << order;
		}
	}
	return list;
}

static void give_all(struct page *list)
{
	struct page *page;

	while ((page = list)) {
		list = (struct page *)page->private;
		free_pages(page, page->order);
	}
}

SELFTEST(page_alloc, running_out_is_null_and_leaves_a_reserve_for_interrupts)
{
	u64 before = memory_accounted(), bytes, again;
	struct page *list, *page;

	ASSERT(run_on_nth_cpu(0)); /* the other CPUs have pages in their caches */
	list = take_all(&bytes);
	EXPECT(bytes > 4UL << 20);
	EXPECT(!alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0));
	EXPECT(!get_free_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO, 4));
	page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, 0);
	EXPECT(page);
	if (page)
		free_pages(page, 0);
	give_all(list);
	memory_expect_accounted(test, before);

	/* Freed blocks have merged: the same amount is free, except for the per-CPU caches. */
	list = take_all(&again);
	EXPECT(again + bytes / 16 >= bytes);
	give_all(list);
	run_on_any_cpu();
	memory_expect_accounted(test, before);
}

SELFTEST(page_alloc, zeroed_pages_are_zero)
{
	for (unsigned order = 0; order < 3; order++) {
		u8 *p = get_free_pages(GFP_KERNEL, order);

		ASSERT(p);
		memory_fill(p, PAGE_SIZE << order, 1);
		free_pages_addr(p, order);
		p = get_free_pages(GFP_KERNEL | __GFP_ZERO, order);
		ASSERT(p);
		for (size_t i = 0; i < PAGE_SIZE << order; i++)
			ASSERT(!p[i]);
		free_pages_addr(p, order);
	}
}

SELFTEST(page_alloc, addresses_pages_and_frames_belong_together)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);

	ASSERT(page);
	EXPECT(virt_to_page(page_address(page)) == page);
	EXPECT(phys_to_page(page_to_phys(page)) == page);
	EXPECT_EQ_HEX(__pa(page_address(page)), page_to_phys(page));
	EXPECT(page_to_phys(page) < memblock_end_of_ram());
	free_pages(page, 0);
}
