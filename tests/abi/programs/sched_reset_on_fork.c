/* SCHED_RESET_ON_FORK: what a child gets; what an unprivileged task may change of its policy. */
#include "abi.h"

#include <sched.h>

#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif
#define RESET 1 /* in sched_flags */

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

static long set_attr(unsigned policy, int nice, unsigned long flags)
{
	struct attr attr = { .size = sizeof(attr), .policy = policy, .nice = nice, .flags = flags };

	return syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void show_policy(void)
{
	struct sched_param param = { 0 };

	syscall(SYS_sched_getparam, 0, &param);
	show("policy %lx priority %d nice %ld", syscall(SYS_sched_getscheduler, 0), param.sched_priority,
	     20 - syscall(SYS_getpriority, PRIO_PROCESS, 0));
}

static int policy, priority, nice_value;

static void parent(void)
{
	setpriority(PRIO_PROCESS, 0, nice_value);
	set(policy | SCHED_RESET_ON_FORK, priority);
	show_policy();
	CHILD(show_policy);
}

static void inherit(int its_policy, int its_priority, int its_nice)
{
	policy = its_policy;
	priority = its_priority;
	nice_value = its_nice;
	CHILD(parent);
}

static void become_user(void)
{
	syscall(SYS_setresuid, 1000, 1000, 1000);
}

static void user_keeps_the_flag(void)
{
	CALL(set(SCHED_OTHER | SCHED_RESET_ON_FORK, 0));
	become_user();
	CALL(set(SCHED_OTHER, 0));
	CALL(set(SCHED_BATCH, 0));
	CALL(set_attr(SCHED_OTHER, 0, 0));
	CALL(set_attr(SCHED_OTHER, 3, RESET));
	CALL(set(SCHED_BATCH | SCHED_RESET_ON_FORK, 0));
	CALL(syscall(SYS_sched_setparam, 0, &(struct sched_param){ 0 }));
	show_policy();
}

static void user_sets_the_flag(void)
{
	become_user();
	CALL(set(SCHED_OTHER | SCHED_RESET_ON_FORK, 0));
	CALL(set(SCHED_OTHER, 0));
	show_policy();
}

static void user_stays_idle(void)
{
	CALL(set(SCHED_IDLE, 0));
	become_user();
	CALL(set(SCHED_OTHER, 0));
	CALL(set(SCHED_BATCH, 0));
	CALL(set_attr(SCHED_OTHER, 5, 0));
	CALL(set(SCHED_IDLE, 0));
	show_policy();
}

static void limit_lets_user_leave(void)
{
	struct rlimit limit = { 20, 20 };

	CALL(set(SCHED_IDLE, 0));
	CALL(setrlimit(RLIMIT_NICE, &limit));
	become_user();
	CALL(set(SCHED_OTHER, 0));
	show_policy();
}

static void attributes(void)
{
	CALL(set_attr(SCHED_OTHER | SCHED_RESET_ON_FORK, 0, 0));
	CALL(set_attr(SCHED_BATCH, 4, RESET));
	show_policy();
	CALL(set_attr(SCHED_IDLE, 7, 0));
	show_policy();
	CALL(set_attr(SCHED_OTHER, 2, 0));
	show_policy();
}

int main(void)
{
	inherit(SCHED_RR, 7, 5);
	inherit(SCHED_FIFO, 7, -5);
	inherit(SCHED_OTHER, 0, 5);
	inherit(SCHED_OTHER, 0, -5);
	inherit(SCHED_BATCH, 0, -5);
	inherit(SCHED_IDLE, 0, 3);
	CHILD(user_keeps_the_flag);
	CHILD(user_sets_the_flag);
	CHILD(user_stays_idle);
	CHILD(limit_lets_user_leave);
	CHILD(attributes);
	return 0;
}
