/*
 * Copies the page tables of an area for fork(2). Parent and child show the same pages afterwards.
 * In a private area the entries of both become read-only, and the first of the two that writes to a
 * page gets a copy: copy on write.
 */
#include "kernel/vm/internal.h"

/* Copies the entries of [addr, end), which are in one table. Both page_table_locks held. */
static void copy_table(struct vm_area_struct *dst, u64 *to, u64 *from, unsigned long addr,
		       unsigned long end)
{
	bool is_cow = !(dst->vm_flags & VM_SHARED);
	struct mm_struct *mm = dst->vm_mm;

	for (; addr < end; addr += PAGE_SIZE, to++, from++) {
		u64 entry = *from;

		if (!entry)
			continue;
		/*
		 * LAB 11: Parent and child share the page, and neither may write to it.
		 * Starts as: if (is_cow && (entry & _PAGE_RW)) {
		 *	struct page *copy = alloc_user_page(GFP_KERNEL, MM_ANONPAGES);
		 *
		 *	if (!copy)
		 *		continue;
		 *	__builtin_memcpy(page_address(copy), page_address(pte_page(entry)),
		 *			 PAGE_SIZE);
		 *	mm->rss[MM_ANONPAGES]++;
		 *	set_pte(to, mk_pte(copy, entry & ~PTE_PFN_MASK));
		 *	continue;
		 * }
		 */
		if (is_cow && (entry & _PAGE_RW)) {
			entry = pte_wrprotect(entry);
			set_pte(from, entry);
		}
		/* END LAB 11 */
		if (!(entry & _PAGE_SPECIAL)) {
			struct page *page = pte_page(entry);

			get_page(page);
			mm->rss[page_kind(page)]++;
		}
		set_pte(to, entry);
	}
}

/* Whether the child's faults can find all pages of the area again: then nothing is copied. */
static bool faults_will_find_pages(const struct vm_area_struct *vma)
{
	return (vma->vm_flags & VM_SHARED) && vma->vm_ops;
}

int copy_page_range(struct vm_area_struct *dst, struct vm_area_struct *src)
{
	unsigned long addr = src->vm_start;
	int error = 0;
	u64 *from;

	if (faults_will_find_pages(src))
		return 0;
	while ((from = user_pte_next(src->vm_mm, &addr, src->vm_end))) {
		unsigned long end = pte_table_end(addr, src->vm_end);
		u64 *to;

		/* Parent before child. Both are needed: unmap_mapping_range() knows both. */
		spin_lock(&src->vm_mm->page_table_lock);
		spin_lock(&dst->vm_mm->page_table_lock);
		to = user_pte_alloc(dst->vm_mm, addr);
		if (to)
			copy_table(dst, to, from, addr, end);
		else
			error = -ENOMEM;
		spin_unlock(&dst->vm_mm->page_table_lock);
		spin_unlock(&src->vm_mm->page_table_lock);
		if (error)
			break;
		addr = end;
		cond_resched();
	}
	return error;
}
