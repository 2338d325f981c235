/* Removes pages and page tables from address spaces, and frees them after the TLBs are flushed. */
#include "kernel/vm/internal.h"

#include "kernel/sched/sched.h"

#define GATHERED_TABLE 1UL /* bit 0 of an entry of mmu_gather.pages */

void tlb_gather(struct mmu_gather *tlb, struct mm_struct *mm)
{
	tlb->mm = mm;
	tlb->start = TASK_SIZE_MAX;
	tlb->end = 0;
	tlb->tables = false;
	tlb->no_flush = false;
	tlb->count = 0;
}

void tlb_finish(struct mmu_gather *tlb)
{
	if (tlb->start < tlb->end && !tlb->no_flush)
		flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end, tlb->tables);
	for (unsigned i = 0; i < tlb->count; i++) {
		struct page *page = (struct page *)(tlb->pages[i] & ~GATHERED_TABLE);

		if (tlb->pages[i] & GATHERED_TABLE)
			free_pages(page, 0);
		else
			put_page(page);
	}
	tlb->start = TASK_SIZE_MAX;
	tlb->end = 0;
	tlb->tables = false;
	tlb->count = 0;
}

static __always_inline void gather_range(struct mmu_gather *tlb, unsigned long start,
					 unsigned long end)
{
	tlb->start = min(tlb->start, start);
	tlb->end = max(tlb->end, end);
}

/*
 * Removes the entries of [addr, end), which are in one table, until the gather is full. Returns the
 * address at which to go on. page_table_lock held.
 */
static unsigned long zap_table(struct mmu_gather *tlb, u64 *pte, unsigned long addr,
			       unsigned long end, bool even_cows)
{
	struct mm_struct *mm = tlb->mm;

	for (; addr < end && tlb->count < GATHER_PAGES; addr += PAGE_SIZE, pte++) {
		u64 entry = *pte;
		struct page *page;

		if (!entry)
			continue;
		if (entry & _PAGE_SPECIAL) {
			if (!even_cows)
				continue; /* the page of zeros: not of the file */
		} else {
			page = pte_page(entry);
			if (!even_cows && page_kind(page) == MM_ANONPAGES)
				continue;
			mm->rss[page_kind(page)]--;
			tlb->pages[tlb->count++] = (unsigned long)page;
		}
		set_pte(pte, 0);
		gather_range(tlb, addr, addr + PAGE_SIZE);
	}
	return addr;
}

/* The sum of resident pages is about to shrink: keeps its maximum. page_table_lock held. */
static void update_hiwater_rss(struct mm_struct *mm)
{
	unsigned long rss = get_mm_rss(mm);

	if (mm->hiwater_rss < rss)
		mm->hiwater_rss = rss;
}

void zap_page_range(struct mmu_gather *tlb, unsigned long start, unsigned long end, bool even_cows)
{
	struct mm_struct *mm = tlb->mm;
	unsigned long addr = start;
	u64 *pte;

	spin_lock(&mm->page_table_lock);
	update_hiwater_rss(mm);
	while ((pte = user_pte_next(mm, &addr, end))) {
		addr = zap_table(tlb, pte, addr, pte_table_end(addr, end), even_cows);
		if (tlb->count < GATHER_PAGES && !IS_ALIGNED(addr, PTE_TABLE_SIZE))
			continue;
		/* A pause for the tasks that wait for the lock or for this CPU. */
		spin_unlock(&mm->page_table_lock);
		if (tlb->count == GATHER_PAGES)
			tlb_finish(tlb);
		cond_resched();
		spin_lock(&mm->page_table_lock);
	}
	spin_unlock(&mm->page_table_lock);
}

void zap_vma_range(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		   bool even_cows)
{
	struct mmu_gather tlb;

	tlb_gather(&tlb, vma->vm_mm);
	zap_page_range(&tlb, start, end, even_cows);
	gather_range(&tlb, start, end);
	tlb_finish(&tlb);
}

static void gather_table(struct page *table, void *arg)
{
	struct mmu_gather *tlb = arg;

	if (tlb->count == GATHER_PAGES)
		tlb_finish(tlb);
	/* The CPUs' caches of tables know no addresses: any range discards all of them. */
	if (tlb->start >= tlb->end)
		gather_range(tlb, 0, PAGE_SIZE);
	tlb->tables = true;
	tlb->pages[tlb->count++] = (unsigned long)table | GATHERED_TABLE;
}

/* As many tables of the lowest level are freed before a pause. */
#define TABLES_AT_ONCE 16

/* The end of the part of [addr, end) that has TABLES_AT_ONCE of them. page_table_lock held. */
static unsigned long end_of_tables(const struct mm_struct *mm, unsigned long addr,
				   unsigned long end)
{
	if (end - addr <= TABLES_AT_ONCE * PTE_TABLE_SIZE)
		return end;
	for (unsigned i = 0; i < TABLES_AT_ONCE; i++) {
		if (!user_pte_next(mm, &addr, end))
			return end;
		addr = pte_table_end(addr, end);
	}
	return addr;
}

/* In parts, because a program may have as many tables as it likes, and each costs 2 us. */
void free_pgtables(struct mmu_gather *tlb, unsigned long start, unsigned long end,
		   unsigned long floor, unsigned long ceiling)
{
	struct mm_struct *mm = tlb->mm;

	for (unsigned long next; start < end; start = next) {
		spin_lock(&mm->page_table_lock);
		next = end_of_tables(mm, start, end);
		/* A higher table goes with the last part that it serves. */
		free_user_tables(mm, start, next, floor, next < end ? next : ceiling, gather_table,
				 tlb);
		spin_unlock(&mm->page_table_lock);
		if (next < end)
			cond_resched();
	}
}

void exit_mmap(struct mm_struct *mm)
{
	struct vm_area_struct *vma, *next;
	struct mmu_gather tlb;

	leave_mm_all_cpus(mm);
	tlb_gather(&tlb, mm);
	tlb.no_flush = true;
	mmap_write_lock(mm);
	for (vma = mm->mmap; vma; vma = vma->vm_next) {
		if (vma->vm_flags & VM_ACCOUNT)
			vm_unacct_memory(vma_pages(vma));
		vma_unlink_mapping(vma);
		zap_page_range(&tlb, vma->vm_start, vma->vm_end, true);
		/* The areas below have gone already, and so a table goes with its last area. */
		free_pgtables(&tlb, vma->vm_start, vma->vm_end, 0,
			      vma->vm_next ? vma->vm_next->vm_start : 0);
	}
	tlb_finish(&tlb);
	for (vma = mm->mmap; vma; vma = next) {
		next = vma->vm_next;
		remove_vma(vma);
	}
	mm->mmap = NULL;
	mm->mm_rb = RB_ROOT;
	mm->vma_cache = NULL;
	mm->map_count = 0;
	mmap_write_unlock(mm);
	WARN_ON(get_mm_rss(mm) || mm->pgtables);
}

void unmap_mapping_range(struct vm_mapping *mapping, unsigned long first, unsigned long last,
			 bool even_cows)
{
	struct vm_area_struct *vma;

	mutex_lock(&mapping->lock);
	/*
	 * A fault that has found its page already takes page_table_lock, and then compares this
	 * number. Either it sees the new one, or the entry is installed before this function gets
	 * page_table_lock, and so is removed.
	 */
	__atomic_fetch_add(&mapping->unmap_seq, 1, __ATOMIC_SEQ_CST);
	list_for_each_entry (vma, &mapping->areas, shared) {
		unsigned long begin = max(first, vma->vm_pgoff);
		unsigned long end = min(last, vma->vm_pgoff + vma_pages(vma) - 1);

		if (begin <= end)
			zap_vma_range(vma, vma->vm_start + ((begin - vma->vm_pgoff) << PAGE_SHIFT),
				      vma->vm_start + ((end - vma->vm_pgoff + 1) << PAGE_SHIFT),
				      even_cows);
	}
	mutex_unlock(&mapping->lock);
}
