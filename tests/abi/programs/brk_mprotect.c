/* brk(2), mprotect(2), mremap(2), madvise(2): the heap grows and shrinks, rights change, areas move. */
#include <setjmp.h>

#include "abi.h"

#define PAGE 4096

static sigjmp_buf back;
static volatile int code;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	code = sig * 100 + info->si_code;
	siglongjmp(back, 1);
}

static int faults(volatile char *at, bool write)
{
	if (sigsetjmp(back, 1))
		return code;
	if (write)
		*at = 7;
	else
		(void)*at;
	return 0;
}

static char *now(void)
{
	return (char *)syscall(SYS_brk, 0);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	char *start = now(), *map, *moved;

	sigaction(SIGSEGV, &action, NULL);
	show("grows: %d", (char *)syscall(SYS_brk, start + 3 * PAGE) == start + 3 * PAGE);
	show("zero: %d, behind: %d", start[2 * PAGE], faults(start + 4 * PAGE, true));
	start[2 * PAGE] = 1;
	show("shrinks: %d", (char *)syscall(SYS_brk, start + 1) == start + 1);
	show("gone: %d", faults(start + 2 * PAGE, false));
	syscall(SYS_brk, start + 3 * PAGE);
	show("zero again: %d", start[2 * PAGE]);
	show("too low: %d", (char *)syscall(SYS_brk, 4096) == now());
	show("too high: %d", (char *)syscall(SYS_brk, 1UL << 62) == now());

	map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(map, 1, 4 * PAGE);
	CALL(mprotect(map + PAGE, PAGE, PROT_READ));
	show("%d %d %d", faults(map, true), faults(map + PAGE, true), faults(map + 2 * PAGE, true));
	CALL(mprotect(map + PAGE, PAGE, PROT_NONE));
	show("%d", faults(map + PAGE, false));
	CALL(read(0, map + PAGE, 1));
	CALL(write(1, map + PAGE, 1));
	CALL(mprotect(map + PAGE, PAGE, PROT_READ | PROT_WRITE));
	show("%d %d", faults(map + PAGE, true), map[PAGE + 1]);
	CALL(mprotect(map, 0, PROT_READ));
	CALL(mprotect(map, PAGE, 0x100));
	CALL(mprotect((void *)(16 * PAGE), PAGE, PROT_READ));
	CALL(munmap(map + 2 * PAGE, PAGE));
	CALL(mprotect(map, 4 * PAGE, PROT_READ));
	show("%d %d", faults(map + PAGE, true), faults(map + 3 * PAGE, true));

	CALL(mprotect(map, 2 * PAGE, PROT_READ | PROT_WRITE));
	map[5] = 55;
	CALL(mremap(map, 2 * PAGE, 64 * PAGE, 0) == MAP_FAILED);
	moved = mremap(map, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	TRUTH(moved != MAP_FAILED && moved != map && moved[5] == 55);
	show("%d %d", faults(map, false), moved[60 * PAGE]);
	TRUTH(mremap(moved, 64 * PAGE, 8 * PAGE, 0) == moved);
	show("%d %d", faults(moved + 8 * PAGE, false), faults(moved + 7 * PAGE, true));
	CALL(mremap(moved + 1, PAGE, PAGE, 0));
	CALL(mremap(moved, PAGE, 0, 0));
	CALL(mremap((void *)(16 * PAGE), PAGE, 2 * PAGE, MREMAP_MAYMOVE));

	memset(moved, 3, 8 * PAGE);
	CALL(madvise(moved, PAGE, MADV_DONTNEED));
	show("%d %d", moved[0], moved[PAGE]);
	CALL(madvise(moved, PAGE, 9999));
	CALL(madvise(moved + 1, PAGE, MADV_DONTNEED));
	CALL(madvise((void *)(16 * PAGE), PAGE, MADV_DONTNEED));
	CALL(mlock(moved, PAGE));
	CALL(munlock(moved, PAGE));
	CALL(mlock((void *)(16 * PAGE), PAGE));
	return 0;
}
