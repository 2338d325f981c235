/* The host's uaccess.h. Every pointer is of the tested code itself, and valid above 4096. */
#pragma once

#include <string.h>

#include "kernel/compiler.h"
#include "kernel/errno.h"

#define TASK_SIZE_MAX 0x7ffffffff000UL

static inline bool access_ok(const void __user *p, size_t n __unused)
{
	return (unsigned long)p >= 4096;
}

static inline bool user_access_ok(const void __user *p, size_t n)
{
	return access_ok(p, n);
}

static inline unsigned long copy_from_user(void *to, const void __user *from, size_t n)
{
	if (!access_ok(from, n))
		return n;
	memcpy(to, from, n);
	return 0;
}

static inline unsigned long copy_to_user(void __user *to, const void *from, size_t n)
{
	if (!access_ok(to, n))
		return n;
	memcpy(to, from, n);
	return 0;
}

static inline unsigned long clear_user(void __user *to, size_t n)
{
	if (!access_ok(to, n))
		return n;
	memset(to, 0, n);
	return 0;
}

static inline long strncpy_from_user(char *dst, const char __user *src, long n)
{
	if (!access_ok(src, 1))
		return -EFAULT;
	for (long i = 0; i < n; i++)
		if (!(dst[i] = src[i]))
			return i;
	return n;
}

static inline long strnlen_user(const char __user *src, long n)
{
	return access_ok(src, 1) ? (long)strnlen(src, (size_t)n) + 1 : 0;
}

#define get_user(x, p) (access_ok((p), sizeof(*(p))) ? ((x) = *(p), 0) : ((x) = 0, -EFAULT))
#define put_user(x, p) (access_ok((p), sizeof(*(p))) ? (*(p) = (x), 0) : -EFAULT)

static inline void pagefault_disable(void)
{
}

static inline void pagefault_enable(void)
{
}
