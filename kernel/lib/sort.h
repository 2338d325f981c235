/* Sorting arrays. */
#pragma once

#include "kernel/compiler.h"

/* Negative: a belongs before b. Positive: behind b. 0: the order does not matter. */
typedef int (*cmp_func_t)(const void *a, const void *b);

/*
 * Sorts in place, without recursion; not stable. O(n log n), O(n) for a sorted array. Any context.
 */
void sort(void *base, size_t n, size_t size, cmp_func_t cmp);
