/* getpriority(2), setpriority(2), nice(2): ranges, rights, RLIMIT_NICE. */
#include "abi.h"

static long get(int which, int who)
{
	return syscall(SYS_getpriority, which, who); /* 40 .. 1 for -20 .. 19 */
}

static void user(void)
{
	setuid(65534);
	CALL(setpriority(PRIO_PROCESS, 0, 5));
	CALL(setpriority(PRIO_PROCESS, 0, 4));
	CALL(setpriority(PRIO_PROCESS, 1, 10));
	CALL(setpriority(PRIO_PROCESS, getppid(), 10));
	CALL(setpriority(PRIO_PROCESS, 0, 100));
	show("%ld", get(PRIO_PROCESS, 0));
	errno = 0;
	show("nice(-1): %d", nice(-1) == -1 && (errno == EPERM || errno == EACCES));
}

static void with_limit(void)
{
	setrlimit(RLIMIT_NICE, &(struct rlimit){ 25, 25 });
	setuid(65534);
	CALL(setpriority(PRIO_PROCESS, 0, -5));
	CALL(setpriority(PRIO_PROCESS, 0, -6));
	CALL(setpriority(PRIO_PROCESS, 0, 10));
	CALL(setpriority(PRIO_PROCESS, 0, -5));
}

static void inherits(void)
{
	setpriority(PRIO_PROCESS, 0, 7);
	if (!fork()) {
		show("child: %ld", get(PRIO_PROCESS, 0));
		_exit(0);
	}
	wait(NULL);
	setpgid(0, 0);
	CALL(setpriority(PRIO_PGRP, 0, 3));
	show("group: %ld", get(PRIO_PGRP, 0));
}

int main(void)
{
	show("%ld", get(PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, -100));
	show("%ld", get(PRIO_PROCESS, 0));
	CALL(setpriority(PRIO_PROCESS, 0, 0));
	CALL(getpriority(3, 0));
	CALL(setpriority(-1, 0, 0));
	CALL(get(PRIO_PROCESS, 999999));
	CALL(setpriority(PRIO_PROCESS, 999999, 0));
	CALL(get(PRIO_USER, 4321));
	CALL(get(PRIO_PGRP, 999999));
	CHILD(user);
	CHILD(with_limit);
	CHILD(inherits);
	return 0;
}
