/* Ports: EADDRINUSE, SO_REUSEADDR, listeners, TIME_WAIT, ports that connect(2) chooses. */
#include "inet.h"

static int stream(bool reuse)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), n = reuse;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &n, sizeof(n));
	return fd;
}

int main(void)
{
	int a = stream(false), b, c, d, port, p[2];
	struct sockaddr_in none = { .sin_family = AF_UNSPEC };

	bind_to(a, "127.0.0.1", 0);
	port = own_port(a);
	b = stream(false);
	CALL(bind_to(b, "127.0.0.1", port));
	CALL(bind_to(b, "0.0.0.0", port));
	b = stream(true);
	CALL(bind_to(b, "127.0.0.1", port));
	c = stream(true);
	CALL(bind_to(c, "127.0.0.1", port + 1 > 65535 ? port - 1 : port + 1));
	d = stream(true);
	CALL(bind_to(d, "127.0.0.1", own_port(c)));
	CALL(listen(c, 1));
	CALL(listen(d, 1));
	CALL(listen(c, 5));
	a = stream(true);
	CALL(bind_to(a, "127.0.0.1", own_port(c)));
	a = stream(false);
	CALL(listen(a, 1));
	TRUTH(own_port(a) >= 1024);
	show_inet("listener without bind", a, own_port(a), false);

	tcp_pair(p);
	port = own_port(p[1]);
	close(p[1]);
	settle();
	close(p[0]);
	settle();
	b = stream(false);
	CALL(bind_to(b, "127.0.0.1", port)); /* the one that has closed first waits */
	b = stream(true);
	CALL(bind_to(b, "127.0.0.1", port));

	tcp_pair(p);
	CALL(connect(p[0], (struct sockaddr *)&none, sizeof(none)));
	settle();
	poll_show("its peer", p[1]);
	recv_inet("its peer", p[1], 10, 0);
	c = listener();
	CALL(connect_to(p[0], "127.0.0.1", own_port(c)));
	show_inet("connected again", p[0], own_port(c), true);
	return 0;
}
