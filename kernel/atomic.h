/* Atomic integers. Functions that return a value are fully ordered (as in Linux). Any context. */
#pragma once

#include "kernel/compiler.h"

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC_INIT(i)                                                                             \
	{                                                                                          \
		(i)                                                                                \
	}

#define ATOMIC_OPS(prefix, type, ctype)                                                            \
	static __always_inline ctype prefix##_read(const type *v)                                  \
	{                                                                                          \
		return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);                             \
	}                                                                                          \
	static __always_inline void prefix##_set(type *v, ctype i)                                 \
	{                                                                                          \
		__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);                                \
	}                                                                                          \
	static __always_inline void prefix##_add(ctype i, type *v)                                 \
	{                                                                                          \
		__atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST);                              \
	}                                                                                          \
	static __always_inline void prefix##_sub(ctype i, type *v)                                 \
	{                                                                                          \
		__atomic_fetch_sub(&v->counter, i, __ATOMIC_SEQ_CST);                              \
	}                                                                                          \
	static __always_inline void prefix##_inc(type *v)                                          \
	{                                                                                          \
		prefix##_add(1, v);                                                                \
	}                                                                                          \
	static __always_inline void prefix##_dec(type *v)                                          \
	{                                                                                          \
		prefix##_sub(1, v);                                                                \
	}                                                                                          \
	static __always_inline ctype prefix##_add_return(ctype i, type *v)                         \
	{                                                                                          \
		return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);                       \
	}                                                                                          \
	static __always_inline ctype prefix##_sub_return(ctype i, type *v)                         \
	{                                                                                          \
		return __atomic_sub_fetch(&v->counter, i, __ATOMIC_SEQ_CST);                       \
	}                                                                                          \
	static __always_inline ctype prefix##_inc_return(type *v)                                  \
	{                                                                                          \
		return prefix##_add_return(1, v);                                                  \
	}                                                                                          \
	static __always_inline bool prefix##_dec_and_test(type *v)                                 \
	{                                                                                          \
		return prefix##_sub_return(1, v) == 0;                                             \
	}                                                                                          \
	static __always_inline ctype prefix##_xchg(type *v, ctype i)                               \
	{                                                                                          \
		return __atomic_exchange_n(&v->counter, i, __ATOMIC_SEQ_CST);                      \
	}                                                                                          \
	static __always_inline ctype prefix##_cmpxchg(type *v, ctype old, ctype new)               \
	{                                                                                          \
		return cmpxchg(&v->counter, old, new);                                             \
	}

ATOMIC_OPS(atomic, atomic_t, int)
ATOMIC_OPS(atomic64, atomic64_t, s64)

/* Increments *v unless it is 0: a reference to an object that may be about to go. */
static __always_inline bool atomic_inc_not_zero(atomic_t *v)
{
	int old = atomic_read(v);

	while (old) {
		int now = atomic_cmpxchg(v, old, old + 1);

		if (now == old)
			return true;
		old = now;
	}
	return false;
}

/* Adds i to *v unless it is unless. True if it added. */
static __always_inline bool atomic_add_unless(atomic_t *v, int i, int unless)
{
	int old = atomic_read(v);

	while (old != unless) {
		int now = atomic_cmpxchg(v, old, old + i);

		if (now == old)
			return true;
		old = now;
	}
	return false;
}

/*
 * Atomic bits in an array of longs; the test_and_ forms return the old bit and are full barriers.
 */
static __always_inline bool test_bit(unsigned nr, const unsigned long *addr)
{
	return (__atomic_load_n(&addr[nr / 64], __ATOMIC_RELAXED) >> (nr % 64)) & 1;
}

static __always_inline void set_bit(unsigned nr, unsigned long *addr)
{
	__atomic_fetch_or(&addr[nr / 64], 1UL << (nr % 64), __ATOMIC_SEQ_CST);
}

static __always_inline void clear_bit(unsigned nr, unsigned long *addr)
{
	__atomic_fetch_and(&addr[nr / 64], ~(1UL << (nr % 64)), __ATOMIC_SEQ_CST);
}

static __always_inline bool test_and_set_bit(unsigned nr, unsigned long *addr)
{
	unsigned long bit = 1UL << (nr % 64);

	return __atomic_fetch_or(&addr[nr / 64], bit, __ATOMIC_SEQ_CST) & bit;
}

static __always_inline bool test_and_clear_bit(unsigned nr, unsigned long *addr)
{
	unsigned long bit = 1UL << (nr % 64);

	return __atomic_fetch_and(&addr[nr / 64], ~bit, __ATOMIC_SEQ_CST) & bit;
}
