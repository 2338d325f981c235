/* Datagrams: names of senders, truncation, connected sockets, the permission to send, a full queue. */
#include "unix.h"

static void from(const char *what, int fd, size_t size, int flags)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	char buf[100] = "";
	ssize_t n;

	memset(&name, 0, sizeof(name));
	n = recvfrom(fd, buf, size, flags, (struct sockaddr *)&name, &len);
	if (n < 0) {
		show("%s: %s", what, error_name(errno));
		return;
	}
	show("%s: %zd \"%s\"", what, n, buf);
	show_name("  from", &name, len);
}

int main(void)
{
	int a = socket(AF_UNIX, SOCK_DGRAM, 0), b = socket(AF_UNIX, SOCK_DGRAM, 0);
	int c = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), n = 0, sent;
	struct sockaddr_un none = { .sun_family = AF_UNSPEC };

	bind_path(a, "a");
	bind_path(b, "b");
	CALL(sendto_path(b, "hello", "a"));
	CALL(sendto_path(c, "nameless", "a"));
	from("named", a, 100, 0);
	from("unnamed", a, 100, 0);
	sendto_path(b, "0123456789", "a");
	sendto_path(b, "0123456789", "a");
	sendto_path(b, "", "a");
	recv_show("cut", a, 4, 0, 0);
	CALL(ioctl(a, FIONREAD, &n));
	show("first has %d", n);
	CALL(recv(a, &n, 2, MSG_TRUNC | MSG_PEEK));
	from("whole", a, 100, 0);
	from("empty", a, 100, 0);
	CALL(sendto_path(c, "x", "none"));
	CALL(sendto_path(c, "x", "."));
	CALL(send(c, "x", 1, 0));
	CALL(connect_path(c, "a"));
	CALL(send(c, "connected", 9, 0));
	from("connected", a, 100, 0);
	CALL(sendto_path(c, "elsewhere", "b"));
	from("elsewhere", b, 100, 0);
	/* a takes only from its peer, once it has one. */
	CALL(connect_path(a, "b"));
	CALL(send(c, "x", 1, 0));
	CALL(sendto_path(c, "x", "a"));
	CALL(sendto_path(b, "peer", "a"));
	from("peer", a, 100, 0);
	CALL(connect(a, (struct sockaddr *)&none, sizeof(none)));
	CALL(send(c, "again", 5, 0));
	from("again", a, 100, 0);
	for (sent = 0; send(c, "fill", 4, 0) == 4; sent++)
		;
	show("full after %d: %s", sent, error_name(errno));
	show_poll("writer", c);
	from("one", a, 100, 0);
	CALL(send(c, "fits", 4, 0));
	CALL(close(a));
	show_poll("receiver gone", c);
	CALL(send(c, "x", 1, 0));
	CALL(send(c, "x", 1, 0));
	CALL(sendto_path(b, "x", "a"));
	fcntl(b, F_SETFL, O_NONBLOCK);
	CALL(sendto_path(b, "self", "b"));
	from("self", b, 100, 0);
	from("nothing", b, 100, 0);

	/* Another peer: what the old one has sent goes, and it learns that. */
	a = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	bind_path(a, "other");
	CALL(connect_path(a, "b"));
	CALL(connect_path(b, "other"));
	CALL(send(b, "lost", 4, 0));
	CALL(connect_path(a, "b"));
	from("the same peer", a, 100, MSG_PEEK);
	CALL(connect(a, (struct sockaddr *)&none, sizeof(none)));
	from("no peer", a, 100, 0);
	CALL(send(b, "x", 1, 0));
	CALL(send(b, "kept", 4, 0));
	CALL(connect_path(a, "b"));
	from("the first peer", a, 100, 0);
	CALL(send(b, "x", 1, 0));
	return 0;
}
