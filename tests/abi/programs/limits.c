/* getrlimit(2), setrlimit(2), prlimit(2): the rules, and what some limits do. getpriority(2). */
#include "abi.h"

static void print(const char *name, int resource)
{
	struct rlimit limit = { 1, 1 };

	if (getrlimit(resource, &limit))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %ld %ld", name, (long)limit.rlim_cur, (long)limit.rlim_max);
}

static void set(int resource, long soft, long hard)
{
	struct rlimit limit = { (rlim_t)soft, (rlim_t)hard };

	show("setrlimit(%d, %ld, %ld): %s", resource, soft, hard, setrlimit(resource, &limit) ? error_name(errno) : "ok");
}

static void as_user(void)
{
	setresuid(1000, 1000, 1000);
	set(RLIMIT_NOFILE, 100, 200);
	set(RLIMIT_NOFILE, 200, 200);
	set(RLIMIT_NOFILE, 201, 200);
	set(RLIMIT_NOFILE, 100, 201);
	set(RLIMIT_NOFILE, 50, 100);
	print("NOFILE", RLIMIT_NOFILE);
}

static void address_space(void)
{
	set(RLIMIT_AS, 64 << 20, 64 << 20);
	CALL(mmap(NULL, 1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	TRUTH(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static int deep(int n)
{
	volatile char page[4096];

	page[0] = (char)n;
	return n ? deep(n - 1) + page[0] : 0;
}

static void stack(void)
{
	set(RLIMIT_STACK, 256 << 10, 256 << 10);
	show("%d", deep(20) != 1);
	deep(400);
}

static void processes(void)
{
	setresuid(4321, 4321, 4321);
	set(RLIMIT_NPROC, 1, 1);
	CALL(fork());
}

int main(void)
{
	struct rlimit old;

	print("STACK", RLIMIT_STACK);
	print("CORE", RLIMIT_CORE);
	print("FSIZE", RLIMIT_FSIZE);
	print("DATA", RLIMIT_DATA);
	print("CPU", RLIMIT_CPU);
	print("AS", RLIMIT_AS);
	print("NICE", RLIMIT_NICE);
	print("RTPRIO", RLIMIT_RTPRIO);
	print("16", 16);
	set(16, 1, 1);
	set(RLIMIT_CORE, 2, 1);
	CALL(prlimit(0, RLIMIT_CORE, NULL, &old));
	CALL(prlimit(getpid(), RLIMIT_CORE, &old, NULL));
	CALL(prlimit(0x3ffffff, RLIMIT_CORE, NULL, &old));
	CALL(syscall(SYS_prlimit64, 0, RLIMIT_CORE, 8, NULL));
	CHILD(as_user);
	CHILD(address_space);
	CHILD(stack);
	CHILD(processes);
	CALL(getpriority(PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, 40));
	CALL(getpriority(PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, -5));
	CALL(getpriority(PRIO_PROCESS, 0));
	CALL(nice(3));
	CALL(getpriority(9, 0));
	CALL(getpriority(PRIO_PROCESS, 0x3ffffff));
	return 0;
}
