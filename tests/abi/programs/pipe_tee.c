/* tee(2): copies what a pipe holds without consuming it. */
#include "abi.h"

static int p[2], q[2];

static void content(const char *what, int fd)
{
	char buf[64] = "";
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	if (n < 0)
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %zd \"%s\"", what, n, buf);
}

int main(void)
{
	static char block[65536];
	int file = open("f", O_RDWR | O_CREAT, 0644), status;
	pid_t pid;
	char c;

	pipe2(p, O_NONBLOCK);
	pipe2(q, O_NONBLOCK);
	CALL(tee(p[0], q[1], 10, 0));
	CALL(tee(p[0], q[1], 10, SPLICE_F_NONBLOCK));
	write(p[1], "one ", 4);
	write(p[1], "two ", 4);
	CALL(tee(p[0], q[1], 6, 0));
	content("q", q[0]);
	CALL(tee(p[0], q[1], 100, 0));
	CALL(tee(p[0], q[1], 3, 0));
	content("p", p[0]);
	content("q", q[0]);
	content("p", p[0]);
	CALL(tee(p[0], q[1], 0, 0));
	CALL(tee(p[0], p[1], 1, 0));
	CALL(tee(p[0], q[1], 1, 0x40));
	CALL(tee(p[1], q[1], 1, 0));
	CALL(tee(p[0], q[0], 1, 0));
	CALL(tee(p[0], file, 1, 0));
	CALL(tee(file, q[1], 1, 0));
	CALL(tee(99, q[1], 1, 0));
	CALL(tee(p[0], 99, 1, 0));

	/* A full target. */
	while (write(q[1], block, sizeof(block)) > 0)
		;
	write(p[1], "x", 1);
	CALL(tee(p[0], q[1], 1, SPLICE_F_NONBLOCK));
	while (read(q[0], block, sizeof(block)) > 0)
		;
	CALL(tee(p[0], q[1], 1, SPLICE_F_NONBLOCK));
	content("q", q[0]);
	content("p", p[0]);

	/* Without O_NONBLOCK it waits for something to copy. */
	fcntl(p[0], F_SETFL, 0);
	CALL(tee(p[0], q[1], 1, SPLICE_F_NONBLOCK));
	pid = fork();
	if (!pid) {
		usleep(20000);
		write(p[1], "late", 4);
		_exit(0);
	}
	CALL(tee(p[0], q[1], 10, 0));
	waitpid(pid, &status, 0);
	content("q", q[0]);
	content("p", p[0]);

	/* The ends. */
	close(p[1]);
	CALL(tee(p[0], q[1], 1, 0));
	pipe(p);
	write(p[1], "x", 1);
	close(q[0]);
	signal(SIGPIPE, SIG_IGN);
	CALL(tee(p[0], q[1], 1, 0));
	CALL(read(p[0], &c, 1));
	return 0;
}
