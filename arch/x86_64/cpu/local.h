/*
 * Operations that are atomic on this CPU only: one instruction without the LOCK prefix, so an
 * interrupt sees the operation either complete or not begun. Other CPUs may read with READ_ONCE().
 * Any context.
 */
#pragma once

#include "kernel/compiler.h"

/* Two words that are exchanged together. */
struct local_pair {
	u64 lo, hi;
} __aligned(16);

/*
 * Replaces *p by new if it equals *old (CMPXCHG16B, Intel SDM 2A). Returns whether it did. If not,
 * *old is what *p was.
 *
 * CLC is for QEMU before 8.0. QEMU computes flags late, from the operands and the kind of the last
 * arithmetic instruction. Its CMPXCHG16B uses the right operands with the kind of an older
 * instruction, so a number can become RFLAGS, with TF, IF, DF and NT. An interrupt, NMI or exit to
 * QEMU's main loop after CMPXCHG16B makes such RFLAGS real. CLC makes QEMU compute the flags first.
 */
static __always_inline bool local_pair_try_cmpxchg(struct local_pair *p, struct local_pair *old,
						   struct local_pair new)
{
	bool done;

	__asm__ __volatile__("clc; cmpxchg16b %1"
			     : "=@ccz"(done), "+m"(*p), "+a"(old->lo), "+d"(old->hi)
			     : "b"(new.lo), "c"(new.hi)
			     : "memory");
	return done;
}

static __always_inline bool local_pair_cmpxchg(struct local_pair *p, struct local_pair old,
					       struct local_pair new)
{
	return local_pair_try_cmpxchg(p, &old, new);
}

#ifdef NOP5_HOST /* the thread sanitizer cannot see inline assembly */
#define local_add(p, v)        ((void)__atomic_fetch_add(p, v, __ATOMIC_RELAXED))
#define local_sub(p, v)        ((void)__atomic_fetch_sub(p, v, __ATOMIC_RELAXED))
#define local_inc32(p)         ((void)__atomic_fetch_add(p, 1, __ATOMIC_RELAXED))
#define local_dec32(p)         ((void)__atomic_fetch_sub(p, 1, __ATOMIC_RELEASE))
#define local_dec32_is_zero(p) (__atomic_sub_fetch(p, 1, __ATOMIC_RELEASE) == 0)
#define local_or32(p, v)       ((void)__atomic_fetch_or(p, v, __ATOMIC_RELAXED))
static inline bool local_cmpxchg32(u32 *p, u32 old, u32 new)
{
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
static inline bool local_cmpxchg(u64 *p, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
#else
static __always_inline void local_add(u64 *p, u64 v)
{
	__asm__ __volatile__("addq %1, %0" : "+m"(*p) : "er"(v) : "memory");
}

static __always_inline void local_sub(u64 *p, u64 v)
{
	__asm__ __volatile__("subq %1, %0" : "+m"(*p) : "er"(v) : "memory");
}

static __always_inline void local_inc32(u32 *p)
{
	__asm__ __volatile__("incl %0" : "+m"(*p)::"memory");
}

static __always_inline void local_dec32(u32 *p)
{
	__asm__ __volatile__("decl %0" : "+m"(*p)::"memory");
}

static __always_inline bool local_dec32_is_zero(u32 *p)
{
	bool zero;

	__asm__ __volatile__("decl %1" : "=@ccz"(zero), "+m"(*p)::"memory");
	return zero;
}

static __always_inline void local_or32(u32 *p, u32 v)
{
	__asm__ __volatile__("orl %1, %0" : "+m"(*p) : "er"(v) : "memory");
}

static __always_inline bool local_cmpxchg32(u32 *p, u32 old, u32 new)
{
	bool done;

	__asm__ __volatile__("cmpxchgl %3, %1"
			     : "=@ccz"(done), "+m"(*p), "+a"(old)
			     : "r"(new)
			     : "memory");
	return done;
}

static __always_inline bool local_cmpxchg(u64 *p, u64 old, u64 new)
{
	bool done;

	__asm__ __volatile__("cmpxchgq %3, %1"
			     : "=@ccz"(done), "+m"(*p), "+a"(old)
			     : "r"(new)
			     : "memory");
	return done;
}
#endif
