/* poll(2) wakes for each thing that can happen to a socket. */
#include "unix.h"

static int s[2], l;

static void act(const char *what, int fd, short events, void (*fn)(void))
{
	struct pollfd p = { fd, events, 0 };
	pid_t parent = getpid(), pid = fork();
	int n, status;

	if (!pid) {
		until_asleep(parent, parent);
		fn();
		_exit(0);
	}
	n = poll(&p, 1, -1);
	show("%s: %d%s%s%s%s", what, n, p.revents & POLLIN ? " IN" : "",
	     p.revents & POLLOUT ? " OUT" : "", p.revents & POLLERR ? " ERR" : "",
	     p.revents & POLLHUP ? " HUP" : "");
	waitpid(pid, &status, 0);
}

static void send_byte(void)
{
	send(s[1], "x", 1, 0);
}

static void take_all(void)
{
	char buf[65536];

	while (recv(s[1], buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
}

static void shut(void)
{
	shutdown(s[1], SHUT_WR);
}

static void connect_now(void)
{
	connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "l");
}

int main(void)
{
	char buf[4096] = "";

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	act("a byte", s[0], POLLIN, send_byte);
	while (send(s[0], buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
	show_poll("full", s[0]);
	act("room", s[0], POLLOUT, take_all);
	recv(s[0], buf, 1, 0);
	act("shutdown", s[0], POLLIN, shut);
	l = socket(AF_UNIX, SOCK_STREAM, 0);
	bind_path(l, "l");
	listen(l, 5);
	act("connection", l, POLLIN, connect_now);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	act("datagram", s[0], POLLIN, send_byte);
	recv(s[0], buf, 1, 0);
	l = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	s[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind_path(s[1], "d");
	connect_path(l, "d");
	while (send(l, "x", 1, 0) == 1)
		;
	show_poll("queue full", l);
	act("queue has room", l, POLLOUT, take_all);
	return 0;
}
