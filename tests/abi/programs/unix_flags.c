/* Flags of send(2) and recv(2): MSG_PEEK, MSG_TRUNC, MSG_DONTWAIT, MSG_OOB, MSG_EOR, SO_PEEK_OFF, and errors. */
#include "unix.h"

static void get(const char *what, int fd, size_t size, int flags)
{
	char buf[100] = "";
	ssize_t n = recv(fd, buf, size, flags);

	if (n < 0)
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %zd \"%s\"", what, n, buf);
}
#define GET(fd, size, flags) get("recv(" #fd ", " #size ", " #flags ")", fd, size, flags)

int main(void)
{
	int st[2], dg[2], sq[2], n;

	signal(SIGPIPE, SIG_IGN);
	socketpair(AF_UNIX, SOCK_STREAM, 0, st);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, dg);
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sq);
	GET(st[1], 10, MSG_DONTWAIT);
	GET(dg[1], 10, MSG_DONTWAIT);
	GET(sq[1], 10, MSG_DONTWAIT);
	send(st[0], "stream", 6, 0);
	GET(st[1], 3, MSG_PEEK);
	GET(st[1], 3, MSG_PEEK);
	GET(st[1], 3, MSG_TRUNC);
	GET(st[1], 10, MSG_WAITALL | MSG_DONTWAIT);
	send(dg[0], "datagram", 8, 0);
	send(dg[0], "two", 3, 0);
	GET(dg[1], 3, MSG_PEEK);
	GET(dg[1], 3, MSG_PEEK | MSG_TRUNC);
	GET(dg[1], 3, MSG_TRUNC);
	GET(dg[1], 0, 0);
	GET(dg[1], 10, MSG_DONTWAIT);
	CALL(send(dg[0], "", 0, 0));
	GET(dg[1], 10, 0);
	CALL(send(sq[0], "packet", 6, MSG_EOR));
	recv_show("packet", sq[1], 3, 0, 0);
	CALL(send(sq[0], "", 0, 0));
	GET(sq[1], 10, MSG_DONTWAIT);
	CALL(send(st[0], "", 0, 0));
	GET(st[1], 10, MSG_DONTWAIT);
	CALL(send(dg[0], "o", 1, MSG_OOB));
	CALL(send(sq[0], "o", 1, MSG_OOB));
	GET(dg[1], 10, MSG_OOB);
	GET(st[1], 10, MSG_ERRQUEUE | MSG_DONTWAIT);

	socketpair(AF_UNIX, SOCK_STREAM, 0, st);

	/* Errors. */
	CALL(send(99, "x", 1, 0));
	CALL(send(0, "x", 1, 0));
	CALL(send(st[0], (void *)8, 10, 0));
	send(st[0], "data", 4, 0);
	CALL(recv(st[1], (void *)8, 10, 0));
	CALL(sendto(st[0], "x", 1, 0, (struct sockaddr *)"\1\0abc", 5));
	CALL(send(socket(AF_UNIX, SOCK_STREAM, 0), "x", 1, 0));
	CALL(recv(socket(AF_UNIX, SOCK_STREAM, 0), &n, 1, 0));
	CALL(send(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0));
	CALL(send(socket(AF_UNIX, SOCK_SEQPACKET, 0), "x", 1, 0));
	CALL(recv(socket(AF_UNIX, SOCK_DGRAM, 0), &n, 1, MSG_DONTWAIT));
	close(st[1]);
	CALL(send(st[0], "x", 1, 0));
	GET(st[0], 10, 0);
	close(dg[1]);
	CALL(send(dg[0], "x", 1, 0));
	close(sq[1]);
	CALL(send(sq[0], "x", 1, 0));
	GET(sq[0], 10, 0);
	return 0;
}
