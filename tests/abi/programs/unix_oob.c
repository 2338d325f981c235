/* MSG_OOB on AF_UNIX stream sockets: the urgent byte, the mark in the stream, SO_OOBINLINE, poll and SIOCATMARK. */
#include "unix.h"

#include <poll.h>
#include <sys/ioctl.h>
#ifndef SIOCATMARK
#define SIOCATMARK 0x8905
#endif

static int s[2];

static void look(void)
{
	struct pollfd p = { .fd = s[1], .events = POLLIN | POLLPRI | POLLRDHUP };
	int mark = -1, bytes = -1;

	poll(&p, 1, 0);
	ioctl(s[1], SIOCATMARK, &mark);
	ioctl(s[1], FIONREAD, &bytes);
	show("    poll %#x, mark %d, bytes %d", (unsigned)p.revents, mark, bytes);
}

static void out(const char *text, int flags)
{
	ssize_t n = send(s[0], text, strlen(text), flags | MSG_NOSIGNAL | MSG_DONTWAIT);

	show("  send \"%s\"%s: %zd %s", text, flags & MSG_OOB ? " with urgent byte" : "", n, n < 0 ? error_name(errno) : "");
	look();
}

static void in(size_t size, int flags)
{
	char buf[64] = "";
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n = recvmsg(s[1], &msg, flags | MSG_DONTWAIT);

	show("  receive %zu%s%s%s: %zd %s \"%.*s\" flags %#x", size, flags & MSG_OOB ? " OOB" : "", flags & MSG_PEEK ? " PEEK" : "",
	     flags & MSG_WAITALL ? " WAITALL" : "", n, n < 0 ? error_name(errno) : "", n > 0 ? (int)n : 0, buf,
	     n < 0 ? 0u : (unsigned)msg.msg_flags & ~(unsigned)MSG_CMSG_CLOEXEC);
	look();
}

static void begin(const char *name, bool oobinline)
{
	int on = oobinline;

	if (s[0])
		close(s[0]), close(s[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	setsockopt(s[1], SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
	show("%s:", name);
}

static void stream(bool oobinline)
{
	begin("nothing is urgent", oobinline);
	in(1, MSG_OOB);
	out("", MSG_OOB);
	out("ab", 0);
	in(1, MSG_OOB);

	begin("the urgent byte first", oobinline);
	out("hello", MSG_OOB);
	in(1, MSG_OOB | MSG_PEEK);
	in(1, MSG_OOB);
	in(1, MSG_OOB);
	in(9, 0);
	in(9, 0);

	begin("the stream first", oobinline);
	out("hello", MSG_OOB);
	in(9, 0);
	in(9, 0);
	in(1, MSG_OOB);

	begin("a read stops at the mark", oobinline);
	out("one!", MSG_OOB);
	out("two", 0);
	in(9, MSG_PEEK);
	in(9, 0);
	in(9, MSG_PEEK);
	in(9, 0);
	in(1, MSG_OOB);

	begin("it stops there also when the byte is taken", oobinline);
	out("one!", MSG_OOB);
	out("two", 0);
	in(1, MSG_OOB);
	in(9, MSG_PEEK);
	in(9, 0);
	in(9, 0);

	begin("taken at the mark", oobinline);
	out("one!", MSG_OOB);
	out("two", 0);
	in(3, 0);
	in(1, MSG_OOB);

	begin("two urgent bytes", oobinline);
	out("a1", MSG_OOB);
	out("b2", MSG_OOB);
	in(9, 0);
	in(1, MSG_OOB);
	in(9, 0);

	begin("the byte alone", oobinline);
	out("x", MSG_OOB);
	in(9, MSG_PEEK);
	in(9, 0);
	in(1, MSG_OOB);

	begin("taken, and the end", oobinline);
	out("x", MSG_OOB);
	in(1, MSG_OOB);
	shutdown(s[0], SHUT_WR);
	look();
	in(9, 0);

	begin("not taken, and the end", oobinline);
	out("ax", MSG_OOB);
	shutdown(s[0], SHUT_WR);
	in(9, 0);
	in(9, 0);
	in(9, 0);

	begin("no room", oobinline);
	out("ax", MSG_OOB);
	in(0, MSG_OOB);
	in(0, 0);
	in(1, MSG_WAITALL);
	in(1, 0);
}

int main(void)
{
	int t[2];

	stream(false);
	show("SO_OOBINLINE");
	stream(true);
	begin("errors", false);
	shutdown(s[1], SHUT_RD);
	out("x", MSG_OOB);
	begin("gone", false);
	close(s[1]);
	out("x", MSG_OOB);
	s[1] = dup(s[0]);
	for (int type = SOCK_DGRAM; type <= SOCK_SEQPACKET; type += 3) {
		socketpair(AF_UNIX, type, 0, t);
		CALL(send(t[0], "x", 1, MSG_OOB));
		CALL(recv(t[1], &t, 1, MSG_OOB | MSG_DONTWAIT));
		CALL(ioctl(t[0], SIOCATMARK, 8));
		CALL(ioctl(t[0], SIOCATMARK, &(int){ 0 }));
	}
	t[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(recv(t[0], &t, 1, MSG_OOB | MSG_DONTWAIT));
	CALL(send(t[0], "x", 1, MSG_OOB));
	begin("a bad buffer", false);
	out("ax", MSG_OOB);
	CALL(recv(s[1], (void *)8, 1, MSG_OOB));
	in(1, MSG_OOB);
	CALL(send(s[0], (void *)8, 1, MSG_OOB));
	look();
	return 0;
}
