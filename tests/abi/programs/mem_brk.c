/* brk(2): the program break grows, shrinks, gives zeros again, and stays at what it cannot reach. */
#include "abi.h"

#define brk_to(at) syscall(SYS_brk, at)

int main(void)
{
	long start = brk_to(0);
	struct rlimit limit = { 1 << 20, RLIM_INFINITY };
	char *p = (char *)start;

	TRUTH(brk_to(start + 10000) == start + 10000);
	p[0] = p[9999] = 7;
	TRUTH(brk_to(start + 5000) == start + 5000);
	TRUTH(brk_to(start + 10000) == start + 10000);
	show("%d %d", p[0], p[9999]);
	TRUTH(brk_to(start - 1) == start + 10000);
	TRUTH(brk_to(-1L) == start + 10000);
	setrlimit(RLIMIT_DATA, &limit);
	TRUTH(brk_to(start + (4 << 20)) == start + 10000);
	TRUTH(brk_to(start + 20000) == start + 20000);
	mmap((void *)((start + 40000) & ~4095L), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	TRUTH(brk_to(start + 60000) == start + 20000);
	TRUTH(brk_to(start) == start);
	CALL(mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CALL(mmap(NULL, 4 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	return 0;
}
