/* SIGURG: an urgent byte on an AF_UNIX socket, with and without O_ASYNC, with and without F_SETSIG. */
#include "sigio.h"
#include "unix.h"

static int s[2];

static void send_both(const char *name)
{
	send(s[1], "x", 1, 0);
	pending(name, s[0], s[1]);
	send(s[1], "yz", 2, MSG_OOB);
	pending(name, s[0], s[1]);
}

static void other_user(void)
{
	setuid(65534);
	fcntl(s[0], F_SETOWN, getppid());
	send(s[1], "x", 1, MSG_OOB);
	pending("the child", s[0], s[1]);
}

int main(void)
{
	block_signals();
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	send_both("no owner");
	fcntl(s[0], F_SETOWN, getpid());
	send_both("an owner");
	fcntl(s[0], F_SETSIG, SIGRTMIN + 3);
	send_both("an owner with a signal");
	fcntl(s[0], F_SETFL, O_NONBLOCK | O_ASYNC);
	send_both("O_ASYNC with a signal");
	fcntl(s[0], F_SETSIG, 0);
	send_both("O_ASYNC");
	setpgid(0, 0); /* else the shell would get them, too */
	fcntl(s[0], F_SETOWN, -getpgrp());
	send_both("a group");
	fcntl(s[0], F_SETFL, O_NONBLOCK);
	CHILD(other_user);
	pending("an owner of another user", s[0], s[1]);
	fcntl(s[0], F_SETOWN, 0);
	send_both("no owner any more");
	return 0;
}
