/* mlock(2), mlockall(2), MAP_LOCKED: the limits of a user, and VmLck of /proc/self/status. */
#include "abi.h"

#define PAGE 4096UL

static char *p;

static void locked(const char *when)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[128];

	while (fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmLck:", 6))
			show("%s: %ld kB", when, strtol(line + 6, NULL, 10));
	fclose(status);
}

static void limit(rlim_t bytes)
{
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ bytes, bytes });
}

static void user(void)
{
	limit(4 * PAGE);
	setuid(65534);
	CALL(mlock(p, 2 * PAGE));
	CALL(mlock(p + PAGE, 3 * PAGE));
	locked("four pages");
	CALL(mlock(p + 4 * PAGE, PAGE));
	CALL(munlock(p, PAGE));
	CALL(mlock(p + 4 * PAGE, PAGE));
	CALL(mlockall(MCL_CURRENT));
	CALL(munlock(p, 8 * PAGE));
	locked("none");
	OK(mmap(NULL, 5 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
	OK(mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
	/* musl makes ENOMEM of EPERM. */
	OK(syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
}

static void nothing_allowed(void)
{
	limit(0);
	setuid(65534);
	CALL(mlock(p, PAGE));
	CALL(mlock(p, 0));
	CALL(mlockall(MCL_FUTURE));
	CALL(munlock(p, PAGE));
	CALL(munlockall());
	/* musl makes ENOMEM of EPERM. */
	OK(syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0));
}

static void root(void)
{
	unsigned char there[2];

	limit(PAGE);
	CALL(mlock(p, 8 * PAGE));
	locked("root");
	mincore(p, 2 * PAGE, there);
	show("present: %d %d", there[0] & 1, there[1] & 1);
	CALL(mlock(p + 1, 1));
	CALL(munlock(p, 8 * PAGE));
	CALL(mlock(p, 16 * PAGE));
	locked("up to the hole");
	CALL(syscall(SYS_mlock, p, -1UL - 2 * PAGE));
	CALL(syscall(SYS_mlock2, p, PAGE, 2));
	CALL(syscall(SYS_mlock2, p + 2 * PAGE, PAGE, 1));
	CALL(mlockall(0));
	CALL(mlockall(8));
	CALL(mlockall(4));
	CALL(munlockall());
	locked("all unlocked");
	CALL(mlockall(MCL_FUTURE));
	p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mincore(p, 2 * PAGE, there);
	show("new area: %d %d", there[0] & 1, there[1] & 1);
}

static unsigned present(const char *at, int pages)
{
	unsigned char there[8];
	unsigned sum = 0;

	mincore((void *)at, (size_t)pages * PAGE, there);
	for (int i = 0; i < pages; i++)
		sum += there[i] & 1;
	return sum;
}

/* Pages that cannot be there are an error of mlock(2), and keep no other page away. */
static void missing_pages(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644);
	char *above = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *file, *none;

	ftruncate(fd, PAGE);
	file = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	none = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TRUTH(above > file && file > none);
	CALL(mlock(none, PAGE));
	CALL(mlock(file, 4 * PAGE));
	show("of the file: %u", present(file, 1));
	locked("both");
	CALL(munlock(none, PAGE));
	show("above: %u", present(above, 4));
	CALL(mlockall(MCL_CURRENT));
	show("above: %u", present(above, 4));
}

static int deep(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	return n ? deep(n - 1) + frame[0] : 0;
}

/* Root may lock more than the limit: also a stack that grows. */
static void stack_of_root(void)
{
	limit(PAGE);
	CALL(mlockall(MCL_CURRENT | MCL_FUTURE));
	deep(100);
	show("the stack has grown");
}

int main(void)
{
	p = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 8 * PAGE, PAGE);
	CHILD(user);
	CHILD(nothing_allowed);
	CHILD(root);
	CHILD(missing_pages);
	CHILD(stack_of_root);
	return 0;
}
