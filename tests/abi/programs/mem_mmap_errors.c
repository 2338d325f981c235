/* mmap(2): the error of each wrong argument, and of each way a file is open. */
#include "abi.h"

#define MAP(addr, len, prot, flags, fd, off)                                                                 \
	report_ok("mmap(" #addr ", " #len ", " #prot ", " #flags ", " #fd ", " #off ")",                     \
		  syscall(SYS_mmap, addr, (size_t)(len), prot, flags, fd, off) == -1 ? -1 : 0)

int main(void)
{
	int rw = open("f", O_RDWR | O_CREAT, 0644), ro, wo, dir, path, p[2], null, zero;
	char *hole;

	ftruncate(rw, 8192);
	ro = open("f", O_RDONLY);
	wo = open("f", O_WRONLY);
	dir = open(".", O_RDONLY);
	path = open("f", O_PATH);
	null = open("/dev/null", O_RDWR);
	zero = open("/dev/zero", O_RDWR);
	pipe(p);
	MAP(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, -1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, 1UL << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, 1, PROT_READ, MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE, -1, 0L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE, 99, 0L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE, rw, 1L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE, rw, 4095L);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE, rw, 1L << 40);
	MAP(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 4096L);
	MAP((void *)1, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
	MAP((void *)-4096L, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
	MAP(NULL, 4096, PROT_READ | 0x100, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_DENYWRITE, -1, 0L);

	MAP(NULL, 4096, PROT_WRITE, MAP_SHARED, ro, 0L);
	MAP(NULL, 4096, PROT_WRITE, MAP_PRIVATE, ro, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_SHARED, ro, 0L);
	MAP(NULL, 4096, PROT_NONE, MAP_SHARED, ro, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_SHARED, wo, 0L);
	MAP(NULL, 4096, PROT_WRITE, MAP_SHARED, wo, 0L);
	MAP(NULL, 4096, PROT_NONE, MAP_PRIVATE, wo, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_PRIVATE, dir, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_PRIVATE, path, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_PRIVATE, p[0], 0L);
	MAP(NULL, 4096, PROT_READ, MAP_PRIVATE, null, 0L);
	MAP(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0L);
	MAP(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0L);
	MAP(NULL, 4096, PROT_READ, 3 /* SHARED_VALIDATE */, rw, 0L);
	MAP(NULL, 4096, PROT_READ, 3 | 0x8000000, rw, 0L);
	MAP(NULL, 4096, PROT_READ, MAP_SHARED | 0x8000000, rw, 0L);

	/* MAP_FIXED_NOREPLACE refuses what is in use, also in part. */
	hole = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(hole + 4096, 4096);
	MAP(hole + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0L);
	MAP(hole + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0L);
	munmap(hole + 4096, 4096);
	MAP(hole + 4096, 4097, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0L);
	CALL(munmap(hole + 1, 4096));
	CALL(munmap(hole, 0));
	CALL(munmap(hole + 4096, 4096));
	CALL(munmap(hole, -1UL));
	CALL(munmap(hole, 3 * 4096));
	return 0;
}
