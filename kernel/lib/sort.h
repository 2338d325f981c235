/* Sorting arrays, and searching sorted ones. */
#pragma once

#include "kernel/compiler.h"

/* Negative: a belongs before b. Positive: behind b. 0: the order does not matter. */
typedef int (*cmp_func_t)(const void *a, const void *b);

/*
 * Sorts in place, without recursion; not stable. O(n^(4/3)), O(n) for a sorted array. Any context.
 */
void sort(void *base, size_t n, size_t size, cmp_func_t cmp);

/*
 * A binary search: the lowest i of [0, n) for which the expression before is false, or n. It must
 * be false for all higher i too. A macro, so that code that may call no traced function can use it.
 * Any context.
 */
#define partition_point(n, i, before)                                                              \
	({                                                                                         \
		size_t low_ = 0, high_ = (n);                                                      \
                                                                                                   \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
                                                                                                   \
			if (before)                                                                \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})
