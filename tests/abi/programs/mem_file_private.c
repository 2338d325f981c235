/* A private mapping of a file: its writes stay in the process; writes to the file show until then. */
#include "abi.h"

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
	return 0;
}
