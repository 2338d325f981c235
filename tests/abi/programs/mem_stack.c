/* The stack: it grows down to RLIMIT_STACK, not further, and not into another area. */
#include "abi.h"

#define PAGE 4096UL

static char alternate[65536];

static void on_fault(int signal, siginfo_t *info, void *context)
{
	show("signal %d code %d", signal, info->si_code);
	_exit(3);
}

static void catch(void)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

__attribute__((noinline)) static long deep(long kb)
{
	volatile char frame[1024];

	frame[0] = (char)kb;
	return kb ? deep(kb - 1) + frame[0] : 0;
}

static void four_megabytes(void)
{
	catch();
	deep(4096);
	show("4 MiB: fine");
}

static void beyond_limit(void)
{
	setrlimit(RLIMIT_STACK, &(struct rlimit){ 1 << 20, RLIM_INFINITY });
	catch();
	deep(512);
	show("512 KiB: fine");
	deep(2048);
	show("2 MiB: fine");
}

static void far_below(void)
{
	char here;

	catch();
	*(volatile char *)(&here - (4UL << 20)) = 1;
	show("4 MiB below the stack pointer: fine");
}

static void near_area(void)
{
	char here, *place = (char *)(((unsigned long)&here - (2UL << 20)) & ~(PAGE - 1)), *p;

	catch();
	p = mmap(place, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	TRUTH(p == place);
	*(volatile char *)(place + (1UL << 20) + (256UL << 10)) = 1;
	show("more than the gap above the area: fine");
	*(volatile char *)(place + 64 * PAGE) = 1;
	show("within the gap: fine");
}

static void read_grows(void)
{
	char here;

	catch();
	show("read below: %d", *(volatile char *)(&here - (1UL << 20)));
}

static void growsdown(void)
{
	char *room = mmap(NULL, 1024 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *p;

	munmap(room, 1024 * PAGE);
	p = mmap(room + 1000 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	TRUTH(p == room + 1000 * PAGE);
	catch();
	p[-1] = 5;
	show("grown by a page: %d", p[-1]);
	p[-100 * (long)PAGE] = 6;
	show("grown by a hundred: %d", p[-100 * (long)PAGE]);
	CALL(mprotect(p, PAGE, PROT_READ | PROT_GROWSDOWN));
	p[-1] = 5;
	show("not reached");
}

int main(void)
{
	CHILD(four_megabytes);
	CHILD(beyond_limit);
	CHILD(far_below);
	CHILD(near_area);
	CHILD(read_grows);
	CHILD(growsdown);
	CALL(mprotect(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE, PROT_READ | PROT_GROWSDOWN));
	CALL(mprotect(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE, PROT_READ | PROT_GROWSUP));
	return 0;
}
