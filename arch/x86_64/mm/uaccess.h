/*
 * The memory of programs, as the kernel touches it.
 *
 * A pointer from a program has the attribute __user and is never followed. The functions here check
 * that it lies in the user half, and copy. An access may fault. If the page only has to be brought
 * in, the fault handler does that, and the access continues. If the program has no such memory, the
 * exception table (arch/irq/extable.h) ends the access, and the function returns an error.
 *
 * Context: task context, no spinlock, preemption on, mmap_lock not held, because the fault handler
 * may sleep. Where page faults are disabled, a page that is not there is an error, too: between
 * pagefault_disable() and pagefault_enable(), with preemption or interrupts off, and in interrupts.
 * arch/unwind/maccess.h has functions for these contexts.
 *
 * Kernel tasks make system calls, too, with addresses of the kernel. So the functions take an
 * address of the kernel if and only if the current task has no mm. There is no way to change this
 * for a task.
 */
#pragma once

#include "arch/irq/extable.h"
#include "arch/mm/smap.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/sched/sched.h"

/* The end of the user half. The page before 2^47 stays empty: SYSRET must not return there. */
#define TASK_SIZE_MAX 0x7ffffffff000UL

/* Whether the current task may pass the n bytes at p to the kernel. Any context. */
static __always_inline bool access_ok(const void __user *p, size_t n)
{
	unsigned long limit = current->mm ? TASK_SIZE_MAX : ~0UL;

	return n <= limit && (unsigned long)p <= limit - n;
}

/* The same for a task that has an mm: a program, which may pass only memory of its own. */
static __always_inline bool user_access_ok(const void __user *p, size_t n)
{
	return n <= TASK_SIZE_MAX && (unsigned long)p <= TASK_SIZE_MAX - n;
}

/* Page faults of the current task give errors until pagefault_enable(). Nests. Any context. */
static __always_inline void pagefault_disable(void)
{
	current->thread.pagefault_disabled++;
	barrier();
}
static __always_inline void pagefault_enable(void)
{
	barrier();
	current->thread.pagefault_disabled--;
}

/* uaccess.asm. They do not check the address. */
unsigned long __copy_user(void *dst, const void *src, size_t n);
unsigned long __clear_user(void *dst, size_t n);
long __strncpy_from_user(char *dst, const void *src, size_t n);
long __strnlen_user(const void *src, size_t n);

/*
 * Copy n bytes. They return the number of bytes at the end that were not copied: 0 for success.
 */
static inline unsigned long __must_check copy_from_user(void *to, const void __user *from, size_t n)
{
	return likely(access_ok(from, n)) ? __copy_user(to, (__force const void *)from, n) : n;
}
static inline unsigned long __must_check copy_to_user(void __user *to, const void *from, size_t n)
{
	return likely(access_ok(to, n)) ? __copy_user((__force void *)to, from, n) : n;
}
/* Writes n zeros. Returns the number of bytes that were not written. */
static inline unsigned long __must_check clear_user(void __user *to, size_t n)
{
	return likely(access_ok(to, n)) ? __clear_user((__force void *)to, n) : n;
}

/* The bytes from p to the end of what the current task may pass. */
static __always_inline unsigned long user_bytes_from(const void __user *p)
{
	unsigned long limit = current->mm ? TASK_SIZE_MAX : ~0UL;

	return (unsigned long)p < limit ? limit - (unsigned long)p : 0;
}
/*
 * Copies the string at src with its NUL, but at most n bytes. Returns its length without the NUL,
 * n if it is longer (dst then has no NUL), or -EFAULT.
 */
static inline long __must_check strncpy_from_user(char *dst, const char __user *src, long n)
{
	unsigned long max = user_bytes_from(src);
	long length;

	if (unlikely(n <= 0))
		return 0;
	if (likely((unsigned long)n <= max))
		return __strncpy_from_user(dst, (__force const void *)src, (size_t)n);
	length = __strncpy_from_user(dst, (__force const void *)src, max);
	return length < (long)max ? length : -EFAULT; /* no NUL before the end */
}
/* The size of the string with its NUL, a number above n if it is longer than n, or 0: a fault. */
static inline long __must_check strnlen_user(const char __user *src, long n)
{
	unsigned long max = user_bytes_from(src);
	long size;

	if (unlikely(n <= 0))
		return 0;
	size = __strnlen_user((__force const void *)src, min((unsigned long)n, max));
	return (unsigned long)n > max && size > (long)max ? 0 : size;
}

/* One access. The register err holds -EFAULT, until the instruction after the access clears it. */
#define __get_user_size(x, p, err, suffix, reg)                                                    \
	__asm__ __volatile__(ASM_STAC "1: mov" suffix " %2, %" reg "1\n\t"                         \
				      "xorl %k0, %k0\n"                                            \
				      "2: " ASM_CLAC EXTABLE("1b", "2b")                           \
			     : "+r"(err), "+r"(x)                                                  \
			     : "m"(*(p)))
#define __put_user_size(x, p, err, suffix, reg)                                                    \
	__asm__ __volatile__(ASM_STAC "1: mov" suffix " %" reg "2, %1\n\t"                         \
				      "xorl %k0, %k0\n"                                            \
				      "2: " ASM_CLAC EXTABLE("1b", "2b")                           \
			     : "+r"(err), "=m"(*(p))                                               \
			     : "r"(x))

/* Brings in the page of the word at p for writing. 0 or -EFAULT. Sleeps. */
static inline int fault_in_writable(u32 __user *p)
{
	int err = -EFAULT;
	u32 old = 0;

	if (!access_ok(p, sizeof(*p)))
		return err;
	/* A locked cmpxchg writes in any case, if only what was there (SDM 2A). */
	__asm__ __volatile__(ASM_STAC "1: lock cmpxchgl %3, %2\n\t"
				      "xorl %k0, %k0\n"
				      "2: " ASM_CLAC EXTABLE("1b", "2b")
			     : "+r"(err), "+a"(old), "+m"(*(__force u32 *)p)
			     : "r"(0)
			     : "memory", "cc");
	return err;
}

/*
 * Writes new to the word at p if it holds *old, in one step. 0, and *old is what it held; -EFAULT:
 * the page is not there or not writable. Any context: the page is not brought in.
 */
static inline int cmpxchg_user(u32 __user *p, u32 *old, u32 new)
{
	int err = -EFAULT;

	if (!access_ok(p, sizeof(*p)))
		return err;
	pagefault_disable();
	__asm__ __volatile__(ASM_STAC "1: lock cmpxchgl %3, %2\n\t"
				      "xorl %k0, %k0\n"
				      "2: " ASM_CLAC EXTABLE("1b", "2b")
			     : "+r"(err), "+a"(*old), "+m"(*(__force u32 *)p)
			     : "r"(new)
			     : "memory", "cc");
	pagefault_enable();
	return err;
}

/*
 * Several accesses, between user_access_begin() and user_access_end(), after access_ok() for the
 * whole. No call may lie between the two. A fault goes to the label, where the caller calls
 * user_access_end().
 */
static __always_inline void user_access_begin(void)
{
	__asm__ __volatile__(ASM_STAC ::: "memory");
}
static __always_inline void user_access_end(void)
{
	__asm__ __volatile__(ASM_CLAC ::: "memory");
}
#define unsafe_get(x, p, suffix, k, label)                                                         \
	__asm__ goto("1: mov" suffix " %1, %" k "0\n\t" EXTABLE("1b", "%l[" #label "]")            \
		     : "=r"(x)                                                                     \
		     : "m"(*(p))                                                                   \
		     :                                                                             \
		     : label)
#define unsafe_put(x, p, suffix, k, label)                                                         \
	__asm__ goto("1: mov" suffix " %" k "0, %1\n\t" EXTABLE("1b", "%l[" #label "]")            \
		     :                                                                             \
		     : "er"(x), "m"(*(p))                                                          \
		     : "memory"                                                                    \
		     : label)
#define unsafe_get_u32(x, p, label) unsafe_get(x, p, "l", "k", label)
#define unsafe_get_u64(x, p, label) unsafe_get(x, p, "q", "", label)
#define unsafe_put_u16(x, p, label) unsafe_put(x, p, "w", "w", label)
#define unsafe_put_u32(x, p, label) unsafe_put(x, p, "l", "k", label)
#define unsafe_put_u64(x, p, label) unsafe_put(x, p, "q", "", label)

/*
 * get_user(x, p) reads the variable at p, of 1, 2, 4 or 8 bytes, into x. 0, or -EFAULT and x is 0.
 */
#define get_user(x, p)                                                                             \
	({                                                                                         \
		const __typeof__(*(p)) __user *__gp = (p);                                         \
		unsigned long __gv = 0;                                                            \
		long __gerr = -EFAULT;                                                             \
		if (likely(access_ok(__gp, sizeof(*__gp)))) {                                      \
			if (sizeof(*__gp) == 1)                                                    \
				__get_user_size(__gv, (const u8 *)__gp, __gerr, "b", "b");         \
			else if (sizeof(*__gp) == 2)                                               \
				__get_user_size(__gv, (const u16 *)__gp, __gerr, "w", "w");        \
			else if (sizeof(*__gp) == 4)                                               \
				__get_user_size(__gv, (const u32 *)__gp, __gerr, "l", "k");        \
			else                                                                       \
				__get_user_size(__gv, (const u64 *)__gp, __gerr, "q", "q");        \
		}                                                                                  \
		BUILD_BUG_ON(sizeof(*__gp) != 1 && sizeof(*__gp) != 2 && sizeof(*__gp) != 4 &&     \
			     sizeof(*__gp) != 8);                                                  \
		(x) = (__typeof__(*(p)))__gv;                                                      \
		(int)__gerr;                                                                       \
	})
/* put_user(x, p) writes x, converted to the type of *p. 0 or -EFAULT. */
#define put_user(x, p)                                                                             \
	({                                                                                         \
		__typeof__(*(p)) __user *__pp = (p);                                               \
		__typeof__(*(p)) __px = (x);                                                       \
		long __perr = -EFAULT;                                                             \
		if (likely(access_ok(__pp, sizeof(*__pp)))) {                                      \
			if (sizeof(*__pp) == 1)                                                    \
				__put_user_size((u8)(unsigned long)__px, (u8 *)__pp, __perr, "b",  \
						"b");                                              \
			else if (sizeof(*__pp) == 2)                                               \
				__put_user_size((u16)(unsigned long)__px, (u16 *)__pp, __perr,     \
						"w", "w");                                         \
			else if (sizeof(*__pp) == 4)                                               \
				__put_user_size((u32)(unsigned long)__px, (u32 *)__pp, __perr,     \
						"l", "k");                                         \
			else                                                                       \
				__put_user_size((u64)(unsigned long)__px, (u64 *)__pp, __perr,     \
						"q", "q");                                         \
		}                                                                                  \
		BUILD_BUG_ON(sizeof(*__pp) != 1 && sizeof(*__pp) != 2 && sizeof(*__pp) != 4 &&     \
			     sizeof(*__pp) != 8);                                                  \
		(int)__perr;                                                                       \
	})

/*
 * Copies a struct that has grown over time. usize: the size that the program knows. What it does
 * not know becomes 0; what it knows more must be 0, else -E2BIG. 0 or -EFAULT.
 */
static inline int copy_struct_from_user(void *to, size_t ksize, const void __user *from,
					size_t usize)
{
	size_t size = min(ksize, usize);
	const u8 __user *rest = (const u8 __user *)from + size;
	u8 byte;

	for (size_t i = 0; i < usize - size; i++) {
		if (get_user(byte, rest + i))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	for (size_t i = size; i < ksize; i++)
		((u8 *)to)[i] = 0;
	return copy_from_user(to, from, size) ? -EFAULT : 0;
}
