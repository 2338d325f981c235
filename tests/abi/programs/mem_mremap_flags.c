/* mremap(2): MREMAP_DONTUNMAP, an old length of 0, fixed places that overlap, several areas. */
#include "abi.h"

#define PAGE 4096L
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static char *map(long pages, int flags)
{
	return mmap(NULL, (size_t)(pages * PAGE), PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

static char *move(char *old, long old_len, long new_len, int flags, char *where)
{
	return (char *)syscall(SYS_mremap, old, old_len, new_len, flags, where);
}
#define MOVE(old, old_len, new_len, flags, where)                                          \
	report_ok("mremap(" #old ", " #old_len ", " #new_len ", " #flags ", " #where ")",  \
		  (got = move(old, old_len, new_len, flags, where)) == MAP_FAILED ? -1 : 0)

int main(void)
{
	char *a = map(4, MAP_PRIVATE), *s = map(2, MAP_SHARED), *room = map(16, MAP_PRIVATE), *got;
	unsigned char vec[4];
	int fd = open("f", O_RDWR | O_CREAT, 0644);
	char *file;

	/* The pages move, and the old place is empty, but mapped. */
	strcpy(a, "moved");
	MOVE(a, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
	TRUTH(got != a && !strcmp(got, "moved"));
	show("old place \"%s\"", a);
	a[0] = 'x';
	MOVE(a, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, room);
	TRUTH(got == room && room[0] == 'x' && a[0] == 0);
	MOVE(a, 4 * PAGE, 5 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
	MOVE(a, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
	MOVE(a, 4 * PAGE, 4 * PAGE, MREMAP_DONTUNMAP, NULL);
	strcpy(s, "shared");
	MOVE(s, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
	TRUTH(!strcmp(got, "shared") && !strcmp(s, "shared"));

	/* An old length of 0: the same pages once more, of shared areas only. */
	MOVE(s, 0, 2 * PAGE, MREMAP_MAYMOVE, NULL);
	TRUTH(got != s && !strcmp(got, "shared"));
	got[0] = 'S';
	show("\"%s\"", s);
	MOVE(a, 0, 2 * PAGE, MREMAP_MAYMOVE, NULL);
	MOVE(s, 0, 2 * PAGE, 0, NULL);

	/* Fixed places. */
	MOVE(a, 2 * PAGE, 2 * PAGE, MREMAP_FIXED, room);
	MOVE(a, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a + PAGE);
	MOVE(a, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, a);
	MOVE(a, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 1);
	strcpy(a, "A");
	MOVE(a, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 4 * PAGE);
	TRUTH(room[4 * PAGE] == 'A' && room[6 * PAGE] == 0);
	CALL(mincore(a, PAGE, vec));
	MOVE(room, 2 * PAGE, 2 * PAGE, 8, NULL);
	MOVE(room, 2 * PAGE, 0, 0, NULL);
	MOVE(room + 1, 2 * PAGE, PAGE, 0, NULL);
	MOVE(a, PAGE, PAGE, 0, NULL);

	/* Over the border of two areas: not to move or grow, but to shrink. */
	mprotect(room + 9 * PAGE, PAGE, PROT_READ);
	MOVE(room + 8 * PAGE, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE, NULL);
	MOVE(room + 8 * PAGE, 2 * PAGE, PAGE, 0, NULL);
	TRUTH(got == room + 8 * PAGE);
	CALL(mincore(room + 9 * PAGE, PAGE, vec));
	MOVE(room + 8 * PAGE, PAGE, 2 * PAGE, 0, NULL);
	TRUTH(got == room + 8 * PAGE);
	MOVE(room + 8 * PAGE, PAGE, 4 * PAGE, 0, NULL);

	/* A file's area that grows shows more of the file. */
	ftruncate(fd, 2 * PAGE);
	pwrite(fd, "second", 6, PAGE);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	MOVE(file, PAGE, 2 * PAGE, MREMAP_MAYMOVE, NULL);
	show("\"%s\"", got + PAGE);
	return 0;
}
