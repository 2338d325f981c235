/* Options of AF_INET sockets: IP_*, TCP_*, SOL_SOCKET. */
#include "inet.h"

static void get(const char *what, int fd, int level, int name)
{
	int n = -1;
	socklen_t len = sizeof(n);

	if (getsockopt(fd, level, name, &n, &len))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %d, len %d", what, n, (int)len);
}
static void set(const char *what, int fd, int level, int name, int n)
{
	show("%s = %d: %s", what, n, setsockopt(fd, level, name, &n, sizeof(n)) ? error_name(errno) : "ok");
	get(what, fd, level, name);
}
#define GET(fd, level, name)    get(#name, fd, level, name)
#define SET(fd, level, name, n) set(#name, fd, level, name, n)

int main(void)
{
	int t = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_INET, SOCK_DGRAM, 0), p[2], one = 1;

	GET(t, SOL_SOCKET, SO_TYPE);
	GET(t, SOL_SOCKET, SO_PROTOCOL);
	GET(t, SOL_SOCKET, SO_DOMAIN);
	GET(u, SOL_SOCKET, SO_TYPE);
	GET(u, SOL_SOCKET, SO_PROTOCOL);
	GET(t, SOL_SOCKET, SO_ACCEPTCONN);
	listen(t, 1);
	GET(t, SOL_SOCKET, SO_ACCEPTCONN);
	SET(u, SOL_SOCKET, SO_REUSEADDR, 1);
	SET(u, SOL_SOCKET, SO_REUSEPORT, 1);
	SET(u, SOL_SOCKET, SO_DONTROUTE, 1);
	SET(u, SOL_SOCKET, SO_BROADCAST, 1);
	SET(u, SOL_SOCKET, SO_RCVBUF, 8192);
	SET(u, SOL_SOCKET, SO_RCVLOWAT, 0);
	SET(u, SOL_SOCKET, 9999, 1);
	SET(u, IPPROTO_IP, IP_TTL, 0);
	SET(u, IPPROTO_IP, IP_TTL, 256);
	SET(u, IPPROTO_IP, IP_TTL, 17);
	SET(u, IPPROTO_IP, IP_TTL, -1);
	SET(u, IPPROTO_IP, IP_TOS, 0x10);
	SET(u, IPPROTO_IP, IP_RECVERR, 1);
	SET(u, IPPROTO_IP, 9999, 1);
	SET(u, IPPROTO_TCP, TCP_NODELAY, 1);
	show("one byte: %s", setsockopt(u, IPPROTO_IP, IP_TTL, "\5", 1) ? error_name(errno) : "ok");
	GET(u, IPPROTO_IP, IP_TTL);
	CALL(setsockopt(u, IPPROTO_IP, IP_TTL, &one, -1));
	t = socket(AF_INET, SOCK_STREAM, 0);
	GET(t, IPPROTO_TCP, TCP_NODELAY);
	SET(t, IPPROTO_TCP, TCP_NODELAY, 5);
	SET(t, IPPROTO_TCP, TCP_CORK, 1);
	SET(t, IPPROTO_TCP, TCP_KEEPIDLE, 0);
	SET(t, IPPROTO_TCP, TCP_KEEPIDLE, 100);
	SET(t, IPPROTO_TCP, TCP_KEEPINTVL, 7);
	SET(t, IPPROTO_TCP, TCP_KEEPCNT, 128);
	SET(t, IPPROTO_TCP, TCP_SYNCNT, 3);
	SET(t, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000);
	GET(t, IPPROTO_TCP, TCP_MAXSEG);
	SET(t, IPPROTO_TCP, 9999, 1);
	SET(t, 9999, 1, 1);
	tcp_pair(p);
	GET(p[0], IPPROTO_TCP, TCP_NODELAY);
	SET(p[0], SOL_SOCKET, SO_KEEPALIVE, 1);
	return 0;
}
