/* kill(2) finds a process while a thread of it, which is not its leader, calls exec. */
#include "abi.h"

#include <pthread.h>

#define EXECS 60

static char left[16];

static void *execs(void *unused)
{
	execl("/proc/self/exe", "again", left, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	long missed = 0, calls = 0;
	pid_t pid;

	if (argc > 1) {
		pthread_t t;

		if (!atoi(argv[1]))
			return 5;
		snprintf(left, sizeof(left), "%d", atoi(argv[1]) - 1);
		pthread_create(&t, NULL, execs, NULL);
		for (;;)
			pause();
	}
	pid = fork();
	if (!pid) {
		snprintf(left, sizeof(left), "%d", EXECS);
		execs(NULL);
	}
	/* Also a process that has ended is found, until it is waited for. */
	do {
		for (int i = 0; i < 200; i++, calls++)
			missed += kill(pid, SIGWINCH) != 0;
	} while (!waitpid(pid, NULL, WNOHANG));
	TRUTH(calls > 0);
	show("calls that did not find it: %ld", missed);
	return 0;
}
