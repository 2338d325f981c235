/* pipe(7): room, atomic writes, partial writes without waiting, FIONREAD, the end of file, SIGPIPE. */
#include "abi.h"

static int got;

static void on_pipe(int sig)
{
	got++;
}

static int waiting(int fd)
{
	int n = -1;

	ioctl(fd, FIONREAD, &n);
	return n;
}

int main(void)
{
	static char data[200000];
	int p[2];

	signal(SIGPIPE, on_pipe);
	CALL(pipe2(p, O_NONBLOCK));
	CALL(fcntl(p[0], F_GETPIPE_SZ));
	CALL(write(p[1], data, 65536));
	CALL(write(p[1], data, 1));
	CALL(read(p[0], data, 4096));
	CALL(write(p[1], data, 1));
	CALL(write(p[1], data, 4095));
	CALL(read(p[0], data, 4096));
	CALL(write(p[1], data, 4096));
	CALL(read(p[0], data, 8192));
	CALL(write(p[1], data, 200000));
	show("waiting %d", waiting(p[0]));
	CALL(read(p[0], data, 200000));
	CALL(read(p[0], data, 1));
	CALL(write(p[1], data, 200000));
	CALL(read(p[1], data, 1));
	CALL(write(p[0], data, 1));
	CALL(write(p[1], data, 0));
	CALL(read(p[0], data, 0));
	CALL(read(p[0], (void *)8, 10));
	close(p[1]);
	CALL(read(p[0], data, 200000));
	CALL(read(p[0], data, 1));
	show("waiting %d", waiting(p[0]));
	CALL(pipe(p));
	CALL(write(p[1], "left", 4));
	close(p[0]);
	CALL(write(p[1], data, 1));
	show("signals %d", got);
	CALL(write(p[1], data, 0));
	signal(SIGPIPE, SIG_IGN);
	CALL(write(p[1], data, 1));
	CALL(fcntl(p[1], F_SETFL, O_NONBLOCK));
	show("flags %x", fcntl(p[1], F_GETFL));
	return 0;
}
