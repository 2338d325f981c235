/*
 * Reading memory at an address that may be invalid. A fault gives an error instead of an oops, and
 * never waits for a page. Any context, NMI included.
 */
#pragma once

#include "arch/mm/uaccess.h"

/* arch/mm/uaccess.asm. The address may be of the kernel or of a program. */
long strncpy_nofault(char *dst, const void *src, size_t size);

/*
 * Copies the string at src, with its NUL, but at most size bytes (more than 0); a cut string gets a
 * NUL too. Returns the number of bytes written, or -EFAULT. Then dst has no defined content.
 * An address of the user half gives -EFAULT, too.
 */
static inline long strncpy_from_kernel_nofault(char *dst, const void *src, size_t size)
{
	return (long)src < 0 ? strncpy_nofault(dst, src, size) : -EFAULT;
}
/* The same for memory of the current task: its program's, or the kernel's for a kernel task. */
static inline long strncpy_from_user_nofault(char *dst, const void *src, size_t size)
{
	long ret;

	if (!access_ok((__force const void __user *)src, 1))
		return -EFAULT;
	pagefault_disable();
	ret = strncpy_nofault(dst, src, size);
	pagefault_enable();
	return ret;
}

/* Copies size bytes (more than 0). 0 or -EFAULT; then dst has no defined content. */
static inline long copy_from_kernel_nofault(void *dst, const void *src, size_t size)
{
	return (long)src < 0 && !__copy_user(dst, src, size) ? 0 : -EFAULT;
}
/* The same for memory of the current task. */
static inline long copy_from_user_nofault(void *dst, const void *src, size_t size)
{
	unsigned long left;

	if (!access_ok((__force const void __user *)src, size))
		return -EFAULT;
	pagefault_disable();
	left = __copy_user(dst, src, size);
	pagefault_enable();
	return left ? -EFAULT : 0;
}
static inline long copy_to_user_nofault(void *dst, const void *src, size_t size)
{
	unsigned long left;

	if (!access_ok((__force const void __user *)dst, size))
		return -EFAULT;
	pagefault_disable();
	left = __copy_user(dst, src, size);
	pagefault_enable();
	return left ? -EFAULT : 0;
}
