/* TCP: a full queue of a listener, connections that end while they wait in it, and unread data
 * after a FIN. */
#include "inet.h"

static int start(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	connect_to(fd, "127.0.0.1", port);
	return fd;
}

/* Waits for the events, at most ten seconds: Linux sends a lost SYN again after one. */
static void wait_show(const char *what, int fd, short events)
{
	struct pollfd p = { fd, events, 0 };
	int n = poll(&p, 1, 10000);

	show("%s: %d%s%s", what, n, p.revents & POLLIN ? " IN" : "", p.revents & POLLOUT ? " OUT" : "");
}

/* Two connections fill the queue. Two more end before there is room for them. The last one must be
 * made. */
static void full_queue(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), fd[5], port;

	bind_to(l, "127.0.0.1", 0);
	listen(l, 1);
	port = own_port(l);
	for (int i = 0; i < 2; i++) {
		fd[i] = start(port);
		wait_show("connected", fd[i], POLLOUT);
	}
	fd[2] = start(port);
	fd[3] = start(port);
	close(fd[2]);
	close(fd[3]);
	fd[4] = start(port);
	settle();
	poll_show("last, queue full", fd[4]);
	for (int i = 0; i < 2; i++)
		show("accepted %d", accept(l, NULL, NULL) >= 0);
	wait_show("listener", l, POLLIN);
	wait_show("last", fd[4], POLLOUT);
	show("accepted %d", accept(l, NULL, NULL) >= 0);
	close(l);
}

/* Sends until there is no room. */
static void fill(int fd)
{
	static char data[8192];

	while (send(fd, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	show("full: %s", error_name(errno));
}

/* One end has sent its FIN, and closes with data that it has not read: the other must not wait for
 * room. */
static void unread_after_fin(void)
{
	int p[2];

	tcp_pair(p);
	CALL(shutdown(p[1], SHUT_WR));
	settle();
	fill(p[0]);
	settle();
	fill(p[0]);
	close(p[1]);
	settle();
	poll_show("closed", p[0]);
	CALL(send(p[0], "x", 1, MSG_NOSIGNAL));
	CALL(send(p[0], "x", 1, MSG_NOSIGNAL));
	recv_inet("end", p[0], 1, 0);
	close(p[0]);
}

/* A sender waits, and its buffer becomes larger. */
static void larger_buffer(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0), size = 8192, status;
	pid_t pid;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	bind_to(l, "127.0.0.1", 0);
	listen(l, 1);
	connect_to(fd, "127.0.0.1", own_port(l));
	fill(fd);
	pid = fork();
	if (!pid) {
		_exit(send(fd, "x", 1, 0) == 1 ? 0 : 1);
	}
	until_asleep(pid, pid);
	size = 200000;
	CALL(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)));
	waitpid(pid, &status, 0);
	show_status("sender", status);
	close(fd);
	close(l);
}

int main(void)
{
	full_queue();
	unread_after_fin();
	larger_buffer();
	return 0;
}
