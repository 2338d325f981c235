/* fork(2) of a process with much memory ends, although signals come more often than it takes. */
#include "abi.h"

#define AREAS    8192
#define PAGE     4096
#define PATIENCE 200 /* signals during one call */

static volatile int signals;

static void count(int sig)
{
	static const char text[] = "fork does not end\n";

	if (++signals < PATIENCE)
		return;
	write(1, text, sizeof(text) - 1);
	_exit(1);
}

int main(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, off = { 0 };
	char *memory = mmap(NULL, 2UL * AREAS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < AREAS; i++) {
		memory[2 * i * PAGE] = 1;
		mprotect(memory + 2 * i * PAGE, PAGE, PROT_READ);
	}
	signal(SIGALRM, count);
	for (int i = 0; i < 3; i++) {
		int status = 0;
		pid_t pid;

		signals = 0;
		setitimer(ITIMER_REAL, &often, NULL);
		pid = (pid_t)syscall(SYS_fork); /* that of a C library may block all signals */
		setitimer(ITIMER_REAL, &off, NULL);
		if (!pid)
			_exit(7);
		while (waitpid(pid, &status, 0) < 0)
			;
		show_status("child", status);
	}
	return 0;
}
