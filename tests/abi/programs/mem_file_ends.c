/* Mappings and the end of the file: SIGBUS behind it, zeros up to the page's end, truncate(2). */
#include "abi.h"

#include <setjmp.h>

#define PAGE 4096UL

static sigjmp_buf back;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	siglongjmp(back, signal * 100 + info->si_code);
}

static void touch(const char *name, char *p, int write)
{
	int fault = sigsetjmp(back, 1);

	if (fault)
		show("%s: signal %d code %d", name, fault / 100, fault % 100);
	else if (write)
		*(volatile char *)p = 'w';
	else
		show("%s: %d", name, *(volatile char *)p);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	int fd = open("f", O_RDWR | O_CREAT, 0600), zero = open("/dev/zero", O_RDWR);
	char *shared, *private, *beyond, byte;

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	write(fd, "0123456789", 10);
	shared = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	touch("last byte", shared + 9, 0);
	touch("behind the end, same page", shared + 10, 0);
	touch("next page", shared + PAGE, 0);
	touch("next page, private", private + PAGE, 1);
	shared[20] = 'x';
	show("written behind the end: size %ld", (long)lseek(fd, 0, SEEK_END));
	ftruncate(fd, 2 * PAGE);
	touch("after growing", shared + PAGE, 0);
	private[PAGE] = 'p';
	pwrite(fd, "q", 1, 0);
	show("private sees a write of the file where it has not written: %c", private[0]);
	private[1] = 'r';
	pwrite(fd, "s", 1, 0);
	show("and not where it has: %c, shared %c", private[0], shared[0]);
	ftruncate(fd, 5);
	touch("shared after truncation", shared + PAGE, 0);
	touch("private after truncation", private + PAGE, 0);
	touch("private in the kept page", private + 1, 0);
	ftruncate(fd, 100);
	pread(fd, &byte, 1, 20);
	show("the cut byte comes back as %d", byte);
	beyond = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 16 * (long)PAGE);
	TRUTH(beyond != MAP_FAILED);
	touch("mapped beyond the end", beyond, 0);
	CALL(read(fd, beyond, 1));
	CALL(write(fd, beyond, 1));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1));
	OK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, open("f", O_RDONLY), 0));
	OK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, open("f", O_RDONLY), 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, open("f", O_WRONLY), 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, open(".", O_RDONLY), 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, open("f", O_PATH), 0));
	OK(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 99, 0));
	OK(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0));
	OK(mmap(NULL, PAGE, PROT_READ, 3 /* MAP_SHARED_VALIDATE */ | 0x800000, fd, 0));
	close(fd);
	touch("after close", shared, 0);
	unlink("f");
	touch("after unlink", shared, 0);
	return 0;
}
