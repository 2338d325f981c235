/* Where mmap(2) puts areas: hints, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_32BIT, low addresses. */
#include "abi.h"

#define PAGE 4096UL
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static void user(void)
{
	setuid(65534);
	OK(mmap((void *)PAGE, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
	OK(mmap((void *)65536, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
	OK(mmap((void *)0, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
}

int main(void)
{
	char *room = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE, ANON, -1, 0), *p;

	room[0] = 1;
	munmap(room + 8 * PAGE, 8 * PAGE);
	show("free hint: %d", mmap(room + 9 * PAGE, PAGE, PROT_READ, ANON, -1, 0) == room + 9 * PAGE);
	show("odd hint is rounded: %d", mmap(room + 11 * PAGE + 5, PAGE, PROT_READ, ANON, -1, 0) == room + 12 * PAGE ||
	     mmap(room + 13 * PAGE + 5, PAGE, PROT_READ, ANON, -1, 0) == room + 13 * PAGE);
	p = mmap(room, PAGE, PROT_READ, ANON, -1, 0);
	show("taken hint: elsewhere %d", p != room && p != MAP_FAILED);
	OK(mmap(room, PAGE, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	OK(mmap(room + 15 * PAGE, 2 * PAGE, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	OK(mmap(room + 1, PAGE, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	OK(mmap(room + 1, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
	show("still there: %d", room[0]);
	show("fixed replaces: %d", mmap(room, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0) == room && room[0] == 0);
	p = mmap(NULL, PAGE, PROT_READ, ANON | MAP_32BIT, -1, 0);
	TRUTH((unsigned long)p < 1UL << 31);
	TRUTH((unsigned long)p >= 1UL << 30);
	p = mmap((void *)1, PAGE, PROT_READ, ANON, -1, 0);
	TRUTH((unsigned long)p >= 65536);
	OK(mmap((void *)-PAGE, PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
	OK(mmap((void *)(0x7ffffffff000 - PAGE), PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0));
	OK(mmap(NULL, 1UL << 46, PROT_NONE, ANON | MAP_NORESERVE, -1, 0));
	OK(mmap(NULL, 1UL << 46, PROT_READ | PROT_WRITE, ANON, -1, 0));
	OK(mmap(NULL, -PAGE, PROT_READ, ANON, -1, 0));
	CALL(munmap((void *)(1UL << 60), PAGE));
	CALL(munmap(room, 0));
	CALL(munmap(room, -1UL));
	CHILD(user);
	return 0;
}
