/* TCP_MAXSEG: which values there are, and what a connection makes of those of both sides. */
#include "inet.h"

static void get(const char *what, int fd)
{
	int value = -1;
	socklen_t len = sizeof(value);

	getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, &len);
	show("%s: %d", what, value);
}

static void set(int fd, int value)
{
	show("set %d: %s", value, setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, sizeof(value)) ? error_name(errno) : "ok");
}

/* A connection of two sockets with these values, 0: none. It tells the values of both ends, and that a later one changes nothing. */
static void connection(int client, int server)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), a;

	if (server)
		set(l, server);
	bind_to(l, "127.0.0.1", 0);
	listen(l, 1);
	get("listener", l);
	if (client)
		set(c, client);
	connect_to(c, "127.0.0.1", own_port(l));
	a = accept(l, NULL, NULL);
	get("client", c);
	get("server", a);
	set(c, 700);
	get("client after that", c);
	close(a);
	close(c);
	close(l);
}

int main(void)
{
	static const int values[] = { 87, 88, 32767, 32768, -1, 0, 1000 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	get("new", fd);
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		set(fd, values[i]);
		get("then", fd);
	}
	close(fd);
	connection(1000, 0);
	connection(0, 2000);
	connection(1000, 2000);
	connection(2000, 1000);
	return 0;
}
