/* Access to user memory without a fault of the CPU: of other processes, and ahead of time. */
#include "kernel/vm/internal.h"

#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

/* Whether the area may be accessed. force: a debugger may write to read-only text. */
static bool may_access(const struct vm_area_struct *vma, bool write, bool force)
{
	if (!force && !(vma->vm_flags & (write ? VM_WRITE : VM_READ)))
		return false;
	if (vma->vm_flags & VM_IO)
		return false;
	if (!write)
		return vma->vm_flags & VM_MAYREAD;
	/* Only where the write makes a private copy, or where the program itself may write. */
	return (vma->vm_flags & VM_WRITE) ||
	       (!(vma->vm_flags & VM_SHARED) && (vma->vm_flags & VM_MAYWRITE));
}

/* The page that an entry of vma shows, if the entry allows the access. With a reference. */
static struct page *present_page(const struct vm_area_struct *vma, unsigned long addr, bool write)
{
	struct mm_struct *mm = vma->vm_mm;
	struct page *page = NULL;
	u64 *pte;

	spin_lock(&mm->page_table_lock);
	pte = user_pte(mm, addr);
	if (pte && pte_present(*pte)) {
		u64 entry = *pte;

		if ((entry & PTE_PFN_MASK) == __pa(zero_page)) {
			if (!write) {
				page = pte_page(entry);
				get_page(page);
			}
		} else if (!(entry & _PAGE_SPECIAL)) {
			page = pte_page(entry);
			/*
			 * A page that only this address space has may be written, whatever the
			 * rights of the area are: so may a private copy. But where the program may
			 * write, too, the entry must say so. Else the program's own write would
			 * find two references during this access, and make a copy without these
			 * bytes.
			 */
			if (write && !(entry & _PAGE_RW) &&
			    ((vma->vm_flags & VM_WRITE) || page_kind(page) != MM_ANONPAGES ||
			     page_count(page) != 1))
				page = NULL;
			else
				get_page(page);
		}
	}
	spin_unlock(&mm->page_table_lock);
	return page;
}

static struct page *get_page_of(struct mm_struct *mm, unsigned long addr, bool write, bool force)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	addr &= PAGE_MASK;
	if (vma && vma->vm_start > addr && (vma->vm_flags & VM_GROWSDOWN))
		(void)expand_stack(vma, addr);
	if (!vma || vma->vm_start > addr || !may_access(vma, write, force))
		return ERR_PTR(-EFAULT);
	for (;;) {
		struct page *page = present_page(vma, addr, write);
		unsigned fault;

		if (page)
			return page;
		fault = handle_mm_fault(vma, addr,
					FAULT_FLAG_REMOTE | (write ? FAULT_FLAG_WRITE : 0));
		if (fault & VM_FAULT_OOM)
			return ERR_PTR(-ENOMEM);
		if (fault & VM_FAULT_ERROR)
			return ERR_PTR(-EFAULT);
	}
}

struct page *get_user_page(struct mm_struct *mm, unsigned long addr, bool write)
{
	return get_page_of(mm, addr, write, true);
}

static size_t access_vm(struct mm_struct *mm, unsigned long addr, void *buf, size_t len, bool write,
			bool force)
{
	size_t done = 0;

	mmap_read_lock(mm);
	while (done < len && addr < TASK_SIZE_MAX) {
		unsigned long offset = addr & ~PAGE_MASK;
		size_t n = min(len - done, PAGE_SIZE - offset);
		struct page *page = get_page_of(mm, addr, write, force);
		u8 *at;

		if (IS_ERR(page))
			break;
		at = (u8 *)page_address(page) + offset;
		if (write)
			memcpy(at, (u8 *)buf + done, n);
		else
			memcpy((u8 *)buf + done, at, n);
		put_page(page);
		done += n;
		addr += n;
	}
	mmap_read_unlock(mm);
	return done;
}

size_t access_remote_vm(struct mm_struct *mm, unsigned long addr, void *buf, size_t len, bool write)
{
	return access_vm(mm, addr, buf, len, write, true);
}

size_t access_process_vm(struct mm_struct *mm, unsigned long addr, void *buf, size_t len,
			 bool write)
{
	return access_vm(mm, addr, buf, len, write, false);
}

/* Faults in the part of an area. 0, or the VM_FAULT_ERROR that ended it. mmap_lock held. */
static unsigned populate_area(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	bool write = (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;
	unsigned error = 0;

	if (vma->vm_flags & (VM_IO | VM_LOCKONFAULT))
		return 0;
	if (!(vma->vm_flags & VM_ACCESS_FLAGS))
		return VM_FAULT_SIGSEGV;
	for (unsigned long addr = start; addr < end && !error; addr += PAGE_SIZE) {
		error = handle_mm_fault(vma, addr, write ? FAULT_FLAG_WRITE : 0) & VM_FAULT_ERROR;
		cond_resched();
	}
	return error;
}

int mm_populate(struct mm_struct *mm, unsigned long addr, unsigned long len)
{
	unsigned long end = addr + len;
	int ret = 0;

	while (addr < end) {
		struct vm_area_struct *vma;
		unsigned long stop;
		unsigned error;

		/* Others get mmap_lock between the parts. */
		mmap_read_lock(mm);
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start >= end) {
			mmap_read_unlock(mm);
			break;
		}
		addr = max(addr, vma->vm_start);
		stop = min(min(end, vma->vm_end), pte_table_end(addr, end));
		error = populate_area(vma, addr, stop);
		if (error & ~VM_FAULT_OOM) {
			ret = -EFAULT;
			stop = vma->vm_end;
		}
		mmap_read_unlock(mm);
		if (error & VM_FAULT_OOM)
			out_of_memory(); /* then this part again */
		else
			addr = stop;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return ret;
}

void describe_vma(char *buf, size_t size, unsigned long ip)
{
	struct mm_struct *mm = current->mm;
	const struct vm_area_struct *vma;
	char name[256];

	*buf = '\0';
	if (!down_read_trylock(&mm->mmap_lock))
		return;
	vma = vma_lookup(mm, ip);
	if (vma && vma->vm_file)
		snprintf(buf, size, " in %s[%lx+%lx]",
			 vm_file_hooks->name(vma->vm_file, name, sizeof(name)), vma->vm_start,
			 vma->vm_end - vma->vm_start);
	mmap_read_unlock(mm);
}
