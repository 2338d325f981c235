/* A private mapping of a file: its writes stay in the process; writes to the file show until then. */
#include "abi.h"

#ifndef FALLOC_FL_KEEP_SIZE /* musl */
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2
#endif

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), ro = open("f", O_RDONLY), wo = open("f", O_WRONLY);
	char b[20] = { 0 }, *p, *s;

	write(fd, "original", 8);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, ro, 0);
	s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	show("%.8s %.8s", p, s);
	pwrite(fd, "O", 1, 0);
	show("%.8s %.8s", p, s);
	p[1] = 'R';
	pwrite(fd, "xx", 2, 2);
	show("%.8s %.8s", p, s);
	s[7] = 'L';
	pread(fd, b, 8, 0);
	show("%.8s %.8s %s", p, s, b);
	s[100] = 'z';
	show("beyond the end: %ld", (long)pread(fd, b, 8, 100));
	madvise(p, 4096, MADV_DONTNEED);
	show("%.8s", p);
	CALL(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 0) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, wo, 0) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, wo, 0) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 100) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open(".", O_RDONLY), 0) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED);
	s = mmap(NULL, 4096, PROT_READ, MAP_SHARED, ro, 0);
	CALL(mprotect(s, 4096, PROT_READ | PROT_WRITE));
	CALL(mprotect(p, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));

	/* A hole in the file is none in what the process has written; a shorter file takes that away. */
	ftruncate(fd, 3 * 4096);
	pwrite(fd, "second", 6, 4096);
	p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, ro, 0);
	strcpy(p, "mine");
	show("%s %s", p, p + 4096);
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 2 * 4096));
	show("\"%s\" \"%s\"", p, p + 4096);
	ftruncate(fd, 0);
	ftruncate(fd, 4096);
	show("\"%s\"", p);
	return 0;
}
