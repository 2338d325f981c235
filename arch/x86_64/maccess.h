/*
 * Reading memory at an address that may be invalid. A fault gives an error instead of an oops. Any
 * context, NMI included.
 */
#pragma once

#include "arch/ptrace.h"
#include "arch/traps.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"

long strncpy_nofault(char *dst, const void *src, size_t size); /* maccess.asm */

/*
 * Copies the string at src, with its NUL, but at most size bytes (more than 0); a cut string gets a
 * NUL too. Returns the number of bytes written, or -EFAULT. Then dst has no defined content.
 * An address of the user half gives -EFAULT, too.
 */
static inline long strncpy_from_kernel_nofault(char *dst, const void *src, size_t size)
{
	return (long)src < 0 ? strncpy_nofault(dst, src, size) : -EFAULT;
}
/* The same for an argument of a system call. Kernel threads make all of them, with addresses of the
 * kernel, until there is ring 3. */
static inline long strncpy_from_user_nofault(char *dst, const void *src, size_t size)
{
	return strncpy_nofault(dst, src, size);
}

long copy_nofault(void *dst, const void *src, size_t size); /* maccess.asm */

/* Copies size bytes (more than 0). 0 or -EFAULT; then dst has no defined content. */
static inline long copy_from_kernel_nofault(void *dst, const void *src, size_t size)
{
	return (long)src < 0 ? copy_nofault(dst, src, size) : -EFAULT;
}
/* The same for memory of a task. */
static inline long copy_from_user_nofault(void *dst, const void *src, size_t size)
{
	return copy_nofault(dst, src, size);
}

/* The loads that may fault, and the way out. */
extern const char maccess_load[], maccess_copy_load[], maccess_fault[];

/* Called by each exception: true if it was the expected fault of a function above. */
static __always_inline bool maccess_fixup(struct pt_regs *regs, unsigned vector)
{
	if ((vector != X86_TRAP_PF && vector != X86_TRAP_GP) ||
	    (regs->ip != (unsigned long)maccess_load &&
	     regs->ip != (unsigned long)maccess_copy_load))
		return false;
	regs->ip = (unsigned long)maccess_fault;
	return true;
}
