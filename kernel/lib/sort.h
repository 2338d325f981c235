/* Sorting arrays. */
#pragma once

#include "kernel/compiler.h"

/* Negative, 0 or positive, as a belongs before, beside or behind b. */
typedef int (*cmp_func_t)(const void *a, const void *b);

/* In place, not stable, no recursion, O(n log n), O(n) when sorted already. Any context. */
void sort(void *base, size_t n, size_t size, cmp_func_t cmp);
