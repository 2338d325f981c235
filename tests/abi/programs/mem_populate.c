/* MADV_POPULATE_READ and MADV_POPULATE_WRITE, MAP_POPULATE, and mincore(2) of what they bring. */
#include "abi.h"

#define PAGE 4096UL
#define READ 22
#define WRITE 23

static void present(const char *name, char *p, size_t pages)
{
	unsigned char there[16];
	char text[17] = "";

	if (mincore(p, pages * PAGE, there)) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	for (size_t i = 0; i < pages; i++)
		text[i] = there[i] & 1 ? '1' : '0';
	show("%s: %s", name, text);
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0600), ro;
	unsigned char vector[4];
	char *p, *q;

	p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	present("new", p, 8);
	p[PAGE] = 1;
	p[5 * PAGE] = 1;
	present("two written", p, 8);
	CALL(madvise(p + 2 * PAGE, 2 * PAGE, WRITE));
	present("two populated", p, 8);
	CALL(madvise(p, 8 * PAGE, MADV_DONTNEED));
	present("none needed", p, 8);
	mprotect(p, PAGE, PROT_NONE);
	CALL(madvise(p, PAGE, READ));
	mprotect(p, PAGE, PROT_READ);
	CALL(madvise(p, PAGE, WRITE));
	CALL(madvise(p, PAGE, READ));
	munmap(p + 4 * PAGE, PAGE);
	CALL(madvise(p + 3 * PAGE, 3 * PAGE, WRITE));
	present("up to the hole", p + 3 * PAGE, 1);
	present("with the hole", p, 8);

	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	present("MAP_POPULATE", p, 4);
	p = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	present("without rights", p, 4);

	ftruncate(fd, PAGE);
	q = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CALL(madvise(q, PAGE, WRITE));
	CALL(madvise(q, 2 * PAGE, READ));
	ro = open("f", O_RDONLY);
	q = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0);
	CALL(madvise(q, PAGE, WRITE));

	CALL(mincore(p + 1, PAGE, vector));
	CALL(mincore(p, 0, vector));
	CALL(mincore(p, PAGE, NULL));
	CALL(mincore((void *)(1UL << 46), PAGE, vector));
	CALL(syscall(SYS_mincore, p, -1UL, vector));
	return 0;
}
