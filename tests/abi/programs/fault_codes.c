/* The siginfo of faults: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP with code and address. */
#include "abi.h"

#include <setjmp.h>

static sigjmp_buf back;
static siginfo_t info;

static void handler(int sig, siginfo_t *i, void *context)
{
	info = *i;
	siglongjmp(back, 1);
}

#define FAULT(what, address, statement)                                                                  \
	do {                                                                                             \
		if (!sigsetjmp(back, 1)) {                                                               \
			statement;                                                                       \
			show("%s: no signal", what);                                                     \
		} else {                                                                                 \
			show("%s: signal %d code %d address %s", what, info.si_signo, info.si_code,      \
			     info.si_addr == (void *)(address) ? "right" : "other");                     \
		}                                                                                        \
	} while (0)

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	volatile char *none, *read_only, *file;
	volatile int zero = 0, one = 1;
	int fd = open("f", O_RDWR | O_CREAT, 0644);

	for (int i = 0; i < 5; i++)
		sigaction(signals[i], &action, NULL);
	none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ftruncate(fd, 100);
	file = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	FAULT("read address 8", 8, *(volatile char *)8);
	FAULT("write address 16", 16, *(volatile char *)16 = 1);
	FAULT("read PROT_NONE", none, *none);
	FAULT("write read-only", read_only + 5, read_only[5] = 1);
	FAULT("run data", read_only, ((void (*)(void))read_only)());
	FAULT("non-canonical", 0, *(volatile char *)0x8000000000000000UL);
	FAULT("kernel", 0xffffffff80000000UL, *(volatile char *)0xffffffff80000000UL);
	FAULT("end of the file's page", file + 4095, file[4095] = 1);
	FAULT("beyond the file", file + 4096, file[4096] = 1);
	ftruncate(fd, 0);
	FAULT("truncated", file, *file);
	FAULT("divide by zero", info.si_addr, one = one / zero);
	one = -2147483647 - 1, zero = -1;
	FAULT("overflow", info.si_addr, one = one / zero);
	FAULT("ud2", info.si_addr, __asm__ volatile("ud2"));
	FAULT("hlt", 0, __asm__ volatile("hlt"));
	FAULT("int3", 0, __asm__ volatile("int3"));
	FAULT("int 0x81", 0, __asm__ volatile("int $0x81"));
	return 0;
}
