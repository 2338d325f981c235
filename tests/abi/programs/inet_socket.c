/* Which sockets of AF_INET there are, and which names they may have. */
#include "inet.h"

static void unprivileged(void)
{
	int fd;

	setuid(1000);
	CALL(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	CALL(bind_to(fd, "127.0.0.1", 80));
	CALL(bind_to(fd, "127.0.0.1", 1023));
	CALL(bind_to(fd, "127.0.0.1", 1024));
}

int main(void)
{
	struct sockaddr_in name = inet_name("127.0.0.1", 0);
	int fd, other, s[2];

	TRUTH(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	TRUTH(socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) >= 0);
	TRUTH(socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP) >= 0);
	TRUTH(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0);
	CALL(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
	CALL(socket(AF_INET, SOCK_DGRAM, IPPROTO_TCP));
	CALL(socket(AF_INET, SOCK_RAW, 0));
	CALL(socket(AF_INET, SOCK_SEQPACKET, 0));
	CALL(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
	CALL(socket(AF_INET, SOCK_STREAM, -1));
	CALL(socket(AF_INET, SOCK_STREAM, 300));
	CALL(socket(AF_INET, 12, 0));
	CALL(socketpair(AF_INET, SOCK_STREAM, 0, s));
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	CALL(bind(fd, (struct sockaddr *)&name, 4));
	name.sin_family = AF_UNIX;
	CALL(bind(fd, (struct sockaddr *)&name, sizeof(name)));
	CALL(bind_to(fd, "8.8.8.8", 0));
	show_inet("before bind", fd, 0, false);
	CALL(bind_to(fd, "127.0.0.1", 0));
	TRUTH(own_port(fd) >= 1024);
	CALL(bind_to(fd, "127.0.0.1", 0));
	other = socket(AF_INET, SOCK_DGRAM, 0);
	CALL(bind_to(other, "127.0.0.1", own_port(fd)));
	CALL(bind_to(other, "0.0.0.0", own_port(fd)));
	CALL(bind_to(other, "127.0.0.2", own_port(fd)));
	show_inet("bound", other, own_port(fd), false);
	CALL(listen(other, 5));
	CALL(accept(other, NULL, NULL));
	CHILD(unprivileged);
	return 0;
}
