/* The siginfo_t of SIGCHLD tells how much CPU time the child has used: sigaction(2). */
#include "abi.h"

#include <sys/times.h>

#define TICKS 20 /* of 10 ms */

static long used(void)
{
	struct tms tms;

	times(&tms);
	return tms.tms_utime + tms.tms_stime;
}

static void works(void)
{
	while (used() < TICKS)
		for (volatile int i = 0; i < 1000000; i++)
			;
}

static void works_and_stops(void)
{
	works();
	raise(SIGSTOP);
}

static pid_t start(void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(3);
	}
	return pid;
}

static void look(const sigset_t *set)
{
	siginfo_t info = { 0 };

	sigwaitinfo(set, &info);
	show("code %d status %d", info.si_code, info.si_status);
	TRUTH(info.si_utime + info.si_stime > 0);
	TRUTH(info.si_utime + info.si_stime < 100 * TICKS);
}

int main(void)
{
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start(works);
	look(&set);
	wait(NULL);
	pid = start(works_and_stops);
	look(&set);
	kill(pid, SIGKILL);
	look(&set);
	wait(NULL);
	return 0;
}
