/* MAP_GROWSDOWN: an area that grows towards lower addresses, the gap before the next area, mprotect(2) of it. */
#include "abi.h"
#include <setjmp.h>

#define PAGE 4096L
static sigjmp_buf back;
static int code;

static void handler(int sig, siginfo_t *info, void *context)
{
	code = info->si_code;
	siglongjmp(back, sig);
}

static void touch(const char *what, char *at)
{
	int sig = sigsetjmp(back, 1);

	if (sig) {
		show("%s: signal %d, code %d", what, sig, code);
		return;
	}
	*(volatile char *)at = 1;
	show("%s: written", what);
}

/* The start of the area that holds at, relative to it, in pages. */
static void begins(const char *what, char *at)
{
	char line[300];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start <= (unsigned long)at && (unsigned long)at < end)
			show("%s: %ld pages below, rights %.4s", what, ((long)at - (long)start) / PAGE, strchr(line, ' ') + 1);
	}
	fclose(maps);
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	char *range, *area;

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	/* Room of 4 MiB, with an area at its lower end. */
	range = mmap(NULL, 1024 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	munmap(range + 16 * PAGE, 1008 * PAGE);
	area = mmap(range + 1000 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED,
		    -1, 0);
	TRUTH(area == range + 1000 * PAGE);
	begins("new", area);
	touch("inside", area);
	touch("one below", area - PAGE);
	begins("grown", area);
	touch("ten below", area - 10 * PAGE);
	begins("grown", area);
	touch("not quite at the gap", range + (16 + 300) * PAGE);
	begins("grown", area);
	touch("within the gap of 256 pages", range + (16 + 100) * PAGE);
	touch("the area below", range);
	CALL(mprotect(area, PAGE, PROT_READ));
	touch("read-only", area);
	CALL(mprotect(area + PAGE, PAGE, PROT_READ | PROT_GROWSDOWN));
	begins("changed with PROT_GROWSDOWN", area);
	CALL(mprotect(area + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_GROWSDOWN));
	CALL(mprotect(range, PAGE, PROT_READ | PROT_GROWSDOWN));
	CALL(mprotect(area, PAGE, PROT_READ | PROT_GROWSUP));
	CALL(mprotect(area, PAGE, PROT_READ | PROT_GROWSUP | PROT_GROWSDOWN));
	return 0;
}
