/* UDP: messages, names, MSG_PEEK, MSG_TRUNC, connections, errors. */
#include "inet.h"

int main(void)
{
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0), c, yes = 1, n;
	struct sockaddr_in from, none = { .sin_family = AF_UNSPEC };
	socklen_t len = sizeof(from);
	static char big[70000];
	char buf[100];

	CALL(send(a, "x", 1, 0));
	CALL(bind_to(b, "127.0.0.1", 0));
	CALL(send_to(a, "hello", "127.0.0.1", own_port(b)));
	settle();
	poll_show("one message", b);
	CALL(ioctl(b, FIONREAD, &n));
	show("FIONREAD %d", n);
	recv_inet("peek", b, 100, MSG_PEEK);
	CALL(recvfrom(b, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len));
	show("from %s, len %d, port of a: %d", inet_ntoa(from.sin_addr), (int)len, ntohs(from.sin_port) == own_port(a));
	poll_show("no message", b);
	recv_inet("none", b, 100, 0);
	CALL(send_to(a, "truncated", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("3 bytes", b, 3, MSG_TRUNC);
	CALL(send_to(a, "", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("empty message", b, 3, 0);
	CALL(send_to(a, "x", "127.0.0.1", 0));
	CALL(send_to(a, "x", "8.8.8.8", 53));
	CALL(send_to(a, "x", "127.255.255.255", 53));
	CALL(setsockopt(a, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes)));
	CALL(send_to(a, "x", "127.255.255.255", 53));
	CALL(connect_to(a, "127.0.0.1", own_port(b)));
	show_inet("peer", a, own_port(b), true);
	show_inet("name", a, 0, false);
	CALL(send(a, big, 65507, 0));
	CALL(send(a, big, 65508, 0));
	CALL(send(a, big, sizeof(big), 0));
	settle();
	CALL(recv(b, big, sizeof(big), MSG_DONTWAIT));
	CALL(connect_to(b, "127.0.0.1", own_port(a)));
	c = socket(AF_INET, SOCK_DGRAM, 0);
	CALL(send_to(c, "stranger", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("not from the peer", b, 100, 0);
	CALL(shutdown(b, SHUT_RD));
	poll_show("after SHUT_RD", b);
	CALL(shutdown(b, SHUT_WR));
	signal(SIGPIPE, SIG_IGN);
	CALL(send(b, "x", 1, 0));
	close(b);
	CALL(send(a, "x", 1, 0));
	settle();
	poll_show("refused", a);
	CALL(send(a, "x", 1, 0));
	CALL(send(a, "x", 1, 0));
	settle();
	recv_inet("refused", a, 10, 0);
	recv_inet("after it", a, 10, 0);
	CALL(connect(a, (struct sockaddr *)&none, sizeof(none)));
	show_inet("peer of nobody", a, 0, true);
	CALL(send(a, "x", 1, 0));
	CALL(shutdown(c, SHUT_RD));
	CALL(shutdown(c, 7));
	return 0;
}
