/* sched_setaffinity(2): CPUs that exist, sizes of the mask, other tasks, and where the task then runs. */
#include "abi.h"

#include <sched.h>

static void other(void)
{
	unsigned long mask = 1;

	setuid(65534);
	CALL(syscall(SYS_sched_setaffinity, getppid(), 8, &mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 8, &mask));
	TRUTH(syscall(SYS_sched_getaffinity, getppid(), 8, &mask) == 8 || errno == EINVAL);
}

static void child(void)
{
	unsigned long mask[16] = { 0 };

	syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	show("inherited %lx", mask[0]);
}

int main(void)
{
	unsigned long mask[16] = { 0 }, all;
	unsigned cpu = 99;
	long n;

	n = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	TRUTH(n >= 8 && n % 8 == 0 && (mask[0] & 1));
	all = mask[0];
	mask[0] = 1;
	CALL(syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask));
	syscall(SYS_getcpu, &cpu, NULL, NULL);
	show("cpu %u", cpu);
	CHILD(child);
	mask[0] = 1UL << 63;
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	mask[0] = 0;
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	mask[0] = (1UL << 63) | 1;
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	show("%lx", mask[0]);
	mask[0] = all;
	CALL(syscall(SYS_sched_setaffinity, 0, 1, mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 0, mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 8, 8));
	CALL(syscall(SYS_sched_getaffinity, 0, 4, mask));
	CALL(syscall(SYS_sched_getaffinity, 0, 12, mask));
	CALL(syscall(SYS_sched_getaffinity, 0x3fffffff, 8, mask));
	CALL(syscall(SYS_sched_setaffinity, 0x3fffffff, 8, mask));
	CHILD(other);
	return 0;
}
