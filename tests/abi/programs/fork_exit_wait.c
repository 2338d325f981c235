/* fork(2), _exit(2), wait4(2): exit status, who is whose child, what wait says of none. */
#include "abi.h"

static void exits_with_7(void)
{
	_exit(7);
}

static void exits_with_bits_above_8(void)
{
	_exit(0x1234);
}

static void killed(void)
{
	kill(getpid(), SIGKILL);
}

int main(void)
{
	int status, pipefd[2];
	pid_t parent = getpid(), pid, seen;

	CALL(wait4(-1, &status, 0, NULL));
	CALL(waitpid(1, &status, WNOHANG));
	CALL(wait4(-1, &status, 0x40, NULL));
	CHILD(exits_with_7);
	CHILD(exits_with_bits_above_8);
	CHILD(killed);

	pid = fork();
	if (!pid) {
		TRUTH(getppid() == parent);
		TRUTH(getpid() != parent);
		TRUTH(getpgrp() == getpgid(parent));
		_exit(0);
	}
	TRUTH(waitpid(pid, NULL, 0) == pid);

	pipe(pipefd);
	pid = fork();
	if (!pid) {
		char c;

		close(pipefd[1]);
		read(pipefd[0], &c, 1);
		_exit(3);
	}
	CALL(waitpid(-1, &status, WNOHANG));
	close(pipefd[1]);
	seen = waitpid(-1, &status, 0);
	TRUTH(seen == pid);
	show_status("child", status);
	CALL(waitpid(pid, &status, 0));
	return 0;
}
