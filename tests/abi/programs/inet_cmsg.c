/* What control messages say about a datagram: IP_PKTINFO, IP_RECVTTL, IP_OPTIONS, SO_TIMESTAMP and others. */
#include "inet.h"

#define TIMESTAMP_OLD   29
#define TIMESTAMPNS_OLD 35
#define TIMESTAMP_NEW   63
#define TIMESTAMPNS_NEW 64

static int port;

static void show_bytes(const char *name, const struct cmsghdr *c)
{
	char text[100] = "";

	for (size_t i = 0; i < c->cmsg_len - CMSG_LEN(0); i++)
		sprintf(text + 3 * i, " %02x", CMSG_DATA(c)[i]);
	show("  %s: len %zu%s", name, (size_t)c->cmsg_len, text);
}

static void show_stamp(const struct cmsghdr *c)
{
	bool nano = c->cmsg_type == TIMESTAMPNS_OLD || c->cmsg_type == TIMESTAMPNS_NEW;
	int64_t stamp[2];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memcpy(stamp, CMSG_DATA(c), sizeof(stamp));
	show("  timestamp %d: len %zu, of now: %d, a fraction of a second: %d", c->cmsg_type, (size_t)c->cmsg_len,
	     stamp[0] >= now.tv_sec - 1000 && stamp[0] <= now.tv_sec, stamp[1] >= 0 && stamp[1] < (nano ? 1000000000 : 1000000));
}

static void show_cmsg(const struct cmsghdr *c)
{
	struct in_pktinfo info;
	struct sockaddr_in in;

	if (c->cmsg_level == SOL_SOCKET) {
		show_stamp(c);
	} else if (c->cmsg_type == IP_PKTINFO) {
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		show("  IP_PKTINFO: len %zu, interface %d", (size_t)c->cmsg_len, info.ipi_ifindex);
		show("    to %s", inet_ntoa(info.ipi_addr));
		show("    answer from %s", inet_ntoa(info.ipi_spec_dst));
	} else if (c->cmsg_type == IP_ORIGDSTADDR) {
		memcpy(&in, CMSG_DATA(c), sizeof(in));
		show("  IP_ORIGDSTADDR: len %zu, %s, port as given: %d", (size_t)c->cmsg_len, inet_ntoa(in.sin_addr),
		     ntohs(in.sin_port) == port);
	} else {
		show_bytes(c->cmsg_type == IP_TTL	 ? "IP_TTL" :
			   c->cmsg_type == IP_TOS	 ? "IP_TOS" :
			   c->cmsg_type == IP_RECVOPTS ? "IP_RECVOPTS" :
			   c->cmsg_type == IP_RETOPTS	 ? "IP_RETOPTS" :
							   "another",
			   c);
	}
}

static void receive(const char *what, int fd, size_t control, int flags)
{
	_Alignas(8) char buf[300] = "", data[20];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = control };
	ssize_t n = recvmsg(fd, &m, flags);

	show("%s: %s%zd bytes, control %zu, flags %x", what, n < 0 ? error_name(errno) : "", n, (size_t)m.msg_controllen, m.msg_flags);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		show_cmsg(c);
}

static int on(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static void show_options(const char *what, int fd, socklen_t len)
{
	unsigned char buf[40];
	char text[130] = "";

	show("%s: %d", what, getsockopt(fd, IPPROTO_IP, IP_OPTIONS, buf, &len));
	for (unsigned i = 0; i < len && i < sizeof(buf); i++)
		sprintf(text + 3 * i, " %02x", buf[i]);
	show("  len %d%s", (int)len, text);
}

static void options_of_ip(int a, int b)
{
	static const unsigned char nops[41] = { 1, 1, 1, 1, 1, 0, 9 };
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
	unsigned char packet[100];
	ssize_t n;
	int queued;

	show_options("none", a, 40);
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, nops, 41));
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, nops, -1));
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, (void *)8, 4));
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, nops, 7));
	show_options("seven bytes", a, 40);
	show_options("room for three", a, 3);
	CALL(send(a, "with", 4, 0));
	settle();
	CALL(ioctl(b, FIONREAD, &queued));
	show("FIONREAD %d", queued);
	n = recv(raw, packet, sizeof(packet), 0);
	show("raw: %zd bytes, header %02x, length %d", n, packet[0], packet[2] << 8 | packet[3]);
	close(raw);
	receive("with options", b, 300, 0);
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, NULL, 0));
	CALL(send(a, "without", 7, 0));
	settle();
	receive("without options", b, 300, 0);
}

/* An error comes back to a socket that sends options. */
static void refused(void)
{
	static const unsigned char nop[4] = { 1 };
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);

	bind_to(b, "127.0.0.1", 0);
	connect_to(a, "127.0.0.1", own_port(b));
	close(b);
	CALL(setsockopt(a, IPPROTO_IP, IP_OPTIONS, nop, 4));
	CALL(send(a, "x", 1, 0));
	settle();
	CALL(send(a, "x", 1, 0));
	close(a);
}

static void stamps(void)
{
	static const int names[] = { TIMESTAMP_OLD, TIMESTAMPNS_OLD, TIMESTAMP_NEW, TIMESTAMPNS_NEW };
	int pair[2], value;
	socklen_t len = sizeof(value);

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	write(pair[1], "early", 5);
	for (unsigned i = 0; i < 4; i++) {
		CALL(on(pair[0], SOL_SOCKET, names[i], 1));
		CALL(getsockopt(pair[0], SOL_SOCKET, names[i], &value, &len));
		show("is on: %d", value);
		write(pair[1], "x", 1);
		receive(i ? "AF_UNIX" : "sent before the option", pair[0], 300, 0);
	}
	CALL(getsockopt(pair[0], SOL_SOCKET, names[0], &value, &len));
	show("the first is on: %d", value);
	receive("no room", pair[0], 3, MSG_PEEK);
	CALL(on(pair[0], SOL_SOCKET, names[1], 0));
	receive("off", pair[0], 300, 0);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	static const int names[] = { IP_PKTINFO, IP_RECVTTL, IP_RECVTOS, IP_RECVOPTS, IP_RETOPTS, IP_RECVORIGDSTADDR };
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0), value;
	socklen_t len = sizeof(value);

	bind_to(b, "127.0.0.1", 0);
	port = own_port(b);
	connect_to(a, "127.0.0.1", port);
	send(a, "plain", 5, 0);
	settle();
	receive("nothing asked for", b, 300, 0);
	for (unsigned i = 0; i < 6; i++) {
		CALL(on(b, IPPROTO_IP, names[i], 7));
		CALL(getsockopt(b, IPPROTO_IP, names[i], &value, &len));
		show("is %d", value);
	}
	CALL(on(a, IPPROTO_IP, IP_TTL, 3));
	CALL(on(a, IPPROTO_IP, IP_TOS, 0x10));
	send(a, "everything", 10, 0);
	settle();
	receive("peek", b, 300, MSG_PEEK);
	receive("room for one and a half", b, 44, MSG_PEEK);
	receive("no room", b, 0, MSG_PEEK);
	receive("all", b, 300, 0);
	options_of_ip(a, b);
	for (unsigned i = 0; i < 6; i++)
		CALL(on(b, IPPROTO_IP, names[i], 0));
	CALL(on(b, SOL_SOCKET, TIMESTAMPNS_OLD, 1));
	send(a, "stamped", 7, 0);
	settle();
	receive("peek", b, 300, MSG_PEEK);
	receive("stamped", b, 300, 0);
	refused();
	stamps();
	return 0;
}
