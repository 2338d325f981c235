/* RLIMIT_AS and RLIMIT_DATA for mmap(2), brk(2), mremap(2), mprotect(2) and the stack. */
#include "abi.h"

#define PAGE 4096UL
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)
#define MIB (1UL << 20)

static unsigned long kb_of(const char *name)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kb = 0;
	char line[128];

	while (fgets(line, sizeof(line), status))
		if (!strncmp(line, name, strlen(name)))
			kb = strtoul(line + strlen(name) + 1, NULL, 10);
	fclose(status);
	return kb;
}

static void address_space(void)
{
	unsigned long now = kb_of("VmSize") * 1024;
	char *p;

	setrlimit(RLIMIT_AS, &(struct rlimit){ now + 4 * MIB, now + 4 * MIB });
	p = mmap(NULL, 2 * MIB, PROT_NONE, ANON, -1, 0);
	TRUTH(p != MAP_FAILED);
	OK(mmap(NULL, 3 * MIB, PROT_NONE, ANON, -1, 0));
	show("in the place of the other: %d", mmap(p, 2 * MIB, PROT_READ, ANON | MAP_FIXED, -1, 0) == p);
	OK(mremap(p, 2 * MIB, 5 * MIB, MREMAP_MAYMOVE));
	p = mremap(p, 2 * MIB, 3 * MIB, MREMAP_MAYMOVE);
	TRUTH(p != MAP_FAILED);
	/* What is replaced does not count. */
	show("in the place of the other: %d", mmap(p, 3 * MIB, PROT_READ, ANON | MAP_FIXED, -1, 0) == p);
	show("a larger one: %d", mmap(p - 2 * MIB, 5 * MIB, PROT_READ, ANON | MAP_FIXED, -1, 0) == p - 2 * MIB);
	OK(fork() ? 1 : (_exit(0), 0));
	wait(NULL);
	TRUTH(syscall(SYS_brk, syscall(SYS_brk, 0) + 8 * MIB) == syscall(SYS_brk, 0));
}

static void data(void)
{
	unsigned long now = kb_of("VmData") * 1024, end;
	char *p;

	setrlimit(RLIMIT_DATA, &(struct rlimit){ now + 4 * MIB, now + 4 * MIB });
	OK(mmap(NULL, 8 * MIB, PROT_READ, ANON, -1, 0));
	OK(mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	OK(mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, ANON, -1, 0));
	p = mmap(NULL, 8 * MIB, PROT_READ, ANON, -1, 0);
	CALL(mprotect(p, 8 * MIB, PROT_READ | PROT_WRITE));
	CALL(mprotect(p, 2 * MIB, PROT_READ | PROT_WRITE));
	CALL(mprotect(p + 2 * MIB, 4 * MIB, PROT_READ | PROT_WRITE));
	end = (unsigned long)syscall(SYS_brk, 0);
	show("brk refused: %d", (unsigned long)syscall(SYS_brk, end + 5 * MIB) == end);
	show("brk: %d", (unsigned long)syscall(SYS_brk, end + MIB) == end + MIB);
	*(char *)(end + MIB - 1) = 1;
	show("brk back: %d", (unsigned long)syscall(SYS_brk, end) == end);
	show("and up: %d", (unsigned long)syscall(SYS_brk, end + MIB) == end + MIB);
	show("zero again: %d", *(char *)(end + MIB - 1));
	show("below the start: %d", (unsigned long)syscall(SYS_brk, 4096) == end + MIB);
}

int main(void)
{
	CHILD(address_space);
	CHILD(data);
	return 0;
}
