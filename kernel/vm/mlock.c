/*
 * mlock(2) and its kin. nop5 never takes a page away to use it for something else. So to lock means
 * to fault the pages in, and to count them against RLIMIT_MEMLOCK.
 */
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/internal.h"

#define MLOCK_ONFAULT  1
#define MCL_CURRENT    1
#define MCL_FUTURE     2
#define MCL_ONFAULT    4
#define VM_LOCKED_MASK (VM_LOCKED | VM_LOCKONFAULT)

int vma_change_flags(struct mm_struct *mm, unsigned long start, unsigned long end,
		     unsigned long set, unsigned long clear)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	while (start < end) {
		unsigned long stop;
		int error;

		if (!vma || vma->vm_start > start)
			return -ENOMEM;
		stop = min(end, vma->vm_end);
		error = vma_set_flags(&vma, start, stop, (vma->vm_flags & ~clear) | set);
		if (error)
			return error;
		vma = vma_merge(vma);
		start = stop;
		if (vma->vm_end <= start)
			vma = vma->vm_next;
	}
	return 0;
}

static bool can_do_mlock(void)
{
	return capable(CAP_IPC_LOCK) || rlimit(RLIMIT_MEMLOCK);
}

/* Pages of [start, end) that are locked already. mmap_lock held. */
static unsigned long count_locked(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	const struct vm_area_struct *vma = find_vma(mm, start);
	unsigned long bytes = 0;

	for (; vma && vma->vm_start < end; vma = vma->vm_next)
		if (vma->vm_flags & VM_LOCKED)
			bytes += min(end, vma->vm_end) - max(start, vma->vm_start);
	return bytes >> PAGE_SHIFT;
}

/* Rounds the range to pages. False: it wraps around. */
static bool page_range(unsigned long *start, size_t *len)
{
	*len = page_align(*len + (*start & ~PAGE_MASK));
	*start &= PAGE_MASK;
	return *start + *len >= *start;
}

static int do_mlock(unsigned long start, size_t len, unsigned long flags)
{
	struct mm_struct *mm = current->mm;
	int error;

	if (!can_do_mlock())
		return -EPERM;
	if (!page_range(&start, &len))
		return -EINVAL;
	mmap_write_lock(mm);
	error = -ENOMEM;
	if (!check_mlock_limit(mm, (len >> PAGE_SHIFT) - count_locked(mm, start, start + len)))
		error = vma_change_flags(mm, start, start + len, flags, VM_LOCKED_MASK);
	mmap_write_unlock(mm);
	if (!error && !(flags & VM_LOCKONFAULT))
		error = mm_populate(mm, start, len) ? -ENOMEM : 0;
	return error;
}

SYSCALL_DEFINE2(mlock, unsigned long, start, size_t, len)
{
	return do_mlock(start, len, VM_LOCKED);
}

SYSCALL_DEFINE3(mlock2, unsigned long, start, size_t, len, int, flags)
{
	if (flags & ~MLOCK_ONFAULT)
		return -EINVAL;
	return do_mlock(start, len, flags & MLOCK_ONFAULT ? VM_LOCKED_MASK : VM_LOCKED);
}

SYSCALL_DEFINE2(munlock, unsigned long, start, size_t, len)
{
	struct mm_struct *mm = current->mm;
	int error;

	if (!page_range(&start, &len))
		return -EINVAL;
	mmap_write_lock(mm);
	error = vma_change_flags(mm, start, start + len, 0, VM_LOCKED_MASK);
	mmap_write_unlock(mm);
	return error;
}

/* Gives all areas the same locking. mmap_lock held for writing. */
static void set_all(struct mm_struct *mm, unsigned long flags)
{
	for (struct vm_area_struct *vma = mm->mmap; vma; vma = vma->vm_next) {
		if (vma->vm_flags & VM_IO)
			continue;
		/* The whole area: it is not split, so there is no error. */
		(void)vma_set_flags(&vma, vma->vm_start, vma->vm_end,
				    (vma->vm_flags & ~VM_LOCKED_MASK) | flags);
		vma = vma_merge(vma);
	}
}

SYSCALL_DEFINE1(mlockall, int, flags)
{
	unsigned long vm_flags = flags & MCL_ONFAULT ? VM_LOCKED_MASK : VM_LOCKED;
	struct mm_struct *mm = current->mm;

	if (!flags || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) || flags == MCL_ONFAULT)
		return -EINVAL;
	if (!can_do_mlock())
		return -EPERM;
	mmap_write_lock(mm);
	if ((flags & MCL_CURRENT) && !capable(CAP_IPC_LOCK) &&
	    mm->total_vm > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) {
		mmap_write_unlock(mm);
		return -ENOMEM;
	}
	mm->def_flags = flags & MCL_FUTURE ? vm_flags : 0;
	if (flags & MCL_CURRENT)
		set_all(mm, vm_flags);
	mmap_write_unlock(mm);
	if ((flags & (MCL_CURRENT | MCL_ONFAULT)) == MCL_CURRENT)
		(void)mm_populate(mm, 0, TASK_SIZE_MAX);
	return 0;
}

SYSCALL_DEFINE0(munlockall)
{
	struct mm_struct *mm = current->mm;

	mmap_write_lock(mm);
	mm->def_flags = 0;
	set_all(mm, 0);
	mmap_write_unlock(mm);
	return 0;
}
