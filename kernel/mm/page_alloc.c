/*
 * The page allocator: buddies, and a front of single pages for each CPU.
 *
 * Free memory is kept in blocks of 1 << order pages, each aligned to its size. A block of one order
 * more splits into two buddies, whose frame numbers differ in that one bit; when both are free they
 * become one again. Single pages, the usual request, come from and go to a list of this CPU that
 * only it uses, with interrupts off, and that trades with the buddies a batch at a time.
 */
#include "kernel/mm/internal.h"

#include "arch/irqflags.h"
#include "arch/percpu.h"
#include "kernel/bug.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/printk/printk.h"

struct free_area {
	struct list_head head;
	unsigned long count;
};

static struct zone {
	spinlock_t lock;
	struct free_area area[MAX_ORDER]; /* [lock] */
	unsigned long orders;             /* [lock] bit n: area[n] is not empty */
	unsigned long free;               /* [lock] pages in all areas */
	unsigned long total;              /* [lock] pages that were ever handed in */
	unsigned long reserve;            /* constant: pages that only GFP_ATOMIC may have */
} zone;

/* Single pages of one CPU, linked by private. Touched by that CPU only, interrupts off. */
struct page_front {
	struct page *head;
	unsigned count;
};

static DEFINE_PER_CPU(struct page_front, page_front);
static unsigned front_high;  /* a front that has more gives a batch back */
static unsigned front_batch; /* half of it */

struct page *mem_map;
unsigned long max_pfn;
bool mem_init_done;

#ifdef CONFIG_DEBUG
static void poison_pages(struct page *page, unsigned order)
{
	memset(page_address(page), POISON_FREE, PAGE_SIZE << order);
}
#else
static inline void poison_pages(struct page *page __unused, unsigned order __unused)
{
}
#endif

static unsigned long page_to_pfn(const struct page *page)
{
	return (unsigned long)(page - mem_map);
}

/* Put a block into its area's list. Zone lock held. */
static void add_to_area(struct page *page, unsigned order)
{
	struct free_area *area = &zone.area[order];

	page->flags |= PG_BUDDY;
	page->order = (u8)order;
	list_add(&page->lru, &area->head);
	area->count++;
	zone.orders |= BIT(order);
}

static void del_from_area(struct page *page, unsigned order)
{
	struct free_area *area = &zone.area[order];

	page->flags &= (u8)~PG_BUDDY;
	list_del(&page->lru);
	if (!--area->count)
		zone.orders &= ~BIT(order);
}

/* Zone lock held. NULL when there is no block, or only the reserve. */
static struct page *take_block(gfp_t gfp, unsigned order)
{
	unsigned long orders = zone.orders & ~(BIT(order) - 1);
	struct page *page;
	unsigned from;

	lockdep_assert_held(&zone.lock);
	if (!orders)
		return NULL;
	if (!(gfp & GFP_ATOMIC) && zone.free < zone.reserve + BIT(order))
		return NULL;
	from = (unsigned)__builtin_ctzl(orders);
	page = list_first_entry(&zone.area[from].head, struct page, lru);
	del_from_area(page, from);
	while (from > order) {
		from--;
		add_to_area(page + BIT(from), from);
	}
	page->order = (u8)order;
	zone.free -= BIT(order);
	return page;
}

/* Zone lock held. */
static void give_block(struct page *page, unsigned order)
{
	unsigned long pfn = page_to_pfn(page);

	lockdep_assert_held(&zone.lock);
	zone.free += BIT(order);
	while (order < MAX_ORDER - 1) {
		unsigned long buddy_pfn = pfn ^ BIT(order);
		struct page *buddy = mem_map + buddy_pfn;

		if (buddy_pfn >= max_pfn || !(buddy->flags & PG_BUDDY) || buddy->order != order)
			break;
		del_from_area(buddy, order);
		pfn &= buddy_pfn;
		order++;
	}
	add_to_area(mem_map + pfn, order);
}

/* Interrupts off. */
static void refill_front(struct page_front *front, gfp_t gfp)
{
	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&zone.lock);
	for (unsigned i = 0; i < front_batch; i++) {
		struct page *page = take_block(gfp, 0);

		if (!page)
			break;
		page->flags |= PG_FRONT;
		page->private = (unsigned long)front->head;
		front->head = page;
		front->count++;
	}
	spin_unlock(&zone.lock);
}

/* Interrupts off. */
static void drain_front(struct page_front *front, unsigned count)
{
	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&zone.lock);
	while (count-- && front->head) {
		struct page *page = front->head;

		front->head = (struct page *)page->private;
		front->count--;
		page->flags &= (u8)~PG_FRONT;
		give_block(page, 0);
	}
	spin_unlock(&zone.lock);
}

static struct page *alloc_one(gfp_t gfp)
{
	struct page_front *front;
	struct page *page;
	unsigned long flags;

	local_irq_save(flags);
	front = this_cpu_ptr(&page_front);
	if (unlikely(!front->head))
		refill_front(front, gfp);
	page = front->head;
	if (likely(page)) {
		front->head = (struct page *)page->private;
		front->count--;
		page->flags &= (u8)~PG_FRONT;
	}
	local_irq_restore(flags);
	return page;
}

static void free_one(struct page *page)
{
	struct page_front *front;
	unsigned long flags;

	local_irq_save(flags);
	front = this_cpu_ptr(&page_front);
	page->flags |= PG_FRONT;
	page->private = (unsigned long)front->head;
	front->head = page;
	if (unlikely(++front->count > front_high))
		drain_front(front, front_batch);
	local_irq_restore(flags);
}

struct page *alloc_pages(gfp_t gfp, unsigned order)
{
	struct page *page = NULL;
	unsigned long flags;

	if (likely(order == 0)) {
		page = alloc_one(gfp);
	} else if (order < MAX_ORDER) {
		spin_lock_irqsave(&zone.lock, flags);
		page = take_block(gfp, order);
		spin_unlock_irqrestore(&zone.lock, flags);
	}
	if (unlikely(!page)) {
		if (!(gfp & __GFP_NOWARN))
			warn_alloc(gfp, order);
		return NULL;
	}
	if (gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

void free_pages(struct page *page, unsigned order)
{
	unsigned long flags;

	if (WARN_ON(page < mem_map || page >= mem_map + max_pfn || page->slab || page->flags ||
		    page->order != order))
		return; /* freed twice, or not what was allocated: better lost than had by two */
	poison_pages(page, order);
	if (likely(order == 0)) {
		free_one(page);
	} else {
		spin_lock_irqsave(&zone.lock, flags);
		give_block(page, order);
		spin_unlock_irqrestore(&zone.lock, flags);
	}
}

void *get_free_pages(gfp_t gfp, unsigned order)
{
	struct page *page = alloc_pages(gfp, order);

	return page ? page_address(page) : NULL;
}

void free_pages_addr(void *addr, unsigned order)
{
	if (addr)
		free_pages(virt_to_page(addr), order);
}

void free_page_range(phys_addr_t base, phys_addr_t end)
{
	unsigned long pfn = base >> PAGE_SHIFT, end_pfn = end >> PAGE_SHIFT, flags;

	spin_lock_irqsave(&zone.lock, flags);
	zone.total += end_pfn - pfn;
	while (pfn < end_pfn) {
		/* The largest block that starts here and ends in the range. */
		unsigned order = pfn ? (unsigned)__builtin_ctzl(pfn) : MAX_ORDER - 1;

		order = min(order, MAX_ORDER - 1U);
		while (pfn + BIT(order) > end_pfn)
			order--;
		give_block(mem_map + pfn, order);
		pfn += BIT(order);
	}
	spin_unlock_irqrestore(&zone.lock, flags);
}

unsigned long total_pages(void)
{
	return READ_ONCE(zone.total);
}

unsigned long nr_free_pages(void)
{
	unsigned long free = READ_ONCE(zone.free);
	unsigned cpu;

	for_each_possible_cpu (cpu)
		free += READ_ONCE(per_cpu(page_front, cpu).count);
	return free;
}

void __init mem_init(void)
{
	phys_addr_t cursor = 0, base, end;
	u64 ram = 0;

	spin_lock_init(&zone.lock);
	for (unsigned i = 0; i < MAX_ORDER; i++)
		INIT_LIST_HEAD(&zone.area[i].head);
	max_pfn = memblock_end_of_ram() >> PAGE_SHIFT;
	mem_map = memblock_alloc(max_pfn * sizeof(struct page), 64);
	while (memblock_next_free(&cursor, &base, &end))
		free_page_range(base, end);

	zone.reserve = min(zone.total / 128, 256UL);
	/* All fronts together keep less than a thirty-second of memory. */
	front_high = (unsigned)min(max(zone.total / (32 * cpumask_weight(&cpu_possible_mask)), 4UL),
				   64UL);
	front_batch = front_high / 2;
	slab_init();
	mem_init_done = true;
	for (unsigned i = 0; memblock_region(i, &base, &end); i++)
		ram += end - base;
	pr_info("Memory: %luK/%luK available\n", nr_free_pages() * (PAGE_SIZE / 1024), ram / 1024);
}
