/*
 * Page faults in an area: demand zero, files, copy on write.
 *
 * A fault reads the entry of the page table, with mmap_lock held for reading, and decides what to
 * do. Another thread may fault on the same page at the same time. So each function takes
 * page_table_lock before it changes the entry. If the entry has changed since it was read, the
 * function does nothing. The program then executes its instruction again, which succeeds or faults
 * again.
 */
#include "kernel/vm/internal.h"

#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"

u8 zero_page[PAGE_SIZE] __aligned(4096);
struct vm_patch_ops vm_patch_ops __ro_after_init;

/* It has a reference that is never dropped: get_user_page() may return it. */
static int zero_page_init(void)
{
	atomic_set(&phys_to_page(__pa(zero_page))->refcount, 1);
	return 0;
}
core_initcall(zero_page_init);

static void copy_page(struct page *to, const struct page *from)
{
	memcpy(page_address(to), page_address(from), PAGE_SIZE);
}

/*
 * The entry for the first access to a page of a private area, or after a copy: writable if allowed.
 */
static u64 private_pte(const struct vm_area_struct *vma, const struct page *page)
{
	u64 entry = mk_pte(page, vma->vm_page_prot);

	return vma->vm_flags & VM_WRITE ? pte_mkwrite(entry) : entry;
}

/*
 * Anonymous memory that has not been accessed: a new page to write, the page of zeros to read. pte:
 * its entry, NULL if no table has it yet. Out of line, because this is where one sees which memory
 * a program touches: with a tracer, or `perf probe --add do_anonymous_page`.
 */
static noinline unsigned do_anonymous_page(struct vm_area_struct *vma, unsigned long address,
					   u64 *pte, bool write)
{
	struct mm_struct *mm = vma->vm_mm;
	struct page *page = NULL;
	unsigned ret = 0;

	/*
	 * LAB 11: Only a write needs a page of its own.
	 * Starts as: (void)write;
	 * page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_ANONPAGES);
	 * if (!page)
	 *	return VM_FAULT_OOM;
	 */
	if (write) {
		page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_ANONPAGES);
		if (!page)
			return VM_FAULT_OOM;
	}
	/* END LAB 11 */
	spin_lock(&mm->page_table_lock);
	if (unlikely(!pte))
		pte = user_pte_alloc(mm, address);
	if (unlikely(!pte)) {
		ret = VM_FAULT_OOM;
	} else if (likely(!*pte)) {
		if (page) {
			set_pte(pte, private_pte(vma, page));
			mm->rss[MM_ANONPAGES]++;
			page = NULL;
		} else {
			set_pte(pte, zero_pte(vma->vm_page_prot));
		}
	}
	spin_unlock(&mm->page_table_lock);
	if (unlikely(page))
		put_page(page);
	return ret;
}

/* Replaces the page of a file by an anonymous copy. Takes over the reference to the page. */
static struct page *make_private_copy(struct page *page)
{
	struct page *copy = alloc_user_page(GFP_KERNEL, MM_ANONPAGES);

	if (copy)
		copy_page(copy, page);
	put_page(page);
	return copy;
}

/*
 * A private area of a file with patches: no page comes in while they change. Returns whether the
 * lock of the mapping was taken.
 */
static bool lock_patches(const struct vm_area_struct *vma)
{
	struct vm_mapping *mapping = vma->vm_mapping;

	if (likely(!mapping || !READ_ONCE(mapping->nr_patches)) || (vma->vm_flags & VM_SHARED))
		return false;
	mutex_lock(&mapping->lock);
	return true;
}

/* A page that the area's owner provides: vm_ops->fault(). */
static unsigned do_fault(struct vm_area_struct *vma, unsigned long address, unsigned flags)
{
	bool write = flags & FAULT_FLAG_WRITE, shared = vma->vm_flags & VM_SHARED;
	struct vm_mapping *mapping = vma->vm_mapping;
	struct vm_fault vmf = {
		.vma = vma,
		.flags = flags,
		.address = address,
		.pgoff = vma->vm_pgoff + ((address - vma->vm_start) >> PAGE_SHIFT),
	};
	unsigned long seq = mapping ? smp_load_acquire(&mapping->unmap_seq) : 0;
	struct mm_struct *mm = vma->vm_mm;
	bool locked, patched;
	unsigned ret;
	u64 *pte, entry;

	ret = vma->vm_ops->fault ? vma->vm_ops->fault(&vmf) : VM_FAULT_SIGBUS;
	if (ret & VM_FAULT_ERROR)
		return ret;
	locked = lock_patches(vma);
	patched = locked && vm_patch_ops.page_is_patched(vma, vmf.pgoff);
	if ((write && !shared) || patched) {
		vmf.page = make_private_copy(vmf.page);
		if (!vmf.page) {
			ret = VM_FAULT_OOM;
			goto unlock;
		}
		if (patched)
			vm_patch_ops.patch_page(vma, vmf.pgoff, vmf.page);
		entry = private_pte(vma, vmf.page);
	} else {
		entry = mk_pte(vmf.page, vma->vm_page_prot);
		if (shared && vma->vm_ops->page_mkwrite) {
			entry = pte_wrprotect(entry);
			if (write) {
				ret |= vma->vm_ops->page_mkwrite(&vmf);
				entry = pte_mkwrite(entry);
			}
		}
	}
	if (ret & VM_FAULT_ERROR) {
		put_page(vmf.page);
		return ret; /* shared: nothing is locked */
	}
	spin_lock(&mm->page_table_lock);
	pte = user_pte_alloc(mm, address);
	if (unlikely(!pte)) {
		ret |= VM_FAULT_OOM;
	} else if (likely(!*pte && (!mapping || READ_ONCE(mapping->unmap_seq) == seq))) {
		set_pte(pte, entry);
		mm->rss[page_kind(vmf.page)]++;
		vmf.page = NULL;
	}
	spin_unlock(&mm->page_table_lock);
	if (unlikely(vmf.page))
		put_page(vmf.page);
unlock:
	if (unlikely(locked))
		mutex_unlock(&mapping->lock);
	return ret;
}

/* A write to a page of a shared area that only lacks the right to write. */
static unsigned wp_shared(struct vm_area_struct *vma, unsigned long address, unsigned flags,
			  u64 entry)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vm_fault vmf = {
		.vma = vma,
		.flags = flags,
		.address = address,
		.pgoff = vma->vm_pgoff + ((address - vma->vm_start) >> PAGE_SHIFT),
	};
	unsigned ret = 0;
	u64 *pte;

	spin_lock(&mm->page_table_lock);
	pte = user_pte(mm, address);
	/* The page may be back a moment later: page_mkwrite() must see it before it is writable. */
	if (*pte != entry)
		goto unlock;
	if (!(entry & _PAGE_SPECIAL)) {
		vmf.page = pte_page(entry);
		get_page(vmf.page); /* page_mkwrite() may sleep */
	}
	spin_unlock(&mm->page_table_lock);
	if (vmf.page && vma->vm_ops && vma->vm_ops->page_mkwrite)
		ret = vma->vm_ops->page_mkwrite(&vmf);
	spin_lock(&mm->page_table_lock);
	if (!(ret & VM_FAULT_ERROR) && *pte == entry)
		set_pte(pte, pte_mkwrite(entry));
unlock:
	spin_unlock(&mm->page_table_lock);
	if (vmf.page)
		put_page(vmf.page);
	return ret;
}

/*
 * A write to a page of a private area that may be shared with another address space, or with a
 * file. If it is not, this address space writes to it; else it gets a copy.
 */
static unsigned wp_private(struct vm_area_struct *vma, unsigned long address, u64 entry)
{
	struct mm_struct *mm = vma->vm_mm;
	struct page *old = entry & _PAGE_SPECIAL ? NULL : pte_page(entry), *copy;
	unsigned ret = 0;
	u64 *pte;

	spin_lock(&mm->page_table_lock);
	pte = user_pte(mm, address);
	if (unlikely(*pte != entry))
		goto unlock;
	/*
	 * LAB 11: One reference: this entry. No other can appear, because fork() needs mmap_lock.
	 * So no copy is needed.
	 */
	if (old && page_kind(old) == MM_ANONPAGES && page_count(old) == 1) {
		if (vma->vm_flags & VM_WRITE)
			set_pte(pte, pte_mkwrite(entry));
		goto unlock;
	}
	/* END LAB 11 */
	copy = alloc_user_page(old ? GFP_KERNEL : GFP_KERNEL | __GFP_ZERO, MM_ANONPAGES);
	if (unlikely(!copy)) {
		ret = VM_FAULT_OOM;
		goto unlock;
	}
	if (old) {
		copy_page(copy, old);
		if (page_kind(old) == MM_ANONPAGES)
			copy->index = old->index; /* patch.c */
		mm->rss[page_kind(old)]--;
	}
	mm->rss[MM_ANONPAGES]++;
	/*
	 * LAB 11: No thread may read the old page after another thread has written to the new one.
	 * So the entry stays empty until no TLB has the old page.
	 * Starts as: set_pte(pte, private_pte(vma, copy));
	 */
	set_pte(pte, 0);
	flush_tlb_mm_range(mm, address, address + PAGE_SIZE, false);
	set_pte(pte, private_pte(vma, copy));
	/* END LAB 11 */
	spin_unlock(&mm->page_table_lock);
	if (old)
		put_page(old);
	return 0;
unlock:
	spin_unlock(&mm->page_table_lock);
	return ret;
}

unsigned handle_mm_fault(struct vm_area_struct *vma, unsigned long address, unsigned flags)
{
	bool write = flags & FAULT_FLAG_WRITE;
	u64 *pte, entry;

	mmap_assert_locked(vma->vm_mm);
	address &= PAGE_MASK;
	pte = user_pte(vma->vm_mm, address);
	entry = pte ? READ_ONCE(*pte) : 0;
	if (!entry)
		return vma->vm_ops ? do_fault(vma, address, flags)
				   : do_anonymous_page(vma, address, pte, write);
	if (!write || (entry & _PAGE_RW))
		return 0; /* another thread was faster */
	return vma->vm_flags & VM_SHARED ? wp_shared(vma, address, flags, entry)
					 : wp_private(vma, address, entry);
}
EXPORT_SYMBOL_GPL(handle_mm_fault);
