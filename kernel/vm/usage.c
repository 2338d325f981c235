/* What areas use: the sums of /proc/PID/smaps, and the entries of /proc/PID/pagemap. */
#include "kernel/vm/usage.h"

#include "arch/user/user_pgtable.h"
#include "kernel/vm/internal.h"

/*
 * How many entries of page tables show a page. A page of a file has a reference of its cache, too.
 */
static unsigned page_mappers(const struct page *page)
{
	int users = page_count(page) - (page_kind(page) != MM_ANONPAGES);

	return users > 1 ? (unsigned)users : 1;
}

static void add_page(struct vm_usage *sum, const struct page *page)
{
	unsigned mappers = page_mappers(page), kind = page_kind(page);

	sum->rss += PAGE_SIZE;
	sum->pss[kind] += (PAGE_SIZE << PSS_SHIFT) / mappers;
	if (mappers > 1)
		sum->shared += PAGE_SIZE;
	else
		sum->private += PAGE_SIZE;
	if (kind == MM_ANONPAGES)
		sum->anonymous += PAGE_SIZE;
}

void vma_usage(const struct vm_area_struct *vma, struct vm_usage *sum)
{
	struct mm_struct *mm = vma->vm_mm;
	unsigned long addr = vma->vm_start, pss = 0, end;
	struct vm_usage area = {};
	const u64 *pte;

	mmap_assert_locked(mm);
	while ((pte = user_pte_next(mm, &addr, vma->vm_end))) {
		end = pte_table_end(addr, vma->vm_end);
		spin_lock(&mm->page_table_lock);
		for (; addr < end; addr += PAGE_SIZE, pte++)
			if (pte_present(*pte) && !(*pte & _PAGE_SPECIAL))
				add_page(&area, pte_page(*pte));
		spin_unlock(&mm->page_table_lock);
	}
	sum->rss += area.rss;
	sum->shared += area.shared;
	sum->private += area.private;
	sum->anonymous += area.anonymous;
	for (unsigned kind = 0; kind < NR_MM_COUNTERS; kind++) {
		sum->pss[kind] += area.pss[kind];
		pss += area.pss[kind];
	}
	if (vma->vm_flags & VM_LOCKED)
		sum->locked += pss;
}

u64 pagemap_entry(struct mm_struct *mm, unsigned long addr, bool show_frame)
{
	const struct page *page;
	const u64 *pte;
	u64 entry = 0;

	spin_lock(&mm->page_table_lock);
	pte = user_pte(mm, addr);
	if (pte && pte_present(*pte)) {
		entry = PM_PRESENT;
		if (show_frame)
			entry |= (*pte & PTE_PFN_MASK) >> PAGE_SHIFT;
		if (!(*pte & _PAGE_SPECIAL)) {
			page = pte_page(*pte);
			if (page_kind(page) != MM_ANONPAGES)
				entry |= PM_FILE;
			if (page_mappers(page) == 1)
				entry |= PM_MMAP_EXCLUSIVE;
		}
	}
	spin_unlock(&mm->page_table_lock);
	return entry;
}

unsigned long vm_next_present(const struct mm_struct *mm, unsigned long addr, unsigned long end)
{
	const u64 *pte;

	mmap_assert_locked(mm);
	while (addr < end && (pte = user_pte_next(mm, &addr, end)))
		for (unsigned long stop = pte_table_end(addr, end); addr < stop;
		     addr += PAGE_SIZE, pte++)
			if (pte_present(READ_ONCE(*pte)))
				return addr;
	return end;
}
