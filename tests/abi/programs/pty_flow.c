/* tcflow(3) stops and starts the output of a terminal while a program writes: no byte is lost. */
#include "pty.h"

#define TOTAL 300000

static unsigned char byte_at(long at)
{
	return (unsigned char)(at * 7 + at / 251);
}

static void writes(int fd)
{
	unsigned char buf[64];
	long at = 0;

	while (at < TOTAL) {
		ssize_t n = TOTAL - at < (long)sizeof(buf) ? TOTAL - at : (long)sizeof(buf);

		for (ssize_t i = 0; i < n; i++)
			buf[i] = byte_at(at + i);
		n = write(fd, buf, (size_t)n);
		if (n < 0) {
			show("write: %s", error_name(errno));
			_exit(1);
		}
		at += n;
	}
	_exit(0);
}

static void stops_and_starts(int fd)
{
	for (;;) {
		tcflow(fd, TCOOFF);
		tcflow(fd, TCOON);
	}
}

int main(void)
{
	int slave, master = open_pair(&slave), status = 0;
	unsigned char buf[4096];
	struct termios modes;
	pid_t writer, flow;
	long at = 0, wrong = 0;

	tcgetattr(slave, &modes);
	cfmakeraw(&modes);
	tcsetattr(slave, TCSANOW, &modes);
	writer = fork();
	if (!writer)
		writes(slave);
	flow = fork();
	if (!flow)
		stops_and_starts(slave);
	while (at < TOTAL && !wrong) {
		struct pollfd p = { master, POLLIN, 0 };
		ssize_t n;

		if (poll(&p, 1, 10000) != 1)
			break;
		n = read(master, buf, sizeof(buf));
		for (ssize_t i = 0; i < n; i++)
			wrong += buf[i] != byte_at(at + i);
		at += n;
	}
	show("all bytes: %s, wrong ones: %s", at == TOTAL ? "yes" : "no", wrong ? "yes" : "no");
	kill(flow, SIGKILL);
	if (at < TOTAL)
		kill(writer, SIGKILL);
	waitpid(writer, &status, 0);
	show_status("writer", status);
	return 0;
}
