/* mprotect(2): changes the rights of areas, and of the pages that they show. */
#include "kernel/sched/sched.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/internal.h"
#include "kernel/vm/vma_events.h"

/*
 * An entry never becomes writable here (except in shared memory that needs no page_mkwrite): a
 * fault decides whether the page must be copied first.
 */
void change_protection(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	bool is_private = !(vma->vm_flags & VM_SHARED);
	struct mm_struct *mm = vma->vm_mm;
	u64 prot = vma->vm_page_prot;
	unsigned long addr = start;
	u64 *pte;

	if (is_private || (vma->vm_ops && vma->vm_ops->page_mkwrite))
		prot = pte_wrprotect(prot);
	while ((pte = user_pte_next(mm, &addr, end))) {
		unsigned long stop = pte_table_end(addr, end);

		spin_lock(&mm->page_table_lock);
		for (; addr < stop; addr += PAGE_SIZE, pte++)
			if (*pte)
				set_pte(pte, pte_modify(*pte, prot));
		spin_unlock(&mm->page_table_lock);
		cond_resched();
	}
	flush_tlb_mm_range(mm, start, end, false);
}

/*
 * vma, whose file may have patches, is no longer writable. The change of vm_flags comes before:
 * either this sees the patch, or its walk the flags.
 */
static void patch_area(struct vm_area_struct *vma)
{
	smp_mb();
	if (unlikely(vma->vm_mapping && READ_ONCE(vma->vm_mapping->nr_patches)))
		vm_patch_ops.patch_area(vma);
}

/* Changes the rights of [start, end), a part of *vmap. *vmap becomes the area of the range. */
static int mprotect_fixup(struct vm_area_struct **vmap, unsigned long start, unsigned long end,
			  unsigned long flags)
{
	struct vm_area_struct *vma = *vmap;
	unsigned long pages = (end - start) >> PAGE_SHIFT;
	bool charge, was_writable = vma->vm_flags & VM_WRITE;
	int error;

	if (flags == vma->vm_flags)
		return 0;
	charge = !(vma->vm_flags & VM_ACCOUNT) && vma_is_accountable(flags);
	if (vma_is_accountable(flags) && !vma_is_accountable(vma->vm_flags) &&
	    !may_expand_vm(vma->vm_mm, flags, pages) &&
	    may_expand_vm(vma->vm_mm, vma->vm_flags, pages))
		return -ENOMEM;
	if (charge) {
		if (vm_enough_memory(pages))
			return -ENOMEM;
		flags |= VM_ACCOUNT;
	}
	error = vma_set_flags(&vma, start, end, flags);
	if (error) {
		if (charge)
			vm_unacct_memory(pages);
		return error;
	}
	change_protection(vma, start, end);
	if (was_writable && !(flags & VM_WRITE))
		patch_area(vma);
	*vmap = vma_merge(vma);
	trace_vma_map(*vmap);
	return 0;
}

static int do_mprotect(struct mm_struct *mm, unsigned long start, unsigned long end,
		       unsigned long prot)
{
	struct vm_area_struct *vma = find_vma(mm, start);
	unsigned long wanted = prot & (PROT_READ | PROT_WRITE | PROT_EXEC);

	if (!vma)
		return -ENOMEM;
	if (prot & PROT_GROWSDOWN) {
		if (vma->vm_start >= end)
			return -ENOMEM;
		if (!(vma->vm_flags & VM_GROWSDOWN))
			return -EINVAL;
		start = vma->vm_start;
	}
	while (start < end) {
		unsigned long flags, stop;
		int error;

		if (!vma || vma->vm_start > start)
			return -ENOMEM;
		flags = (vma->vm_flags & ~VM_ACCESS_FLAGS) | wanted;
		/* VM_MAYREAD and the others are VM_READ and the others, shifted by 4. */
		if ((flags & VM_ACCESS_FLAGS) & ~(vma->vm_flags >> 4))
			return -EACCES;
		stop = min(end, vma->vm_end);
		error = mprotect_fixup(&vma, start, stop, flags);
		if (error)
			return error;
		start = stop;
		if (vma->vm_end <= start)
			vma = vma->vm_next;
	}
	return 0;
}

SYSCALL_DEFINE3(mprotect, unsigned long, start, size_t, len, unsigned long, prot)
{
	struct mm_struct *mm = current->mm;
	unsigned long end;
	int error;

	if (prot & ~(unsigned long)(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM | PROT_GROWSDOWN))
		return -EINVAL;
	if (start & ~PAGE_MASK)
		return -EINVAL;
	if (!len)
		return 0;
	len = page_align(len);
	end = start + len;
	if (end <= start)
		return -ENOMEM;
	mmap_write_lock(mm);
	error = do_mprotect(mm, start, end, prot);
	mmap_write_unlock(mm);
	return error;
}
