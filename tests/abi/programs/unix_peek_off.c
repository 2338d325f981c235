/* SO_PEEK_OFF: MSG_PEEK continues where the last one ended: stream, datagrams and packets. */
#include "unix.h"

static int s[2];

static void offset(void)
{
	int off = -77;
	socklen_t len = sizeof(off);

	if (getsockopt(s[1], SOL_SOCKET, SO_PEEK_OFF, &off, &len))
		show("    no offset: %s", error_name(errno));
	else
		show("    offset %d", off);
}

static void set(int off)
{
	int result = setsockopt(s[1], SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));

	show("  set %d: %d %s", off, result, result ? error_name(errno) : "");
	offset();
}

static void in(size_t size, int flags)
{
	char buf[64] = "";
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n = recvmsg(s[1], &msg, flags | MSG_DONTWAIT);

	show("  receive %zu%s%s: %zd %s \"%.*s\" flags %#x", size, flags & MSG_PEEK ? " PEEK" : "", flags & MSG_TRUNC ? " TRUNC" : "", n,
	     n < 0 ? error_name(errno) : "", n > 0 ? (int)n < (int)size ? (int)n : (int)size : 0, buf,
	     n < 0 ? 0u : (unsigned)msg.msg_flags);
	offset();
}

static void out(const char *text)
{
	send(s[0], text, strlen(text), 0);
}

int main(void)
{
	for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++) {
		if (socketpair(AF_UNIX, type, 0, s))
			continue;
		show("type %d", type);
		offset();
		set(0);
		in(3, MSG_PEEK);
		out("abcdef");
		out("ghi");
		out("jklmno");
		in(2, MSG_PEEK);
		in(2, MSG_PEEK);
		in(9, MSG_PEEK);
		in(3, MSG_PEEK | MSG_TRUNC);
		in(9, MSG_PEEK);
		in(4, 0);
		in(2, MSG_PEEK);
		set(1);
		in(2, MSG_PEEK);
		in(2, MSG_PEEK);
		in(2, 0);
		set(-1);
		in(4, MSG_PEEK);
		in(4, MSG_PEEK);
		set(-5);
		set(100);
		in(4, MSG_PEEK);
		set(2);
		in(20, MSG_PEEK);
		in(20, 0);
		in(20, 0);
		out("");
		out("end");
		in(20, MSG_PEEK);
		in(20, MSG_PEEK);
		in(20, MSG_PEEK);
		CALL(setsockopt(s[1], SOL_SOCKET, SO_PEEK_OFF, &type, 3));
		close(s[0]), close(s[1]);
	}
	return 0;
}
