/* local_cmpxchg32() of local.h for a word of 64 bits. */
#pragma once

#include "arch/cpu/local.h"

#ifdef NOP5_HOST /* the thread sanitizer cannot see inline assembly */
static inline bool local_cmpxchg(u64 *p, u64 old, u64 new)
{
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
#else
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
