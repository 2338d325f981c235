/*
 * The page cache. See page_cache.h.
 *
 * The pages are the leaves of a tree of tables of 512 pointers. The tree is as high as the file
 * needs: no table for a file of one page, TABLE_LEVELS levels for 512 GiB. Missing pages are holes.
 */
#include "fs/vfs/page_cache.h"

#include "kernel/sched/sched.h"

#define TABLE_BITS   9
#define TABLE_SIZE   (1U << TABLE_BITS)
#define TABLE_LEVELS 3
BUILD_BUG_ON(PAGE_CACHE_MAX_PAGES != 1UL << (TABLE_BITS * TABLE_LEVELS));

void address_space_init(struct address_space *mapping, struct inode *host, atomic64_t *all_tables)
{
	mapping->host = host;
	mapping->all_tables = all_tables;
	spin_lock_init(&mapping->tree_lock);
	init_rwsem(&mapping->fault_lock);
	vm_mapping_init(&mapping->i_mmap);
}

/* tree_lock is held. */
static void count_tables(struct address_space *mapping, s64 tables)
{
	mapping->nr_tables += (u64)tables;
	atomic64_add(tables, mapping->all_tables);
}

/* The place of the page at index, or NULL: a table is missing. tree_lock is held. */
static inline void **find_slot(struct address_space *mapping, u64 index)
{
	void **slot = &mapping->root;

	if (index >> (TABLE_BITS * mapping->height))
		return NULL;
	for (unsigned level = mapping->height; level && *slot; level--)
		slot = (void **)*slot + (index >> (TABLE_BITS * (level - 1))) % TABLE_SIZE;
	return slot;
}

struct page *find_get_page(struct address_space *mapping, u64 index)
{
	struct page *page = NULL;
	void **slot;

	spin_lock(&mapping->tree_lock);
	slot = find_slot(mapping, index);
	if (slot && *slot) {
		page = *slot;
		get_page(page);
	}
	spin_unlock(&mapping->tree_lock);
	return page;
}

/*
 * The place for the page at index. Uses *table if a table is missing; NULL if it then lacks one
 * more. tree_lock is held.
 */
static void **make_slot(struct address_space *mapping, u64 index, void **table)
{
	void **slot;

	while (index >> (TABLE_BITS * mapping->height)) {
		if (mapping->root) {
			if (!*table)
				return NULL;
			*(void **)*table = mapping->root;
			mapping->root = *table;
			*table = NULL;
		}
		mapping->height++;
	}
	slot = &mapping->root;
	for (unsigned level = mapping->height; level; level--) {
		if (!*slot) {
			if (!*table)
				return NULL;
			*slot = *table;
			*table = NULL;
		}
		slot = (void **)*slot + (index >> (TABLE_BITS * (level - 1))) % TABLE_SIZE;
	}
	return slot;
}

int add_to_page_cache(struct address_space *mapping, struct page *page, u64 index)
{
	void *table = NULL, **slot;
	int err = 0;

	if (index >= PAGE_CACHE_MAX_PAGES)
		return -EFBIG;
	spin_lock(&mapping->tree_lock);
	while (!(slot = make_slot(mapping, index, &table))) {
		spin_unlock(&mapping->tree_lock);
		table = get_free_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		if (!table)
			return -ENOMEM;
		spin_lock(&mapping->tree_lock);
		count_tables(mapping, 1);
	}
	if (*slot) {
		err = -EEXIST;
	} else {
		get_page(page);
		page->mapping = &mapping->i_mmap;
		page->index = index;
		*slot = page;
		mapping->nr_pages++;
	}
	if (table)
		count_tables(mapping, -1);
	spin_unlock(&mapping->tree_lock);
	if (table)
		free_page(table);
	return err;
}

/* What remove_range() collects: pages to drop after the unlock. */
#define REMOVE_BATCH 16
struct removed {
	struct page *pages[REMOVE_BATCH];
	unsigned count;
	bool full; /* stopped early */
};

/*
 * Takes the pages from first to last below *slot, a page or a table, out of the tree, and frees
 * empty tables. The recursion is at most TABLE_LEVELS deep. tree_lock is held.
 */
static void remove_range(struct address_space *mapping, void **slot, unsigned level, u64 first,
			 u64 last, struct removed *removed)
{
	u64 span = level ? 1ULL << (TABLE_BITS * (level - 1)) : 1;
	void **table = *slot;

	if (!level) {
		if (removed->count == REMOVE_BATCH) {
			removed->full = true;
			return;
		}
		((struct page *)*slot)->mapping = NULL;
		removed->pages[removed->count++] = *slot;
		*slot = NULL;
		mapping->nr_pages--;
		return;
	}
	for (u64 i = first / span; i <= last / span && !removed->full; i++)
		if (table[i])
			remove_range(mapping, &table[i], level - 1,
				     i == first / span ? first % span : 0,
				     i == last / span ? last % span : span - 1, removed);
	if (removed->full)
		return;
	for (unsigned i = 0; i < TABLE_SIZE; i++)
		if (table[i])
			return;
	*slot = NULL;
	free_page(table);
	count_tables(mapping, -1);
}

/* Removes up to REMOVE_BATCH pages. Returns true when the range is empty. */
static bool remove_some(struct address_space *mapping, u64 first, u64 last, u64 *count)
{
	struct removed removed = { .count = 0 };
	u64 size;

	spin_lock(&mapping->tree_lock);
	size = 1ULL << (TABLE_BITS * mapping->height);
	if (mapping->root && first < size)
		remove_range(mapping, &mapping->root, mapping->height, first, min(last, size - 1),
			     &removed);
	if (!mapping->root)
		mapping->height = 0;
	spin_unlock(&mapping->tree_lock);
	for (unsigned i = 0; i < removed.count; i++)
		put_page(removed.pages[i]);
	*count += removed.count;
	return !removed.full;
}

u64 free_page_cache(struct address_space *mapping)
{
	u64 count = 0;

	while (!remove_some(mapping, 0, ~0ULL, &count))
		continue;
	return count;
}

u64 remove_from_page_cache(struct address_space *mapping, u64 first, u64 last, bool even_cows)
{
	u64 count = 0;

	while (!remove_some(mapping, first, last, &count))
		continue;
	/* A fault that has found one of the pages held fault_lock, and its area has set unmap. */
	if (READ_ONCE(mapping->i_mmap.unmap))
		mapping->i_mmap.unmap(&mapping->i_mmap, first, last, even_cows);
	return count;
}

u64 page_cache_next(struct address_space *mapping, u64 index)
{
	spin_lock(&mapping->tree_lock);
	while (index >> (TABLE_BITS * mapping->height) == 0) {
		void **slot = &mapping->root;
		unsigned level = mapping->height;

		while (level && *slot) {
			level--;
			slot = (void **)*slot + (index >> (TABLE_BITS * level)) % TABLE_SIZE;
		}
		if (*slot) {
			spin_unlock(&mapping->tree_lock);
			return index;
		}
		/* Nothing below this slot: go on behind it. */
		index = ((index >> (TABLE_BITS * level)) + 1) << (TABLE_BITS * level);
	}
	spin_unlock(&mapping->tree_lock);
	return ~0ULL;
}

u64 page_cache_next_hole(struct address_space *mapping, u64 index)
{
	void **slot;

	spin_lock(&mapping->tree_lock);
	while ((slot = find_slot(mapping, index)) && *slot) {
		if (++index % TABLE_SIZE == 0) {
			spin_unlock(&mapping->tree_lock);
			cond_resched();
			spin_lock(&mapping->tree_lock);
		}
	}
	spin_unlock(&mapping->tree_lock);
	return index;
}
