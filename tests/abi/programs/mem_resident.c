/* mincore(2): what is there of anonymous memory, of files, and its errors. */
#include "abi.h"

#define PAGE 4096L

static void which(const char *what, void *at, int pages)
{
	unsigned char vec[16];
	char text[17] = "";

	if (mincore(at, (size_t)(pages * PAGE), vec)) {
		show("%s: %s", what, error_name(errno));
		return;
	}
	for (int i = 0; i < pages; i++)
		text[i] = vec[i] & 1 ? '1' : '0';
	show("%s: %s", what, text);
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644);
	unsigned char vec[16];
	volatile char sum = 0;
	char *a, *f, *g;

	a = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	which("untouched", a, 8);
	a[PAGE] = 1;
	a[4 * PAGE] = 1;
	which("two written", a, 8);
	madvise(a + PAGE, PAGE, MADV_DONTNEED);
	which("one given back", a, 8);
	mlock(a + 5 * PAGE, 2 * PAGE);
	which("two locked", a, 8);
	munlock(a + 5 * PAGE, 2 * PAGE);
	which("unlocked", a, 8);

	/* A file: the page cache counts, not the table of pages. */
	pwrite(fd, "x", 1, 0);
	pwrite(fd, "x", 1, 3 * PAGE);
	ftruncate(fd, 6 * PAGE);
	f = mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	which("file", f, 6);
	f[PAGE] = 'y';
	which("a page written by the mapping", f, 6);
	g = mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	which("another mapping", g, 6);
	sum += g[3 * PAGE];
	g[3 * PAGE] = 'z';
	which("a private copy", g, 6);
	ftruncate(fd, 2 * PAGE);
	which("truncated", f, 6);

	CALL(mincore(a + 1, PAGE, vec));
	CALL(mincore(a, 0, vec));
	CALL(mincore(a, PAGE, NULL));
	CALL(mincore(a, 3 * PAGE - 1, vec));
	munmap(a + 2 * PAGE, PAGE);
	CALL(mincore(a, 3 * PAGE, vec));
	CALL(mincore(a + 2 * PAGE, PAGE, vec));
	CALL(mincore((void *)(1UL << 62), PAGE, vec));
	CALL(mincore(a, -1UL, vec));
	return 0;
}
