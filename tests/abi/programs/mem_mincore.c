/* mincore(2): which pages are there, of files and of anonymous memory, and its errors. */
#include "abi.h"

static void show_pages(const char *what, void *at, int pages)
{
	unsigned char in[8] = { 0 };
	char line[9] = { 0 };

	if (mincore(at, (size_t)pages * 4096, in)) {
		show("%s: %s", what, error_name(errno));
		return;
	}
	for (int i = 0; i < pages; i++)
		line[i] = in[i] & 1 ? '1' : '0';
	show("%s: %s", what, line);
}

int main(void)
{
	char *a = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *f;
	int fd = open("f", O_RDWR | O_CREAT, 0644);
	unsigned char in[4];

	show_pages("untouched", a, 4);
	a[0] = a[8192] = 1;
	show_pages("two written", a, 4);
	madvise(a, 4096, MADV_DONTNEED);
	show_pages("one thrown away", a, 4);
	ftruncate(fd, 4 * 4096);
	pwrite(fd, "x", 1, 4096);
	f = mmap(NULL, 4 * 4096, PROT_READ, MAP_SHARED, fd, 0);
	show_pages("file", f, 4);
	munmap(a + 4096, 4096);
	show_pages("a hole", a, 4);
	CALL(mincore(a + 1, 4096, in));
	CALL(mincore(a, 0, in));
	CALL(mincore(a, 4096, (void *)8));
	CALL(mincore(a, ~0UL, in));
	return 0;
}
