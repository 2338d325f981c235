/*
 * The page allocator: a buddy allocator, and a per-CPU cache of single pages.
 *
 * Free memory is kept in blocks of 1 << order pages, each aligned to its size. A block of the next
 * order splits into two buddies. Their frame numbers differ in one bit. When both buddies are free,
 * they become one block again.
 *
 * Most requests want a single page. Such a page comes from a list of this CPU, and is freed to it.
 * Only this CPU uses the list, with interrupts off, so it needs no lock. Pages move between the
 * list and the buddy allocator in batches.
 */
#include "kernel/mm/internal.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/percpu.h"
#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/kmem_events.h"
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
	unsigned long total;              /* [lock] pages that the allocator manages, free or not */
	unsigned long reserve;            /* constant: pages that only GFP_ATOMIC may take */
	unsigned long admin_reserve;      /* constant: besides, pages for the kernel and root */
} zone;

/*
 * The free single pages of one CPU, linked through private. Only this CPU uses it, interrupts off.
 */
struct pcp_pages {
	struct page *head;
	unsigned count;
};

static DEFINE_PER_CPU(struct pcp_pages, pcp_pages);
static unsigned pcp_high;  /* with more pages, a per-CPU cache gives a batch back */
static unsigned pcp_batch; /* half of pcp_high */

struct page *mem_map;
extern struct page *vmemmap_base __alias("mem_map");
unsigned long max_pfn;
bool mem_init_done;
bool (*alloc_is_user_hook)(void);

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

/* Puts a free block into the list of its order. Zone lock held. */
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

/*
 * The pages that a request leaves. A user who takes all that a user can get must not stop root, who
 * ends the user's processes. So the last pages are for kernel tasks, and for tasks with
 * CAP_SYS_ADMIN.
 */
static unsigned long pages_to_leave(gfp_t gfp)
{
	if (gfp & __GFP_HIGH)
		return 0;
	if (!alloc_is_user_hook || !alloc_is_user_hook())
		return zone.reserve;
	return zone.reserve + zone.admin_reserve;
}

/*
 * Takes a block out of the free lists, and leaves some pages. refill: for the per-CPU cache. NULL:
 * none, or only those. Zone lock held.
 */
static struct page *take_block(unsigned long leave, unsigned order, bool refill __unused)
{
	unsigned long orders = zone.orders & ~(BIT(order) - 1);
	struct page *page;
	unsigned from;

	lockdep_assert_held(&zone.lock);
	if (!orders)
		return NULL;
	if (zone.free < leave + BIT(order))
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
	trace_mm_page_alloc_zone_locked(page_to_pfn(page), order, MIGRATE_UNMOVABLE, refill);
	return page;
}

/* Frees a block, and joins it with its free buddies. Zone lock held. */
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

/* Moves a batch from the buddy allocator to the per-CPU cache. Interrupts off. */
static void refill_pcp(struct pcp_pages *pcp, gfp_t gfp)
{
	unsigned long leave = pages_to_leave(gfp);

	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&zone.lock);
	for (unsigned i = 0; i < pcp_batch; i++) {
		struct page *page = take_block(leave, 0, true);

		if (!page)
			break;
		page->flags |= PG_PCP;
		page->private = (unsigned long)pcp->head;
		pcp->head = page;
		pcp->count++;
	}
	spin_unlock(&zone.lock);
}

/* Moves count pages from the per-CPU cache to the buddy allocator. Interrupts off. */
static void drain_pcp(struct pcp_pages *pcp, unsigned count)
{
	DEBUG_BUG_ON(!irqs_disabled());
	spin_lock(&zone.lock);
	while (count-- && pcp->head) {
		struct page *page = pcp->head;

		pcp->head = (struct page *)page->private;
		pcp->count--;
		page->flags &= (u8)~PG_PCP;
		trace_mm_page_pcpu_drain(page_to_pfn(page), 0, MIGRATE_UNMOVABLE);
		give_block(page, 0);
	}
	spin_unlock(&zone.lock);
}

static struct page *alloc_one(gfp_t gfp)
{
	struct pcp_pages *pcp;
	struct page *page;
	unsigned long flags;

	local_irq_save(flags);
	pcp = this_cpu_ptr(&pcp_pages);
	if (unlikely(!pcp->head))
		refill_pcp(pcp, gfp);
	page = pcp->head;
	if (likely(page)) {
		pcp->head = (struct page *)page->private;
		pcp->count--;
		page->flags &= (u8)~PG_PCP;
	}
	local_irq_restore(flags);
	return page;
}

static void free_one(struct page *page)
{
	struct pcp_pages *pcp;
	unsigned long flags;

	local_irq_save(flags);
	pcp = this_cpu_ptr(&pcp_pages);
	page->flags |= PG_PCP;
	page->private = (unsigned long)pcp->head;
	pcp->head = page;
	if (unlikely(++pcp->count > pcp_high))
		drain_pcp(pcp, pcp_batch);
	local_irq_restore(flags);
}

static __always_inline struct page *__alloc_pages(gfp_t gfp, unsigned order)
{
	struct page *page = NULL;
	unsigned long flags;

	if (likely(order == 0)) {
		page = alloc_one(gfp);
	} else if (order < MAX_ORDER) {
		spin_lock_irqsave(&zone.lock, flags);
		page = take_block(pages_to_leave(gfp), order, false);
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

/* alloc_pages() while mm_page_alloc is on. A function of its own keeps the other case short. */
static noinline struct page *alloc_pages_traced(gfp_t gfp, unsigned order)
{
	struct page *page = __alloc_pages(gfp, order);

	trace_mm_page_alloc(page ? page_to_pfn(page) : EVENT_NO_PFN, order, gfp, MIGRATE_UNMOVABLE);
	return page;
}

struct page *alloc_pages(gfp_t gfp, unsigned order)
{
	return trace_mm_page_alloc_enabled() ? alloc_pages_traced(gfp, order)
					     : __alloc_pages(gfp, order);
}
EXPORT_SYMBOL(alloc_pages);

void free_pages(struct page *page, unsigned order)
{
	unsigned long flags;

	if (WARN_ON(page < mem_map || page >= mem_map + max_pfn || page->slab || page->flags ||
		    page->order != order))
		return; /* freed twice, or with a wrong order: losing the page is safer than two
			   owners */
	trace_mm_page_free(page_to_pfn(page), order);
	poison_pages(page, order);
	if (likely(order == 0)) {
		free_one(page);
	} else {
		spin_lock_irqsave(&zone.lock, flags);
		give_block(page, order);
		spin_unlock_irqrestore(&zone.lock, flags);
	}
}
EXPORT_SYMBOL(free_pages);

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
		free += READ_ONCE(per_cpu(pcp_pages, cpu).count);
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
	zone.admin_reserve = min(zone.total / 32, 2048UL);
	/* All per-CPU caches together keep less than 1/32 of the memory. */
	pcp_high = (unsigned)min(max(zone.total / (32 * cpumask_weight(&cpu_possible_mask)), 4UL),
				 64UL);
	pcp_batch = pcp_high / 2;
	slab_init();
	mem_init_done = true;
	for (unsigned i = 0; memblock_region(i, &base, &end); i++)
		ram += end - base;
	pr_info("Memory: %luK/%luK available\n", nr_free_pages() * (PAGE_SIZE / 1024), ram / 1024);
}
