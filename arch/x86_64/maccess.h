/*
 * Reading memory at an address that may be invalid. A fault gives an error instead of an oops. Any
 * context, NMI included.
 */
#pragma once

#include "arch/ptrace.h"
#include "arch/traps.h"
#include "kernel/compiler.h"

/*
 * Copies the string at src, with its NUL, but at most size bytes (more than 0); a cut string gets a
 * NUL too. Returns the number of bytes written, or -EFAULT. Then dst has no defined content.
 * Implemented in maccess.asm.
 */
long strncpy_from_kernel_nofault(char *dst, const void *src, size_t size);

extern const char maccess_load[], maccess_fault[]; /* the load that may fault, and the way out */

/* Called by each exception: true if it was the expected fault of a function above. */
static __always_inline bool maccess_fixup(struct pt_regs *regs, unsigned vector)
{
	if ((vector != X86_TRAP_PF && vector != X86_TRAP_GP) ||
	    regs->ip != (unsigned long)maccess_load)
		return false;
	regs->ip = (unsigned long)maccess_fault;
	return true;
}
