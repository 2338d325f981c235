/* getrlimit(2), setrlimit(2), prlimit(2), and what the limits forbid. */
#include "abi.h"

static void rules(void)
{
	struct rlimit limit = { 10, 20 }, old;

	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	CALL(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &old));
	show("%lu %lu", (unsigned long)old.rlim_cur, (unsigned long)old.rlim_max);
	limit = (struct rlimit){ 21, 20 };
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	limit = (struct rlimit){ 1, 1UL << 40 };
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	CALL(syscall(SYS_getrlimit, 16, &limit));
	CALL(syscall(SYS_setrlimit, 99, &limit));
	CALL(syscall(SYS_getrlimit, RLIMIT_CPU, 8));
	CALL(syscall(SYS_prlimit64, 999999, RLIMIT_NOFILE, NULL, &old));
	CALL(syscall(SYS_prlimit64, -1, RLIMIT_NOFILE, NULL, &old));
	limit = (struct rlimit){ 5, 20 };
	CALL(syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, &limit, &old));
	show("%lu %lu", (unsigned long)old.rlim_cur, (unsigned long)old.rlim_max);
	CALL(syscall(SYS_setresuid, 1000, 1000, 1000));
	limit = (struct rlimit){ 20, 20 };
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	limit = (struct rlimit){ 5, 21 };
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	limit = (struct rlimit){ 5, 6 };
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	CALL(syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, &old));
}

static void processes(void)
{
	struct rlimit limit = { 4, 4 };
	int count = 0;

	setrlimit(RLIMIT_NPROC, &limit);
	syscall(SYS_setresuid, 12345, 12345, 12345);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			pause();
			_exit(0);
		}
		if (pid < 0)
			break;
		count++;
	}
	show("%d children, then %s", count, error_name(errno));
	signal(SIGTERM, SIG_IGN);
	kill(-1, SIGTERM);
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	if (!fork())
		_exit(0);
	TRUTH(waitpid(-1, NULL, 0) > 0);
}

static void inherited(void)
{
	struct rlimit limit = { 77, 78 }, got;

	setrlimit(RLIMIT_CORE, &limit);
	if (!fork()) {
		getrlimit(RLIMIT_CORE, &got);
		show("child: %lu %lu", (unsigned long)got.rlim_cur, (unsigned long)got.rlim_max);
		_exit(0);
	}
	waitpid(-1, NULL, 0);
}

int main(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_STACK, &limit);
	show("stack %lu %d", (unsigned long)limit.rlim_cur, limit.rlim_max == RLIM_INFINITY);
	getrlimit(RLIMIT_CPU, &limit);
	show("cpu %d %d", limit.rlim_cur == RLIM_INFINITY, limit.rlim_max == RLIM_INFINITY);
	getrlimit(RLIMIT_NICE, &limit);
	show("nice %lu %lu", (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
	CHILD(rules);
	CHILD(processes);
	CHILD(inherited);
	return 0;
}
