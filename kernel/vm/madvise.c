/* madvise(2), mincore(2), msync(2): advice and questions about ranges of areas. */
#include "kernel/task/cred.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/internal.h"
#include "kernel/vm/shared_anon.h"

enum {
	MADV_NORMAL = 0,
	MADV_RANDOM = 1,
	MADV_SEQUENTIAL = 2,
	MADV_WILLNEED = 3,
	MADV_DONTNEED = 4,
	MADV_FREE = 8,
	MADV_REMOVE = 9,
	MADV_DONTFORK = 10,
	MADV_DOFORK = 11,
	MADV_MERGEABLE = 12,
	MADV_UNMERGEABLE = 13,
	MADV_HUGEPAGE = 14,
	MADV_NOHUGEPAGE = 15,
	MADV_DONTDUMP = 16,
	MADV_DODUMP = 17,
	MADV_WIPEONFORK = 18,
	MADV_KEEPONFORK = 19,
	MADV_COLD = 20,
	MADV_PAGEOUT = 21,
	MADV_POPULATE_READ = 22,
	MADV_POPULATE_WRITE = 23,
	MADV_DONTNEED_LOCKED = 24,
};

#define MS_ASYNC      1
#define MS_INVALIDATE 2
#define MS_SYNC       4

static bool is_anonymous(const struct vm_area_struct *vma)
{
	return !vma->vm_ops;
}

/* The advice for one area, start and end within it. 0 or a negative errno. mmap_lock held. */
static int advise_area(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		       int behavior)
{
	switch (behavior) {
	case MADV_DONTNEED:
		if (vma->vm_flags & VM_LOCKED)
			return -EINVAL;
		fallthrough;
	case MADV_DONTNEED_LOCKED:
		zap_vma_range(vma, start, end, true);
		return 0;
	case MADV_FREE:
		/* The pages may be taken away when memory is short. nop5 never does. */
		return is_anonymous(vma) ? 0 : -EINVAL;
	case MADV_COLD:
	case MADV_PAGEOUT:
		return vma->vm_flags & VM_LOCKED ? -EINVAL : 0;
	}
	return 0; /* hints about the order of accesses, of which nop5 makes nothing */
}

/* The change of flags that an advice is. False: it is none. */
static bool advice_flags(int behavior, unsigned long *set, unsigned long *clear)
{
	*set = 0;
	*clear = 0;
	switch (behavior) {
	case MADV_DONTFORK:
		*set = VM_DONTCOPY;
		return true;
	case MADV_DOFORK:
		*clear = VM_DONTCOPY;
		return true;
	case MADV_DONTDUMP:
		*set = VM_DONTDUMP;
		return true;
	case MADV_DODUMP:
		*clear = VM_DONTDUMP;
		return true;
	case MADV_WIPEONFORK:
		*set = VM_WIPEONFORK;
		return true;
	case MADV_KEEPONFORK:
		*clear = VM_WIPEONFORK;
		return true;
	}
	return false;
}

/* Whether all areas of the range may get the flags: 0 or -EINVAL. */
static int check_advice(struct mm_struct *mm, unsigned long start, unsigned long end, int behavior)
{
	const struct vm_area_struct *vma = find_vma(mm, start);

	for (; vma && vma->vm_start < end; vma = vma->vm_next) {
		if (behavior == MADV_WIPEONFORK && !is_anonymous(vma))
			return -EINVAL;
		if (behavior == MADV_DOFORK && (vma->vm_flags & VM_IO))
			return -EINVAL;
	}
	return 0;
}

/* Faults a page in. 0; -EAGAIN: memory is short; another negative errno. mmap_lock held. */
static int populate_page(struct mm_struct *mm, unsigned long addr, bool write)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);
	unsigned fault;

	if (!vma)
		return -ENOMEM;
	if ((vma->vm_flags & VM_IO) || !(vma->vm_flags & (write ? VM_WRITE : VM_ACCESS_FLAGS)))
		return -EINVAL;
	fault = handle_mm_fault(vma, addr, write ? FAULT_FLAG_WRITE : 0);
	if (fault & VM_FAULT_OOM)
		return -EAGAIN;
	return fault & VM_FAULT_ERROR ? -EFAULT : 0;
}

/* Faults all pages of the range in. -EINTR: the task must die. */
static int madvise_populate(struct mm_struct *mm, unsigned long start, unsigned long end,
			    bool write)
{
	int error = 0;

	mmap_read_lock(mm);
	while (start < end && !error) {
		error = populate_page(mm, start, write);
		if (error == -EAGAIN) {
			mmap_read_unlock(mm);
			out_of_memory(); /* then this page again */
			mmap_read_lock(mm);
			error = 0;
		} else {
			start += PAGE_SIZE;
		}
		if (fatal_signal_pending(current))
			error = -EINTR;
		cond_resched();
	}
	mmap_read_unlock(mm);
	return error;
}

/*
 * MADV_REMOVE: frees the pages of a file that [start, end) shows, so that they read as zeros. The
 * file system may wait for its own locks, which come before mmap_lock: so this is released.
 */
static int remove_area(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	u64 offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (start - vma->vm_start);
	struct mm_struct *mm = vma->vm_mm;
	struct file *file = vma->vm_file;
	int error;

	if ((vma->vm_flags & VM_LOCKED) || !(file || is_shared_anon(vma)))
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || !(vma->vm_flags & VM_MAYWRITE))
		return -EACCES;
	if (is_shared_anon(vma)) {
		shared_anon_clear(vma, start, end);
		return 0;
	}
	vm_file_hooks->get_file(file);
	mmap_read_unlock(mm);
	error = (int)vm_file_hooks->punch_hole(file, offset, end - start);
	vm_file_hooks->fput(file);
	mmap_read_lock(mm);
	return error;
}

/* Gives the advice to all areas of the range. Holes are skipped, and reported: -ENOMEM. */
static int advise_range(struct mm_struct *mm, unsigned long start, unsigned long end, int behavior)
{
	int error = 0, hole = 0;

	mmap_read_lock(mm);
	while (start < end && !error) {
		struct vm_area_struct *vma = find_vma(mm, start);
		unsigned long stop;

		if (!vma || vma->vm_start > start)
			hole = -ENOMEM;
		if (!vma || vma->vm_start >= end)
			break;
		start = max(start, vma->vm_start);
		stop = min(end, vma->vm_end);
		error = behavior == MADV_REMOVE ? remove_area(vma, start, stop)
						: advise_area(vma, start, stop, behavior);
		start = stop;
	}
	mmap_read_unlock(mm);
	return error ? error : hole;
}

static bool is_advice(int behavior)
{
	return (behavior >= MADV_NORMAL && behavior <= MADV_DONTNEED) || behavior == MADV_FREE ||
	       behavior == MADV_REMOVE ||
	       (behavior >= MADV_DONTFORK && behavior <= MADV_DONTNEED_LOCKED);
}

/*
 * Restricted: MADV_FREE, MADV_COLD, MADV_PAGEOUT and hints about the order of accesses
 * have no effect.
 */
SYSCALL_DEFINE3(madvise, unsigned long, start, size_t, len_in, int, behavior)
{
	size_t len = page_align(len_in);
	struct mm_struct *mm = current->mm;
	unsigned long set, clear, end;
	int error;

	if (!is_advice(behavior) || (start & ~PAGE_MASK) || (len_in && !len))
		return -EINVAL;
	end = start + len;
	if (end < start)
		return -EINVAL;
	if (end == start)
		return 0;
	if (behavior == MADV_POPULATE_READ || behavior == MADV_POPULATE_WRITE)
		return madvise_populate(mm, start, end, behavior == MADV_POPULATE_WRITE);
	if (!advice_flags(behavior, &set, &clear))
		return advise_range(mm, start, end, behavior);
	mmap_write_lock(mm);
	error = check_advice(mm, start, end, behavior);
	if (!error)
		error = vma_change_flags(mm, start, end, set, clear);
	mmap_write_unlock(mm);
	return error;
}

/* Which of the pages from addr on are present, for up to n pages. -ENOMEM: there is no area. */
static int mincore_pages(struct mm_struct *mm, unsigned long addr, unsigned long n, u8 *present)
{
	for (unsigned long i = 0; i < n; i++, addr += PAGE_SIZE) {
		const u64 *pte;

		struct vm_area_struct *vma = vma_lookup(mm, addr);

		if (!vma)
			return -ENOMEM;
		pte = user_pte(mm, addr);
		present[i] = pte && READ_ONCE(*pte);
		if (!present[i] && vma->vm_ops && vma->vm_ops->cached)
			present[i] = vma->vm_ops->cached(
				vma, vma->vm_pgoff + ((addr - vma->vm_start) >> PAGE_SHIFT));
	}
	return 0;
}

SYSCALL_DEFINE3(mincore, unsigned long, start, size_t, len, unsigned char *, vec)
{
	struct mm_struct *mm = current->mm;
	unsigned long pages = page_align(len) >> PAGE_SHIFT;
	u8 present[64];

	if (start & ~PAGE_MASK)
		return -EINVAL;
	if (!access_ok((const void __user *)start, len))
		return -ENOMEM;
	while (pages) {
		unsigned long n = min(pages, sizeof(present));
		int error;

		mmap_read_lock(mm);
		error = mincore_pages(mm, start, n, present);
		mmap_read_unlock(mm);
		if (error)
			return error;
		if (copy_to_user((void __user *)vec, present, n))
			return -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		start += n * PAGE_SIZE;
		vec += n;
		pages -= n;
	}
	return 0;
}

/* Pages of files are the files' only copies, so there is nothing to write back. */
/* Restricted: nothing to write: all files are in memory. */
SYSCALL_DEFINE3(msync, unsigned long, start, size_t, len, int, flags)
{
	struct mm_struct *mm = current->mm;
	const struct vm_area_struct *vma;
	unsigned long end;
	int error = 0;

	if ((flags & ~(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) || (start & ~PAGE_MASK) ||
	    ((flags & MS_ASYNC) && (flags & MS_SYNC)))
		return -EINVAL;
	len = page_align(len);
	end = start + len;
	if (end < start)
		return -ENOMEM;
	mmap_read_lock(mm);
	for (vma = find_vma(mm, start); start < end; vma = vma->vm_next) {
		if (!vma || vma->vm_start > start)
			error = -ENOMEM;
		if (!vma || vma->vm_start >= end)
			break;
		if ((flags & MS_INVALIDATE) && (vma->vm_flags & VM_LOCKED)) {
			error = -EBUSY;
			break;
		}
		start = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return error;
}
