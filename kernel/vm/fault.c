/* Page faults of the current task at user addresses: finds the area, and checks its rights. */
#include "kernel/vm/internal.h"

#include "kernel/signal/siginfo.h"

/* Whether the area forbids an access. flags: FAULT_FLAG_*. */
static bool access_error(const struct vm_area_struct *vma, unsigned flags)
{
	/*
	 * LAB 11: The flags tell the access, the area what it allows.
	 * Starts as: (void)vma, (void)flags;
	 * return false;
	 */
	if (flags & FAULT_FLAG_WRITE)
		return !(vma->vm_flags & VM_WRITE);
	if (flags & FAULT_FLAG_INSTRUCTION)
		return !(vma->vm_flags & VM_EXEC);
	if (flags & FAULT_FLAG_PRESENT) /* the page is there, and it may not be read */
		return true;
	return !(vma->vm_flags & VM_ACCESS_FLAGS);
	/* END LAB 11 */
}

/* The area for an access at address; a stack grows to it. NULL: there is none. mmap_lock held. */
static struct vm_area_struct *find_or_expand(struct mm_struct *mm, unsigned long address)
{
	struct vm_area_struct *vma = find_vma(mm, address);

	/*
	 * LAB 11: The area that was found may begin above the address.
	 * Starts as: return vma && vma->vm_start <= address ? vma : NULL;
	 */
	if (!vma || likely(vma->vm_start <= address))
		return vma;
	if (!(vma->vm_flags & VM_GROWSDOWN) || expand_stack(vma, address))
		return NULL;
	return vma;
	/* END LAB 11 */
}

int do_user_addr_fault(unsigned long address, unsigned flags, int *si_code)
{
	struct task_struct *tsk = current;
	struct mm_struct *mm = tsk->mm;
	struct vm_area_struct *vma;
	unsigned fault;

	*si_code = SEGV_MAPERR;
	if (address >= TASK_SIZE_MAX)
		return SIGSEGV;
	mmap_read_lock(mm);
	vma = find_or_expand(mm, address);
	if (!vma)
		goto segv;
	if (access_error(vma, flags)) {
		*si_code = SEGV_ACCERR;
		goto segv;
	}
	fault = handle_mm_fault(vma, address, flags);
	mmap_read_unlock(mm);
	if (likely(!(fault & (VM_FAULT_ERROR | VM_FAULT_MAJOR)))) {
		tsk->min_flt++;
		return 0;
	}
	if (!(fault & VM_FAULT_ERROR)) {
		tsk->maj_flt++;
		return 0;
	}
	tsk->bad_flt++;
	if (fault & VM_FAULT_OOM) {
		out_of_memory();
		/*
		 * A program that must die does so on the way back to user mode. Inside a system
		 * call, the copy ends with -EFAULT, so that the call returns.
		 */
		return !(flags & FAULT_FLAG_USER) && fatal_signal_pending(tsk) ? SIGSEGV : 0;
	}
	if (fault & VM_FAULT_SIGBUS) {
		*si_code = BUS_ADRERR;
		return SIGBUS;
	}
	return SIGSEGV;
segv:
	mmap_read_unlock(mm);
	tsk->bad_flt++;
	return SIGSEGV;
}
