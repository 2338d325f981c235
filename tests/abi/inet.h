/* What the programs about AF_INET sockets share. The loopback interface is up. */
#pragma once

#include "abi.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

static inline struct sockaddr_in inet_name(const char *addr, int port)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, addr, &name.sin_addr);
	return name;
}
static inline int bind_to(int fd, const char *addr, int port)
{
	struct sockaddr_in name = inet_name(addr, port);

	return bind(fd, (struct sockaddr *)&name, sizeof(name));
}
static inline int connect_to(int fd, const char *addr, int port)
{
	struct sockaddr_in name = inet_name(addr, port);

	return connect(fd, (struct sockaddr *)&name, sizeof(name));
}
static inline ssize_t send_to(int fd, const char *text, const char *addr, int port)
{
	struct sockaddr_in name = inet_name(addr, port);

	return sendto(fd, text, strlen(text), 0, (struct sockaddr *)&name, sizeof(name));
}
/* The port that the socket has got. */
static inline int own_port(int fd)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);

	getsockname(fd, (struct sockaddr *)&name, &len);
	return ntohs(name.sin_port);
}
/* Own name or the peer's; the port is shown if it is the given one. */
static inline void show_inet(const char *what, int fd, int port, bool peer)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	int err = peer ? getpeername(fd, (struct sockaddr *)&name, &len)
		       : getsockname(fd, (struct sockaddr *)&name, &len);

	if (err)
		show("%s: %s", what, error_name(errno));
	else
		show("%s: len %d, family %d, %s, port %s", what, (int)len, name.sin_family,
		     inet_ntoa(name.sin_addr),
		     ntohs(name.sin_port) == port ? "as given" :
		     name.sin_port		  ? "another" :
						    "0");
}
static inline void poll_show(const char *what, int fd)
{
	struct pollfd p = { fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP, 0 };

	poll(&p, 1, 0);
	show("%s:%s%s%s%s%s%s", what, p.revents & POLLIN ? " IN" : "", p.revents & POLLPRI ? " PRI" : "",
	     p.revents & POLLOUT ? " OUT" : "", p.revents & POLLERR ? " ERR" : "", p.revents & POLLHUP ? " HUP" : "",
	     p.revents & POLLRDHUP ? " RDHUP" : "");
}
static inline void recv_inet(const char *what, int fd, size_t size, int flags)
{
	char buf[256] = "";
	ssize_t n = recv(fd, buf, size, flags | MSG_DONTWAIT);

	if (n < 0)
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %zd \"%.*s\"", what, n, (int)(n < (ssize_t)size ? n : (ssize_t)size), buf);
}
/* Lets packets that are under way arrive. */
static inline void settle(void)
{
	let_others_run();
}
/* A listener on 127.0.0.1, and a pair of connected sockets. */
static inline int listener(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bind_to(fd, "127.0.0.1", 0);
	listen(fd, 5);
	return fd;
}
static inline void tcp_pair(int pair[2])
{
	int l = listener();

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	connect_to(pair[0], "127.0.0.1", own_port(l));
	pair[1] = accept(l, NULL, NULL);
	close(l);
	settle();
}
