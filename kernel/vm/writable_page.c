/* Pages that a program may write, for code of the kernel that writes a bit in them at any time. */
#include "kernel/vm/writable_page.h"

#include "kernel/vm/internal.h"

static struct vm_area_struct *writable_area(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	return vma && (vma->vm_flags & (VM_WRITE | VM_IO)) == VM_WRITE ? vma : NULL;
}

struct page *get_writable_page(struct mm_struct *mm, unsigned long addr)
{
	struct page *page = NULL;
	const u64 *pte;

	if (!writable_area(mm, addr))
		return NULL;
	spin_lock(&mm->page_table_lock);
	pte = user_pte(mm, addr);
	if (pte && pte_present(*pte) && (*pte & (_PAGE_RW | _PAGE_SPECIAL)) == _PAGE_RW) {
		page = pte_page(*pte);
		get_page(page);
	}
	spin_unlock(&mm->page_table_lock);
	return page;
}

void fault_in_writable_page(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = writable_area(mm, addr);

	if (vma)
		(void)handle_mm_fault(vma, addr & PAGE_MASK, FAULT_FLAG_REMOTE | FAULT_FLAG_WRITE);
}
