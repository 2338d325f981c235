/* msync(2) and its flags, for areas with holes and locked ones. */
#include "abi.h"

#define PAGE 4096UL

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0600);
	char *p, text[4];

	ftruncate(fd, 4 * PAGE);
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(p, "abc", 4);
	CALL(msync(p, 4 * PAGE, MS_SYNC));
	pread(fd, text, 4, 0);
	show("in the file: %s", text);
	CALL(msync(p, 4 * PAGE, MS_ASYNC));
	CALL(msync(p, 4 * PAGE, MS_INVALIDATE));
	CALL(msync(p, 4 * PAGE, 0));
	CALL(msync(p, 4 * PAGE, MS_SYNC | MS_ASYNC));
	CALL(msync(p, 4 * PAGE, 8));
	CALL(msync(p + 1, PAGE, MS_SYNC));
	CALL(msync(p, 0, MS_SYNC));
	CALL(syscall(SYS_msync, p, -1UL, MS_SYNC));
	CALL(syscall(SYS_msync, p, -2 * PAGE, MS_SYNC));
	munmap(p + PAGE, PAGE);
	CALL(msync(p, 4 * PAGE, MS_SYNC));
	CALL(msync(p + PAGE, PAGE, MS_SYNC));
	mlock(p, PAGE);
	CALL(msync(p, PAGE, MS_INVALIDATE));
	CALL(msync(p, PAGE, MS_SYNC));
	munlock(p, PAGE);
	CALL(msync(p, PAGE, MS_INVALIDATE | MS_SYNC));
	return 0;
}
