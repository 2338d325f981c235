/* close_range(2): which descriptors it closes or marks, and its errors. */
#include "abi.h"

#define close_range(first, last, flags) syscall(SYS_close_range, first, last, flags)
#define UNSHARE 2U
#define CLOEXEC 4U

static void open_some(void)
{
	for (int fd = 10; fd < 20; fd++)
		if (fd != 14)
			dup2(0, fd);
}

static void state(const char *when)
{
	char line[11] = { 0 };

	for (int i = 0; i < 10; i++) {
		int flags = fcntl(10 + i, F_GETFD);

		line[i] = flags < 0 ? '-' : flags & FD_CLOEXEC ? 'x' : 'o';
	}
	show("%s: %s", when, line);
}

static void unshared(void)
{
	int status;
	pid_t pid;

	open_some();
	pid = syscall(SYS_clone, 0x400 | SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		_exit(close_range(10, 30, UNSHARE) != 0);
	}
	waitpid(pid, &status, 0);
	show_status("child with the same table", status);
	state("parent");
}

int main(void)
{
	open_some();
	state("before");
	CALL(close_range(12, 15, 0));
	state("12 to 15 closed");
	CALL(close_range(12, 15, 0));
	CALL(close_range(16, 17, CLOEXEC));
	state("16 and 17 marked");
	CALL(close_range(11, 10, 0));
	CALL(close_range(10, 11, 1));
	CALL(close_range(10, 11, 8));
	state("after errors");
	CALL(close_range(18, ~0U, 0));
	state("18 to the end");
	CALL(close_range(10, ~0U, UNSHARE));
	state("all");
	unshared();
	return 0;
}
