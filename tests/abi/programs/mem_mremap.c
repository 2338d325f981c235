/* mremap(2): growing, shrinking, moving, fixed places, and its errors. */
#include "abi.h"

#define PAGE 4096UL

static char *map(size_t pages, int flags)
{
	return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

static int same(const char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		if (p[i * PAGE] != (char)(i + 1))
			return 0;
	return 1;
}

static void fill(char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = (char)(i + 1);
}

int main(void)
{
	char *room = map(64, MAP_PRIVATE), *p, *q;

	munmap(room + 8 * PAGE, 56 * PAGE);
	fill(room, 8);
	show("shrink: same place %d", mremap(room, 8 * PAGE, 4 * PAGE, 0) == room);
	show("grow in place: %d", mremap(room, 4 * PAGE, 16 * PAGE, 0) == room);
	show("old pages %d, new page %d", same(room, 4), room[4 * PAGE]);
	p = mmap(room + 16 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CALL(mremap(room, 16 * PAGE, 32 * PAGE, 0) == MAP_FAILED);
	q = mremap(room, 16 * PAGE, 32 * PAGE, MREMAP_MAYMOVE);
	show("moved %d, pages %d", q != room, same(q, 4));
	show("old place is free: %d", mmap(room, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == room);
	munmap(room, PAGE);
	munmap(p, PAGE);

	fill(q, 8);
	show("fixed: %d", mremap(q, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room) == room);
	show("pages %d", same(room, 8));
	OK(mremap(q, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE));
	OK(mremap(room, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 4 * PAGE));
	OK(mremap(room, 8 * PAGE, 8 * PAGE, MREMAP_FIXED, room + 16 * PAGE));
	OK(mremap(room + 1, PAGE, PAGE, 0));
	OK(mremap(room, PAGE, 0, 0));
	OK(mremap(room, PAGE, PAGE, 8));
	OK(mremap(room, 9 * PAGE, 20 * PAGE, MREMAP_MAYMOVE));
	OK(mremap(room, 0, PAGE, MREMAP_MAYMOVE));
	OK(mremap(room, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 1));
	OK(mremap(room, 8 * PAGE, 1UL << 48, MREMAP_MAYMOVE));

	p = map(4, MAP_SHARED);
	fill(p, 4);
	q = mremap(p, 0, 4 * PAGE, MREMAP_MAYMOVE);
	show("copy of a shared area: %d, pages %d", q != MAP_FAILED && q != p, same(q, 4));
	q[0] = 77;
	show("the same memory: %d", p[0]);

	p = map(4, MAP_PRIVATE);
	fill(p, 4);
	q = mremap(p, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | 4 /* DONTUNMAP */, 0);
	show("dontunmap: moved %d, pages %d, old page %d", q != p, same(q, 4), p[0]);
	OK(mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | 4, 0));
	OK(mremap(p, 4 * PAGE, 4 * PAGE, 4, 0));
	return 0;
}
