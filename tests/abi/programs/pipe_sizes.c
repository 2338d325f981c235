/* F_SETPIPE_SZ and F_GETPIPE_SZ: rounding, limits, a pipe that is not empty. */
#include "abi.h"

static int p[2];

static int fill(void)
{
	static char page[4096];
	int n = 0;

	while (write(p[1], page, sizeof(page)) == (ssize_t)sizeof(page))
		n++;
	return n;
}

static void empty(void)
{
	static char block[65536];

	while (read(p[0], block, sizeof(block)) > 0)
		;
}

int main(void)
{
	int null = open("/dev/null", O_RDWR), file = open("f", O_RDWR | O_CREAT, 0600), fifo;

	pipe2(p, O_NONBLOCK);
	CALL(fcntl(p[0], F_GETPIPE_SZ));
	show("%d pages", fill());
	empty();
	CALL(fcntl(p[0], F_SETPIPE_SZ, 1));
	CALL(fcntl(p[1], F_GETPIPE_SZ));
	show("%d pages", fill());
	empty();
	CALL(fcntl(p[1], F_SETPIPE_SZ, 5000));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 8193));
	show("%d pages", fill());
	CALL(fcntl(p[1], F_SETPIPE_SZ, 4096));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 32768));
	show("%d pages more", fill());
	empty();
	CALL(fcntl(p[1], F_SETPIPE_SZ, 1048576));
	show("%d pages", fill());
	empty();
	CALL(fcntl(p[1], F_SETPIPE_SZ, 1048577));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 0));
	CALL(fcntl(p[1], F_SETPIPE_SZ, -1));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 0x7fffffff));
	CALL(fcntl(null, F_GETPIPE_SZ));
	CALL(fcntl(file, F_GETPIPE_SZ));
	CALL(fcntl(file, F_SETPIPE_SZ, 4096));
	CALL(mkfifo("fifo", 0600));
	fifo = open("fifo", O_RDWR);
	CALL(fcntl(fifo, F_GETPIPE_SZ));
	CALL(fcntl(fifo, F_SETPIPE_SZ, 8192));
	CALL(fcntl(fifo, F_GETPIPE_SZ));
	CALL(fcntl(open("fifo", O_PATH), F_GETPIPE_SZ));

	/* A user may not go beyond /proc/sys/fs/pipe-max-size. */
	setresuid(1000, 1000, 1000);
	CALL(fcntl(p[1], F_SETPIPE_SZ, 65536));
	CALL(fcntl(p[1], F_SETPIPE_SZ, 2097152));
	CALL(fcntl(p[1], F_GETPIPE_SZ));
	return 0;
}
