/* prctl(2): PR_SET_PDEATHSIG: when it comes, and what clears it. */
#include "abi.h"

#include <sys/prctl.h>

static int reports[2];

static void on_signal(int signal)
{
	char c = (char)('0' + signal % 10);

	write(reports[1], &c, 1);
	_exit(0);
}

static void grandchild(int when)
{
	int ready[2];
	char c = '-';
	pid_t parent = getpid();

	pipe(ready);
	if (!fork()) {

		signal(SIGUSR1, on_signal);
		if (when == 1)
			prctl(PR_SET_PDEATHSIG, SIGUSR1);
		if (when == 2) {
			prctl(PR_SET_PDEATHSIG, SIGUSR1);
			prctl(PR_SET_PDEATHSIG, 0);
		}
		if (when == 3 && !fork()) /* not inherited */
			when = 0;
		else if (when == 3)
			pause();
		write(ready[1], "r", 1);
		if (when == 1)
			for (;;)
				pause();
		while (getppid() == parent)
			usleep(1000);
		let_others_run(); /* for a signal, which must not come */
		write(reports[1], &c, 1);
		_exit(0);
	}
	read(ready[0], &c, 1);
	_exit(0);
}

static void run(const char *name, int when)
{
	char c = '?';
	pid_t pid;

	pid = fork();
	if (!pid)
		grandchild(when);
	waitpid(pid, NULL, 0);
	read(reports[0], &c, 1);
	show("%s: %c", name, c);
}

int main(void)
{
	int value = -1;

	pipe(reports);
	CALL(prctl(PR_SET_PDEATHSIG, 65));
	CALL(prctl(PR_SET_PDEATHSIG, -1));
	CALL(prctl(PR_SET_PDEATHSIG, SIGUSR2));
	CALL(prctl(PR_GET_PDEATHSIG, &value));
	show("%d", value == SIGUSR2);
	if (!fork()) {
		prctl(PR_GET_PDEATHSIG, &value);
		show("in a child: %d", value);
		_exit(0);
	}
	wait(NULL);
	setuid(65534);
	prctl(PR_GET_PDEATHSIG, &value);
	show("after a change of the user: %d", value);
	CALL(prctl(PR_GET_PDEATHSIG, 1));
	run("set", 1);
	run("not set", 0);
	run("cleared", 2);
	return 0;
}
