/* RLIMIT_FSIZE: short writes, SIGXFSZ, truncate and fallocate. */
#include "abi.h"

static int got;

static void handler(int sig)
{
	got = sig;
}

static void dies(void)
{
	int fd = open("g", O_WRONLY | O_CREAT, 0644);

	signal(SIGXFSZ, SIG_DFL);
	pwrite(fd, "x", 1, 1000);
}

int main(void)
{
	struct rlimit limit = { 1000, RLIM_INFINITY };
	static char data[2000];
	int fd = open("f", O_RDWR | O_CREAT, 0644);

	signal(SIGXFSZ, handler);
	setrlimit(RLIMIT_FSIZE, &limit);
	CALL(write(fd, data, 900));
	CALL(write(fd, data, 200));
	show("signal %d", got);
	CALL(write(fd, data, 1));
	show("signal %d", got);
	got = 0;
	CALL(ftruncate(fd, 1001));
	show("signal %d", got);
	got = 0;
	CALL(ftruncate(fd, 1000));
	CALL(truncate("f", 2000));
	show("signal %d", got);
	got = 0;
	CALL(fallocate(fd, 0, 0, 1001));
	show("signal %d", got);
	CALL(pwrite(fd, data, 1, 999));
	CALL(pwrite(fd, data, 0, 5000));
	CALL(write(open("/dev/null", O_WRONLY), data, 2000));
	CHILD(dies);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	CALL(pwrite(fd, data, 1, 0));
	return 0;
}
