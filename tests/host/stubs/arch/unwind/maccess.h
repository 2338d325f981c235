/* The host's maccess.h. Addresses below 4096 cannot be read. No address is in the kernel half. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

static inline long strncpy_from_user_nofault(char *dst, const void *src, size_t size)
{
	size_t length;

	if ((unsigned long)src < 4096)
		return -EFAULT;
	length = strnlen(src, size - 1);
	memcpy(dst, src, length);
	dst[length] = '\0';
	return (long)length + 1;
}

#define strncpy_from_kernel_nofault strncpy_from_user_nofault

static inline long copy_from_kernel_nofault(void *dst, const void *src, size_t size)
{
	if ((unsigned long)src < 4096)
		return -EFAULT;
	memcpy(dst, src, size);
	return 0;
}
