/* O_ASYNC on AF_UNIX sockets: data, room, connections, shutdown and close. */
#include "sigio.h"
#include "unix.h"

static void watch(int fd)
{
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGRTMIN + 3);
	CALL(fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC));
}

static void peer_shuts(const char *name, int how)
{
	int s[2];

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	watch(s[0]);
	shutdown(s[1], how);
	pending(name, s[0], s[1]);
	close(s[0]);
	close(s[1]);
}

int main(void)
{
	static char big[100000];
	struct sockaddr_un name;
	socklen_t len;
	int s[2], listener, fd;

	block_signals();
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	watch(s[0]);
	pending("switched on", s[0], s[1]);
	send(s[1], "abc", 3, 0);
	pending("data", s[0], s[1]);
	send(s[1], "d", 1, 0);
	send(s[1], "e", 1, 0);
	pending("data twice", s[0], s[1]);
	recv(s[0], big, 100, 0);
	pending("recv", s[0], s[1]);
	send(s[0], "x", 1, 0);
	pending("send", s[0], s[1]);
	recv(s[1], big, 100, 0);
	pending("what was sent is read", s[0], s[1]);
	while (send(s[0], big, sizeof(big), 0) > 0)
		;
	show("full: %s", error_name(errno));
	pending("full", s[0], s[1]);
	while (recv(s[1], big, sizeof(big), 0) > 0)
		;
	pending("room again", s[0], s[1]);
	shutdown(s[1], SHUT_RD);
	pending("peer: SHUT_RD", s[0], s[1]);
	shutdown(s[1], SHUT_WR);
	pending("peer: SHUT_WR", s[0], s[1]);
	close(s[1]);
	pending("peer: close", s[0], s[1]);
	close(s[0]);

	peer_shuts("peer: SHUT_WR", SHUT_WR);
	peer_shuts("peer: SHUT_RDWR", SHUT_RDWR);

	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, s);
	watch(s[0]);
	send(s[1], "abc", 3, 0);
	pending("datagram", s[0], s[1]);
	send(s[1], "", 0, 0);
	pending("empty datagram", s[0], s[1]);
	close(s[1]);
	pending("datagram peer closes", s[0], s[1]);
	close(s[0]);

	/* A listener; the new connection starts without. */
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	len = abstract_name(&name, "sigio_socket");
	bind(listener, (struct sockaddr *)&name, len);
	listen(listener, 5);
	watch(listener);
	s[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(s[0], (struct sockaddr *)&name, len);
	pending("connect", listener, s[0]);
	fd = accept(listener, NULL, NULL);
	pending("accept", listener, s[0]);
	show("flags of the connection %x", fcntl(fd, F_GETFL));
	send(s[0], "a", 1, 0);
	pending("data", fd, s[0]);
	return 0;
}
