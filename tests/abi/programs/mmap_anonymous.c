/* mmap(2), mprotect(2), munmap(2) of anonymous memory; what a fault is told as. */
#include "abi.h"

#define PAGE 4096

static char *page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	show("signal %d code %d at the page: %d", sig, info->si_code, (char *)info->si_addr == page);
	_exit(1);
}

static void catch_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

static void write_read_only(void)
{
	catch_faults();
	mprotect(page, PAGE, PROT_READ);
	*(volatile char *)page = 1;
}

static void read_none(void)
{
	catch_faults();
	mprotect(page, PAGE, PROT_NONE);
	(void)*(volatile char *)page;
}

static void read_unmapped(void)
{
	catch_faults();
	munmap(page, PAGE);
	(void)*(volatile char *)page;
}

static void execute(void)
{
	catch_faults();
	*page = (char)0xc3;
	((void (*)(void))page)();
}

static void dies(void)
{
	*(volatile int *)16 = 1;
}

int main(void)
{
	page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TRUTH(page != MAP_FAILED);
	TRUTH(page[0] == 0 && page[3 * PAGE - 1] == 0);
	page[0] = 5;
	CHILD(write_read_only);
	CHILD(read_none);
	CHILD(read_unmapped);
	CHILD(execute);
	CHILD(dies);
	show("still %d", page[0]);
	OK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0));
	OK(mmap((void *)1, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	OK(mmap(NULL, 1UL << 47, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	CALL(munmap(page + 1, PAGE));
	CALL(munmap(page + PAGE, PAGE));
	CALL(munmap(page + PAGE, PAGE));
	CALL(mprotect(page, 3 * PAGE, PROT_READ));
	CALL(syscall(SYS_mprotect, page + 1, PAGE, PROT_READ));
	CALL(munmap(page, 3 * PAGE));
	return 0;
}
