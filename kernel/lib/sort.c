/* Heap sort. */
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

/* Moves the element at root down until none of its children in [0, n) is greater. */
static void sift_down(u8 *base, size_t root, size_t n, size_t size, cmp_func_t cmp)
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= n)
			return;
		if (child + 1 < n && cmp(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (cmp(base + root * size, base + child * size) >= 0)
			return;
		swap_elements(base + root * size, base + child * size, size);
		root = child;
	}
}

static bool is_sorted(const u8 *base, size_t n, size_t size, cmp_func_t cmp)
{
	for (size_t i = 1; i < n; i++)
		if (cmp(base + (i - 1) * size, base + i * size) > 0)
			return false;
	return true;
}

void sort(void *base, size_t n, size_t size, cmp_func_t cmp)
{
	u8 *array = base;

	if (is_sorted(array, n, size, cmp))
		return;
	for (size_t root = n / 2; root-- > 0;)
		sift_down(array, root, n, size, cmp);
	while (--n > 0) {
		swap_elements(array, array + n * size, size);
		sift_down(array, 0, n, size, cmp);
	}
}
EXPORT_SYMBOL(sort);
