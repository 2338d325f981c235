/* Sockets that only messages in their own queues hold are freed: a pipe inside tells it. */
#include "unix.h"

/* True when the other end of the pipe is closed. */
static int closed(int fd)
{
	char c;
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 200; i++) {
		n = read(fd, &c, 1);
		if (n == 0)
			return 1;
		usleep(5000);
		/* Linux collects when any socket is closed. */
		close(socket(AF_UNIX, SOCK_DGRAM, 0));
	}
	return 0;
}

int main(void)
{
	int s[2], t[2], p[2], l, c;
	char byte;

	/* A socket in its own queue. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	pipe(p);
	send_fds(s[0], "x", 1, &s[1], 1);
	send_fds(s[0], "x", 1, &p[1], 1);
	close(p[1]);
	close(s[0]);
	close(s[1]);
	show("own queue: closed %d", closed(p[0]));

	/* Two in each other's queues. */
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, t);
	pipe(p);
	send_fds(s[0], "x", 1, &t[1], 1);
	send_fds(t[0], "x", 1, &s[1], 1);
	send_fds(t[0], "x", 1, &p[1], 1);
	close(p[1]);
	close(s[1]);
	close(t[1]);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	close(s[0]);
	close(t[0]);
	show("two queues: closed %d", closed(p[0]));

	/* Reachable from a descriptor: nothing is lost. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	socketpair(AF_UNIX, SOCK_STREAM, 0, t);
	pipe(p);
	send_fds(t[0], "in", 2, &p[1], 1);
	send_fds(s[0], "s", 1, &t[1], 1);
	close(p[1]);
	close(t[1]);
	close(socket(AF_UNIX, SOCK_STREAM, 0));
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	CALL(read(p[0], &byte, 1));
	c = recv_show("socket", s[1], 10, 100, 0);
	c = recv_show("pipe", c, 10, 100, 0);
	CALL(write(c, "!", 1));
	CALL(read(p[0], &byte, 1));
	close(c);
	CALL(read(p[0], &byte, 1));

	/* A chain of sockets, each in the queue of the next. */
	pipe(p);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	send_fds(s[0], "x", 1, &p[1], 1);
	close(p[1]);
	for (int i = 0; i < 500; i++) {
		socketpair(AF_UNIX, SOCK_STREAM, 0, t);
		if (send_fds(t[0], "x", 1, s, 2) != 1)
			show("chain: %s", error_name(errno));
		close(s[0]);
		close(s[1]);
		s[0] = t[0];
		s[1] = t[1];
	}
	close(s[0]);
	close(s[1]);
	show("chain: closed %d", closed(p[0]));

	/* A listener in the queue of a connection that waits for it. */
	pipe(p);
	l = socket(AF_UNIX, SOCK_STREAM, 0);
	bind_path(l, "l");
	listen(l, 5);
	c = socket(AF_UNIX, SOCK_STREAM, 0);
	connect_path(c, "l");
	send_fds(c, "x", 1, &l, 1);
	send_fds(c, "x", 1, &p[1], 1);
	close(p[1]);
	close(l);
	close(c);
	show("listener: closed %d", closed(p[0]));
	return 0;
}
