/* madvise(2): what MADV_DONTNEED, MADV_FREE and MADV_REMOVE do to pages of each kind. */
#include "abi.h"

#define PAGE 4096UL

static int file;

static char *map(int flags, int fd)
{
	return mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
}

static void dontneed(const char *name, char *p)
{
	p[0] = 'x';
	p[PAGE] = 'y';
	show("%s: %d", name, madvise(p, PAGE, MADV_DONTNEED));
	show("%s: first %d second %d", name, p[0], p[PAGE]);
}

int main(void)
{
	char *anon, *shared, *private, *mapped, byte;

	file = open("f", O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 4; i++)
		pwrite(file, "F", 1, i * (long)PAGE);
	ftruncate(file, 4 * PAGE);
	anon = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	shared = map(MAP_SHARED | MAP_ANONYMOUS, -1);
	private = map(MAP_PRIVATE, file);
	mapped = map(MAP_SHARED, file);
	dontneed("anonymous", anon);
	dontneed("shared anonymous", shared);
	dontneed("private file", private);
	dontneed("shared file", mapped);

	CALL(madvise(anon + 1, PAGE, MADV_DONTNEED));
	CALL(madvise(anon, 0, MADV_DONTNEED));
	CALL(madvise(anon, -1UL, MADV_DONTNEED));
	CALL(madvise(anon, 1, MADV_DONTNEED));
	show("a byte is a page: %d", anon[1]);
	CALL(madvise((void *)-PAGE, 2 * PAGE, MADV_DONTNEED));

	anon[0] = anon[3 * PAGE] = 'z';
	munmap(anon + PAGE, PAGE);
	CALL(madvise(anon, 4 * PAGE, MADV_DONTNEED));
	show("both sides of a hole: %d %d", anon[0], anon[3 * PAGE]);

	mlock(anon, PAGE);
	anon[0] = 'l';
	CALL(madvise(anon, PAGE, MADV_DONTNEED));
	show("locked: %c", anon[0]);
	munlock(anon, PAGE);

	CALL(madvise(anon, PAGE, MADV_FREE));
	anon[0] = 'k';
	show("written after MADV_FREE: %c", anon[0]);
	CALL(madvise(shared, PAGE, MADV_FREE));
	CALL(madvise(private, PAGE, MADV_FREE));

	mapped[0] = mapped[PAGE] = 'm';
	CALL(madvise(mapped, PAGE, MADV_REMOVE));
	pread(file, &byte, 1, 0);
	show("removed: %d in the file, %d in memory, next %c", byte, mapped[0], mapped[PAGE]);
	CALL(madvise(private, PAGE, MADV_REMOVE));
	CALL(madvise(anon, PAGE, MADV_REMOVE));
	shared[0] = 's';
	CALL(madvise(shared, PAGE, MADV_REMOVE));
	show("shared after removal: %d", shared[0]);
	CALL(mprotect(mapped, PAGE, PROT_READ));
	CALL(madvise(mapped, PAGE, MADV_REMOVE));
	return 0;
}
