/* close_range(2): ranges, CLOSE_RANGE_CLOEXEC, CLOSE_RANGE_UNSHARE, errors. */
#include "abi.h"
#include <pthread.h>

#define CLOSE_RANGE(a, b, flags) report("close_range(" #a ", " #b ", " #flags ")", syscall(436, a, b, flags))

static void which(const char *what)
{
	char line[200] = "";

	for (int fd = 3; fd < 64; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			sprintf(line + strlen(line), " %d%s", fd, flags ? "c" : "");
	}
	show("%s:%s", what, line);
}

static void *unshares(void *arg)
{
	CLOSE_RANGE(10U, 20U, 2U);
	which("in the thread");
	return NULL;
}

static void fill(void)
{
	for (int fd = 10; fd < 16; fd++)
		dup2(0, fd);
	dup2(0, 40);
}

int main(void)
{
	pthread_t thread;

	for (int fd = 3; fd < 64; fd++)
		close(fd);
	fill();
	which("before");
	CLOSE_RANGE(11U, 12U, 0U);
	which("middle");
	CLOSE_RANGE(11U, 12U, 0U);
	CLOSE_RANGE(15U, ~0U, 4U);
	which("close on exec");
	CLOSE_RANGE(40U, ~0U, 0U);
	which("the end");
	CLOSE_RANGE(14U, 13U, 0U);
	CLOSE_RANGE(13U, 13U, 1U);
	CLOSE_RANGE(13U, 13U, 8U);
	CLOSE_RANGE(100U, 200U, 0U);
	CLOSE_RANGE(100U, 200U, 4U);
	which("after");
	fill();
	pthread_create(&thread, NULL, unshares, NULL);
	pthread_join(thread, NULL);
	which("in the leader");
	CLOSE_RANGE(3U, ~0U, 6U);
	which("unshared, close on exec");
	CLOSE_RANGE(3U, ~0U, 2U);
	which("none");
	return 0;
}
