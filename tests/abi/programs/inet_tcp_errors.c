/* TCP: refused, reset, broken pipes, SIGPIPE, SO_LINGER, SO_ERROR, unread data. */
#include "inet.h"

static void on_pipe(int sig)
{
	show("signal %d", sig);
}

static int so_error(int fd)
{
	int error = -1;
	socklen_t len = sizeof(error);

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error;
}

int main(void)
{
	struct linger linger = { 1, 0 };
	int l = listener(), port = own_port(l), c = socket(AF_INET, SOCK_STREAM, 0), p[2];
	struct sockaddr_in name = inet_name("127.0.0.1", port);
	char bytes[4];

	signal(SIGPIPE, on_pipe);
	close(l);
	CALL(connect_to(c, "127.0.0.1", port));
	poll_show("refused", c);
	CALL(send(c, "x", 1, 0));
	CALL(connect_to(c, "8.8.8.8", 80));
	CALL(connect(c, (struct sockaddr *)&name, 4));
	name.sin_family = 77;
	CALL(connect(c, (struct sockaddr *)&name, sizeof(name)));
	close(c);
	c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CALL(connect_to(c, "127.0.0.1", port));
	settle();
	poll_show("refused later", c);
	show("SO_ERROR %s", error_name(so_error(c)));
	show("SO_ERROR %d", so_error(c));
	close(c);

	tcp_pair(p);
	send(p[0], "unread", 6, 0);
	settle();
	close(p[1]);
	settle();
	poll_show("closed with data", p[0]);
	recv_inet("reset", p[0], 10, 0);
	recv_inet("after it", p[0], 10, 0);
	CALL(send(p[0], "x", 1, 0));
	close(p[0]);

	tcp_pair(p);
	send(p[0], "unread", 6, 0);
	send(p[1], "x", 1, 0);
	if (!fork()) {
		close(p[0]);
		until_asleep(getppid(), getppid());
		close(p[1]);
		_exit(0);
	}
	close(p[1]);
	CALL(recv(p[0], bytes, 4, MSG_WAITALL)); /* a byte, and then the reset */
	CALL(recv(p[0], bytes, 4, MSG_WAITALL));
	CALL(recv(p[0], bytes, 4, MSG_WAITALL));
	close(p[0]);

	tcp_pair(p);
	setsockopt(p[1], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	send(p[1], "last", 4, 0);
	close(p[1]);
	settle();
	poll_show("lingered", p[0]);
	close(p[0]);

	tcp_pair(p);
	close(p[1]);
	settle();
	CALL(send(p[0], "1", 1, 0));
	settle();
	CALL(send(p[0], "2", 1, 0));
	CALL(send(p[0], "3", 1, MSG_NOSIGNAL));
	recv_inet("end", p[0], 10, 0);
	close(p[0]);

	tcp_pair(p);
	CALL(shutdown(p[0], SHUT_RD));
	CALL(send(p[1], "late", 4, 0));
	settle();
	recv_inet("after SHUT_RD", p[0], 10, 0);
	CALL(shutdown(p[0], SHUT_RDWR));
	poll_show("shut down", p[0]);
	settle();
	poll_show("its peer", p[1]);
	return 0;
}
