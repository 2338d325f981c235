/* prctl(PR_SET_PDEATHSIG) by a thread that is not the first of its process. */
#include "abi.h"

#include <pthread.h>
#include <sys/prctl.h>

static int said[2];

static void handler(int sig)
{
	show("signal %d", sig);
	write(said[1], "s", 1);
	_exit(0);
}

static void *sets(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	write(*(int *)arg, "r", 1);
	pause();
	return arg;
}

/* The parent ends; a second thread of the child has asked for a signal. */
static void by_another_thread(void)
{
	int ready[2], status;
	pid_t middle;
	char c;

	middle = fork();
	if (!middle) {
		pipe(ready);
		if (!fork()) {
			pthread_t t;

			signal(SIGUSR1, handler);
			pthread_create(&t, NULL, sets, &ready[1]);
			for (;;)
				pause();
		}
		read(ready[0], &c, 1);
		_exit(0);
	}
	waitpid(middle, &status, 0);
	read(said[0], &c, 1);
}

int main(void)
{
	pipe(said);
	by_another_thread();
	return 0;
}
