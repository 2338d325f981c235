/* The system calls of the scheduler: policies, priorities, nice, affinity. */
#include "abi.h"
#include <sched.h>

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

static long set(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return syscall(SYS_sched_setscheduler, 0, policy, &param);
}

static void policies(void)
{
	struct sched_param param = { .sched_priority = -1 };
	struct attr attr = { 0 };
	struct timespec ts;

	CALL(set(SCHED_FIFO, 0));
	CALL(set(SCHED_FIFO, 100));
	CALL(set(SCHED_OTHER, 1));
	CALL(set(4, 0));
	CALL(set(-1, 0));
	CALL(set(99, 0));
	CALL(syscall(SYS_sched_setscheduler, 999999, 0, &param));
	CALL(syscall(SYS_sched_setscheduler, -1, 0, &param));
	CALL(syscall(SYS_sched_setscheduler, 0, 0, NULL));
	CALL(set(SCHED_BATCH, 0));
	CALL(syscall(SYS_sched_getscheduler, 0));
	CALL(set(SCHED_IDLE, 0));
	CALL(syscall(SYS_sched_getscheduler, 0));
	CALL(set(SCHED_RR | SCHED_RESET_ON_FORK, 7));
	CALL(syscall(SYS_sched_getscheduler, 0));
	CALL(syscall(SYS_sched_getparam, 0, &param));
	show("priority %d", param.sched_priority);
	if (!fork()) {
		CALL(syscall(SYS_sched_getscheduler, 0));
		_exit(0);
	}
	waitpid(-1, NULL, 0);
	CALL(set(SCHED_OTHER, 0));
	param.sched_priority = 5;
	CALL(syscall(SYS_sched_setparam, 0, &param));
	CALL(syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0));
	show("size %u policy %u nice %d priority %u", attr.size, attr.policy, attr.nice, attr.priority);
	CALL(syscall(SYS_sched_getattr, 0, &attr, 47, 0));
	CALL(syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 1));
	attr = (struct attr){ .size = sizeof(attr), .policy = SCHED_BATCH, .nice = 4 };
	CALL(syscall(SYS_sched_setattr, 0, &attr, 0));
	CALL(getpriority(PRIO_PROCESS, 0));
	CALL(syscall(SYS_sched_getscheduler, 0));
	attr.size = 20;
	CALL(syscall(SYS_sched_setattr, 0, &attr, 0));
	for (int policy = 0; policy < 8; policy++)
		show("policy %d: %ld to %ld", policy == 6 ? 4 : policy, syscall(SYS_sched_get_priority_min, policy == 6 ? 4 : policy),
		     syscall(SYS_sched_get_priority_max, policy == 6 ? 4 : policy));
	CALL(syscall(SYS_sched_rr_get_interval, 0, &ts));
	CALL(syscall(SYS_sched_rr_get_interval, -1, &ts));
	CALL(syscall(SYS_sched_rr_get_interval, 999999, &ts));
	CALL(sched_yield());
}

static void priorities(void)
{
	CALL(syscall(SYS_getpriority, PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, 100));
	CALL(syscall(SYS_getpriority, PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, -100));
	CALL(syscall(SYS_getpriority, PRIO_PROCESS, 0));
	CALL(syscall(SYS_getpriority, PRIO_PGRP, 0));
	CALL(setpriority(3, 0, 0));
	CALL(setpriority(-1, 0, 0));
	CALL(setpriority(PRIO_PROCESS, 999999, 0));
	CALL(syscall(SYS_getpriority, PRIO_PGRP, 999999));
	setpriority(PRIO_PROCESS, 0, 5);
	syscall(SYS_setresuid, 1000, 1000, 1000);
	CALL(setpriority(PRIO_PROCESS, 0, 4));
	CALL(setpriority(PRIO_PROCESS, 0, 6));
	CALL(setpriority(PRIO_PROCESS, 1, 6));
	CALL(set(SCHED_FIFO, 1));
	CALL(set(SCHED_BATCH, 0));
}

static void affinity(void)
{
	unsigned long mask[16] = { 1 };
	long n;

	n = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	TRUTH(n >= 8 && n % 8 == 0);
	TRUTH(mask[0] & 1);
	CALL(syscall(SYS_sched_getaffinity, 0, 4, mask));
	CALL(syscall(SYS_sched_getaffinity, 0, 0, mask));
	CALL(syscall(SYS_sched_getaffinity, 999999, 8 * 16, mask));
	mask[0] = 1;
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	mask[0] = 0;
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 0, mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 8, 8));
	mask[0] = ~0UL;
	CALL(syscall(SYS_sched_setaffinity, 999999, 8, mask));
	CALL(syscall(SYS_sched_setaffinity, 0, 8, mask));
	syscall(SYS_setresuid, 1000, 1000, 1000);
	CALL(syscall(SYS_sched_setaffinity, 1, 8, mask));
}

static void io_priorities(void)
{
	CALL(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 3));
	CALL(syscall(SYS_ioprio_get, 1, 0));
	CALL(syscall(SYS_ioprio_set, 1, 0, 3));
	CALL(syscall(SYS_ioprio_set, 1, 0, 4 << 13));
	CALL(syscall(SYS_ioprio_set, 4, 0, 0));
	CALL(syscall(SYS_ioprio_set, 1, 999999, 2 << 13));
	CALL(syscall(SYS_ioprio_get, 1, 999999));
}

int main(void)
{
	CHILD(policies);
	CHILD(priorities);
	CHILD(affinity);
	CHILD(io_priorities);
	return 0;
}
