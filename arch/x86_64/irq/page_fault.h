/*
 * Who is told of page faults: the probes of page_fault_user and page_fault_kernel, and a hook that
 * counts faults. One static key is on while one of them is in use, so all of them cost a fault one
 * nop.
 */
#pragma once

#include "kernel/jump_label.h"

struct pt_regs;

DECLARE_STATIC_KEY_FALSE(page_fault_key);

struct page_fault_hook {
	/*
	 * A fault at an address of the current program has been handled. regs: those of the
	 * program, or of the kernel, which has accessed the program's memory. minor, major: the
	 * page is there now. Neither: the fault has failed, or is to be tried again. Task context,
	 * preemption off, no lock held.
	 */
	void (*fn)(const struct pt_regs *regs, unsigned long address, bool minor, bool major);
};
/*
 * Has hook->fn called at each fault; NULL: no longer. There is one hook. On return no CPU is inside
 * the old one. 0; or -EINVAL: a site could not be patched (kernel/jump_label.h), and misses faults.
 * Task context, one caller at a time.
 */
int page_fault_hook_set(struct page_fault_hook *hook);

/* The event page_fault_kernel, while page_fault_key is on. Interrupts off. */
void trace_page_fault(struct pt_regs *regs, unsigned long address);
