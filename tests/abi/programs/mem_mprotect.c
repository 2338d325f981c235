/* mprotect(2): holes, rights that the file does not give, and what a fault then says. */
#include "abi.h"

#include <setjmp.h>

#define PAGE 4096UL
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;
static char *p;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	siglongjmp(back, info->si_code);
}

/* 0, or the code of the fault. */
static int try(char *page, int write)
{
	int code = sigsetjmp(back, 1);

	if (code)
		return code;
	if (write)
		*(volatile char *)page = 1;
	else
		(void)*(volatile char *)page;
	return 0;
}

static void rights(const char *name, char *page)
{
	int code = try(page, 0);

	show("%s: read %d write %d", name, code, try(page, 1));
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	int fd = open("f", O_RDWR | O_CREAT, 0600), ro;

	sigaction(SIGSEGV, &action, NULL);
	p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, ANON, -1, 0);
	rights("all", p);
	CALL(mprotect(p, PAGE, PROT_READ));
	rights("read", p);
	CALL(mprotect(p, PAGE, PROT_NONE));
	rights("none", p);
	CALL(mprotect(p, PAGE, PROT_WRITE));
	rights("write", p);
	munmap(p + 3 * PAGE, PAGE);
	CALL(mprotect(p, 8 * PAGE, PROT_READ));
	rights("before the hole", p + 2 * PAGE);
	rights("behind the hole", p + 4 * PAGE);
	rights("the hole", p + 3 * PAGE);
	CALL(mprotect(p + 3 * PAGE, PAGE, PROT_READ));
	CALL(mprotect(p, 0, PROT_READ));
	CALL(mprotect(p + 3 * PAGE, 0, PROT_READ));
	CALL(syscall(SYS_mprotect, p, -1UL, PROT_READ));
	CALL(syscall(SYS_mprotect, p, PAGE, 0x100));
	CALL(syscall(SYS_mprotect, p, PAGE, PROT_READ | 8 /* PROT_SEM */));
	ftruncate(fd, PAGE);
	ro = open("f", O_RDONLY);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0);
	CALL(mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	CALL(mprotect(p, PAGE, PROT_READ | PROT_EXEC));
	p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, ro, 0);
	CALL(mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	rights("private of a file", p);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	CALL(mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	rights("shared of a file", p);
	return 0;
}
