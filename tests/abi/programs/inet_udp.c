/* UDP: messages, names, MSG_PEEK, MSG_TRUNC, connections, errors. */
#include "inet.h"

int main(void)
{
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0), c, yes = 1, n;
	struct sockaddr_in from, none = { .sin_family = AF_UNSPEC };
	socklen_t len = sizeof(from);
	static char big[70000];
	char buf[100];

	NET(send(a, "x", 1, 0));
	NET(bind_to(b, "127.0.0.1", 0));
	NET(send_to(a, "hello", "127.0.0.1", own_port(b)));
	settle();
	poll_show("one message", b);
	NET(ioctl(b, FIONREAD, &n));
	show("FIONREAD %d", n);
	recv_inet("peek", b, 100, MSG_PEEK);
	NET(recvfrom(b, buf, sizeof(buf), 0, (struct sockaddr *)&from, &len));
	show("from %s, len %d, port of a: %d", inet_ntoa(from.sin_addr), (int)len, ntohs(from.sin_port) == own_port(a));
	poll_show("no message", b);
	recv_inet("none", b, 100, 0);
	NET(send_to(a, "truncated", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("3 bytes", b, 3, MSG_TRUNC);
	NET(send_to(a, "", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("empty message", b, 3, 0);
	NET(send_to(a, "x", "127.0.0.1", 0));
	NET(send_to(a, "x", "8.8.8.8", 53));
	NET(send_to(a, "x", "127.255.255.255", 53));
	NET(setsockopt(a, SOL_SOCKET, SO_BROADCAST, &yes, sizeof(yes)));
	NET(send_to(a, "x", "127.255.255.255", 53));
	NET(connect_to(a, "127.0.0.1", own_port(b)));
	show_inet("peer", a, own_port(b), true);
	show_inet("name", a, 0, false);
	NET(send(a, big, 65507, 0));
	NET(send(a, big, 65508, 0));
	NET(send(a, big, sizeof(big), 0));
	settle();
	NET(recv(b, big, sizeof(big), MSG_DONTWAIT));
	NET(connect_to(b, "127.0.0.1", own_port(a)));
	c = socket(AF_INET, SOCK_DGRAM, 0);
	NET(send_to(c, "stranger", "127.0.0.1", own_port(b)));
	settle();
	recv_inet("not from the peer", b, 100, 0);
	NET(shutdown(b, SHUT_RD));
	poll_show("after SHUT_RD", b);
	NET(shutdown(b, SHUT_WR));
	signal(SIGPIPE, SIG_IGN);
	NET(send(b, "x", 1, 0));
	close(b);
	NET(send(a, "x", 1, 0));
	settle();
	poll_show("refused", a);
	NET(send(a, "x", 1, 0));
	NET(send(a, "x", 1, 0));
	settle();
	recv_inet("refused", a, 10, 0);
	recv_inet("after it", a, 10, 0);
	NET(connect(a, (struct sockaddr *)&none, sizeof(none)));
	show_inet("peer of nobody", a, 0, true);
	NET(send(a, "x", 1, 0));
	NET(shutdown(c, SHUT_RD));
	NET(shutdown(c, 7));
	return 0;
}
