/*
 * Shell's sort: an insertion sort of the elements that lie far apart, then of nearer ones, then of
 * all. Tables of the linker are nearly sorted when the boot sorts them, so few of their elements
 * move.
 */
#include "kernel/lib/sort.h"
#include "kernel/export.h"

static void swap_elements(u8 *a, u8 *b, size_t size)
{
	if (size % 8 == 0 && IS_ALIGNED((uintptr_t)a | (uintptr_t)b, 8)) {
		for (size_t i = 0; i < size; i += 8)
			swap(*(u64 *)(a + i), *(u64 *)(b + i));
	} else {
		for (size_t i = 0; i < size; i++)
			swap(a[i], b[i]);
	}
}

static bool is_sorted(const u8 *base, size_t n, size_t size, cmp_func_t cmp)
{
	for (size_t i = 1; i < n; i++)
		if (cmp(base + (i - 1) * size, base + i * size) > 0)
			return false;
	return true;
}

/*
 * Of R. Sedgewick, "A new upper bound for Shellsort" (Journal of Algorithms 7, 1986):
 * 9 (4^k - 2^k) + 1 and 4^k - 3 * 2^k + 1. With them the time is at most O(n^(4/3)).
 */
static const u32 distances[] = { 1,    5,    19,   41,    109,   209,   505,    929,
				 2161, 3905, 8929, 16001, 36289, 64769, 146305, 260609 };

void sort(void *base, size_t n, size_t size, cmp_func_t cmp)
{
	size_t pass = is_sorted(base, n, size, cmp) ? 0 : ARRAY_SIZE(distances);

	while (pass-- > 0) {
		size_t distance = distances[pass] * size;

		for (u8 *last = (u8 *)base + distance; last < (u8 *)base + n * size; last += size)
			for (u8 *p = last; p >= (u8 *)base + distance && cmp(p - distance, p) > 0;
			     p -= distance)
				swap_elements(p - distance, p, size);
	}
}
EXPORT_SYMBOL(sort);
