/* TCP: accept(2) of connections that were reset before. UDP: connect(2) to AF_UNSPEC keeps what
 * bind(2) chose. */
#include "inet.h"

static void accept_reset(bool name)
{
	struct linger linger = { 1, 0 };
	int l = listener(), c = socket(AF_INET, SOCK_STREAM, 0), port, fd;
	struct sockaddr_in peer = { 0 };
	socklen_t len = sizeof(peer);

	connect_to(c, "127.0.0.1", own_port(l));
	port = own_port(c);
	setsockopt(c, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(c);
	settle();
	fd = name ? accept(l, (struct sockaddr *)&peer, &len) : accept(l, NULL, NULL);
	if (fd < 0) {
		show("accept: %s", error_name(errno));
		return;
	}
	if (name)
		show("its peer: %s, port %s", inet_ntoa(peer.sin_addr),
		     ntohs(peer.sin_port) == port ? "as given" : "another");
	show_inet("peer", fd, port, true);
	poll_show("accepted", fd);
	recv_inet("first", fd, 1, 0);
	recv_inet("then", fd, 1, 0);
	close(fd);
	close(l);
}

static void udp_disconnect(const char *addr, bool port)
{
	struct sockaddr_in none = { .sin_family = AF_UNSPEC };
	int other = socket(AF_INET, SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0), given;

	bind_to(other, "127.0.0.1", 0);
	given = own_port(other);
	close(other);
	bind_to(fd, addr, port ? given : 0);
	given = own_port(fd);
	connect_to(fd, "127.0.0.1", 9);
	show_inet("connected", fd, given, false);
	CALL(connect(fd, (struct sockaddr *)&none, sizeof(none)));
	show_inet("disconnected", fd, given, false);
	close(fd);
}

int main(void)
{
	accept_reset(true);
	accept_reset(false);
	udp_disconnect("127.0.0.1", true);
	udp_disconnect("127.0.0.1", false);
	udp_disconnect("0.0.0.0", true);
	udp_disconnect("0.0.0.0", false);
	return 0;
}
