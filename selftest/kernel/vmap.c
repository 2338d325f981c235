/* Self-tests of pages that are mapped twice. */
#include "arch/mm/pgtable.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "selftest/lib/memory.h"
#include "selftest/selftest.h"

#define PAGES 3U
#define SIZE  (PAGES * PAGE_SIZE)

static struct page *pages[PAGES];

/* Not in the order of their addresses. */
static bool alloc_pages_of_ring(void)
{
	for (unsigned i = 0; i < PAGES; i++) {
		pages[PAGES - 1 - i] = alloc_pages(GFP_KERNEL | __GFP_ZERO, 0);
		if (!pages[PAGES - 1 - i])
			return false;
	}
	return true;
}

static void free_pages_of_ring(void)
{
	for (unsigned i = 0; i < PAGES; i++)
		free_pages(pages[i], 0);
}

static phys_addr_t phys_of(const void *addr)
{
	return kernel_virt_to_phys((unsigned long)addr);
}

SELFTEST(vmap, what_crosses_the_end_of_a_ring_is_in_one_piece)
{
	static const char record[] = "a record that begins before the end";
	u64 before = memory_accounted();
	u8 *ring;

	ASSERT(alloc_pages_of_ring());
	ring = vmap_ring(pages, PAGES);
	ASSERT(ring);
	EXPECT(is_vmalloc_addr(ring));
	for (unsigned i = 0; i < 2 * PAGES; i++)
		EXPECT_EQ_HEX(phys_of(ring + i * PAGE_SIZE), page_to_phys(pages[i % PAGES]));
	memcpy(ring + SIZE - 7, record, sizeof(record));
	EXPECT(!memcmp(page_address(pages[PAGES - 1]) + PAGE_SIZE - 7, record, 7));
	EXPECT(!memcmp(page_address(pages[0]), record + 7, sizeof(record) - 7));
	EXPECT(!memcmp(ring, record + 7, sizeof(record) - 7));
	/* Unmapped pages are on both sides. */
	EXPECT_EQ_HEX(phys_of(ring - 1), ~0UL);
	EXPECT_EQ_HEX(phys_of(ring + 2 * SIZE), ~0UL);
	vunmap(ring);
	EXPECT_EQ_HEX(phys_of(ring), ~0UL);
	EXPECT_EQ_HEX(phys_of(ring + 2 * SIZE - 1), ~0UL);
	/* The pages are still the caller's, with their contents. */
	EXPECT(!memcmp(page_address(pages[0]), record + 7, sizeof(record) - 7));
	free_pages_of_ring();
	memory_expect_accounted(test, before);
}

SELFTEST(vmap, ring_without_memory_or_pages_is_refused)
{
	u64 before = memory_accounted();
	struct memory_taken taken;
	u8 *ring = NULL;

	EXPECT(!vmap_ring(pages, 0));
	vunmap(NULL);
	ASSERT(alloc_pages_of_ring());
	memory_take_all(&taken);
	EXPECT(!vmap_ring(pages, PAGES));
	while (!ring && memory_give_page(&taken))
		ring = vmap_ring(pages, PAGES);
	EXPECT(ring);
	vunmap(ring);
	memory_give_back(&taken);
	free_pages_of_ring();
	memory_expect_accounted(test, before);
}
