/*
 * The page allocator.
 * sources: kernel/mm/memblock.c kernel/mm/page_alloc.c kernel/mm/slab.c kernel/mm/slab_caches.c kernel/mm/kmalloc.c kernel/mm/util.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "mm_host.h"

static int boot(void **state)
{
	(void)state;
	host_boot();
	return 0;
}

/* The allocator gives only memory that is usable in the memory map. */
static bool is_ram(const struct page *page, unsigned order)
{
	phys_addr_t base = page_to_phys(page), end = base + (PAGE_SIZE << order);

	return (base >= 0x10000 && end <= 0x9f000) || (base >= 0x200000 && end <= 32UL << 20) ||
	       (base >= 40UL << 20 && end <= 63UL << 20);
}

static void test_random_blocks_are_disjoint_aligned_and_all_come_back(void **state)
{
	static struct {
		struct page *page;
		unsigned order;
		u64 mark;
	} blocks[400];
	unsigned long before = nr_free_pages();

	(void)state;
	srand(5);
	for (unsigned step = 0; step < 100000; step++) {
		unsigned i = (unsigned)rand() % ARRAY_SIZE(blocks);
		u64 *words;

		if (blocks[i].page) {
			words = page_address(blocks[i].page);
			assert_true(words[0] == blocks[i].mark);
			assert_true(words[(PAGE_SIZE << blocks[i].order) / 8 - 1] ==
				    blocks[i].mark);
			free_pages(blocks[i].page, blocks[i].order);
			blocks[i].page = NULL;
			continue;
		}
		blocks[i].order = rand() % 4 ? 0 : (unsigned)rand() % 6;
		blocks[i].page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, blocks[i].order);
		if (!blocks[i].page)
			continue;
		assert_true(is_ram(blocks[i].page, blocks[i].order));
		assert_true(IS_ALIGNED(page_to_phys(blocks[i].page), PAGE_SIZE << blocks[i].order));
		blocks[i].mark = ((u64)step << 32) | i;
		words = page_address(blocks[i].page);
		words[0] = blocks[i].mark;
		words[(PAGE_SIZE << blocks[i].order) / 8 - 1] = blocks[i].mark;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++)
		if (blocks[i].page)
			free_pages(blocks[i].page, blocks[i].order);
	assert_int_equal(nr_free_pages(), before);
	assert_int_equal(host_warnings, 0);
	assert_false(host_irqs_off);
}

/* Counts the blocks of the largest order: allocates all of them, and frees them. */
static unsigned count_largest(void)
{
	struct page *pages[32];
	unsigned n = 0;

	while (n < ARRAY_SIZE(pages) &&
	       (pages[n] = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, MAX_ORDER - 1)))
		n++;
	for (unsigned i = 0; i < n; i++)
		free_pages(pages[i], MAX_ORDER - 1);
	return n;
}

static void test_running_out_gives_null_and_freeing_all_joins_the_blocks_again(void **state)
{
	unsigned long before = nr_free_pages(), n = 0;
	unsigned largest = count_largest(), failures = host_alloc_failures;
	struct page *list = NULL, *page;

	(void)state;
	assert_true(largest >= 8);
	while ((page = alloc_pages(GFP_ATOMIC, 0))) {
		page->private = (unsigned long)list;
		list = page;
		n++;
	}
	assert_int_equal(n, before);
	assert_int_equal(nr_free_pages(), 0);
	assert_int_equal(host_alloc_failures, failures + 1);
	assert_null(alloc_pages(GFP_ATOMIC | __GFP_NOWARN, 3));
	assert_int_equal(host_alloc_failures, failures + 1);
	while ((page = list)) {
		list = (struct page *)page->private;
		free_pages(page, 0);
	}
	assert_int_equal(nr_free_pages(), before);
	assert_true(count_largest() >= largest - 1); /* the per-CPU cache keeps a few pages */
}

static void test_a_reserve_is_left_for_atomic_requests(void **state)
{
	struct page *list = NULL, *page;

	(void)state;
	while ((page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0))) {
		page->private = (unsigned long)list;
		list = page;
	}
	assert_true(nr_free_pages() >= 50);
	page = alloc_pages(GFP_ATOMIC, 0);
	assert_non_null(page);
	free_pages(page, 0);
	while ((page = list)) {
		list = (struct page *)page->private;
		free_pages(page, 0);
	}
}

static void test_zeroed_pages_are_zero(void **state)
{
	(void)state;
	for (unsigned order = 0; order < 4; order++) {
		u8 *p = get_free_pages(GFP_KERNEL, order);

		memset(p, 0xff, PAGE_SIZE << order);
		free_pages_addr(p, order);
		p = get_free_pages(GFP_KERNEL | __GFP_ZERO, order);
		for (size_t i = 0; i < PAGE_SIZE << order; i++)
			assert_int_equal(p[i], 0);
		free_pages_addr(p, order);
	}
	free_pages_addr(NULL, 0);
	assert_null(alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_ORDER));
}

static void test_a_wrong_free_is_reported_and_changes_nothing(void **state)
{
	struct page *single = alloc_pages(GFP_KERNEL, 0), *block = alloc_pages(GFP_KERNEL, 2);
	unsigned long before;
	unsigned warnings = host_warnings;

	(void)state;
	free_pages(single, 0);
	before = nr_free_pages();
	free_pages(single, 0);
	assert_int_equal(host_warnings, warnings + 1);
	free_pages(block, 1);
	assert_int_equal(host_warnings, warnings + 2);
	free_pages(mem_map + max_pfn, 0);
	assert_int_equal(host_warnings, warnings + 3);
	assert_int_equal(nr_free_pages(), before);
	free_pages(block, 2);
	free_pages(block, 2);
	assert_int_equal(host_warnings, warnings + 4);
	assert_int_equal(nr_free_pages(), before + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_blocks_are_disjoint_aligned_and_all_come_back),
		cmocka_unit_test(
			test_running_out_gives_null_and_freeing_all_joins_the_blocks_again),
		cmocka_unit_test(test_a_reserve_is_left_for_atomic_requests),
		cmocka_unit_test(test_zeroed_pages_are_zero),
		cmocka_unit_test(test_a_wrong_free_is_reported_and_changes_nothing),
	};

	return cmocka_run_group_tests_name("page_alloc", tests, boot, NULL);
}
