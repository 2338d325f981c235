/* Full queues of AF_UNIX sockets: datagrams and a listener's backlog, without waiting and with it. */
#include "unix.h"

int main(void)
{
	int s[2], listener, fd, n, status, small = 2000, one;
	static char block[4096];
	pid_t pid;
	char c;

	/* Datagrams: net.unix.max_dgram_qlen, or the send buffer. */
	listener = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind_path(listener, "dgram");
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	CALL(connect_path(fd, "dgram"));
	for (n = 0; n < 1000 && send(fd, "x", 1, 0) == 1; n++)
		;
	show("%d datagrams, then %s", n, error_name(errno));
	show_poll("full", fd);
	/* A second sender finds the queue full, too. */
	one = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	CALL(sendto_path(one, "y", "dgram"));
	CALL(recv(listener, &c, 1, 0));
	show_poll("one read", fd);
	CALL(send(fd, "x", 1, 0));
	CALL(send(fd, "x", 1, 0));
	while (recv(listener, &c, 1, MSG_DONTWAIT) == 1)
		;
	show_poll("empty", fd);

	/* A sender that waits goes on when there is room. */
	fcntl(fd, F_SETFL, 0);
	while (send(fd, "x", 1, MSG_DONTWAIT) == 1)
		;
	pid = fork();
	if (!pid)
		_exit(send(fd, "last", 4, 0) == 4 ? 0 : 1);
	usleep(20000);
	show("waiting: %d", waitpid(pid, &status, WNOHANG));
	recv(listener, &c, 1, 0);
	waitpid(pid, &status, 0);
	show_status("sender", status);

	/* A sender waits, and the receiver closes without having read all. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	while (send(s[0], block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	pid = fork();
	if (!pid) {
		close(s[1]);
		_exit(CALL(send(s[0], "x", 1, 0)) == 1);
	}
	until_asleep(pid, pid);
	close(s[1]);
	waitpid(pid, &status, 0);
	show_status("sender", status);
	close(s[0]);

	/* A sender waits, and its buffer becomes larger. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	while (send(s[0], block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	pid = fork();
	if (!pid) {
		_exit(send(s[0], "x", 1, 0) == 1 ? 0 : 1);
	}
	until_asleep(pid, pid);
	n = 4 << 20;
	CALL(setsockopt(s[0], SOL_SOCKET, SO_SNDBUFFORCE, &n, sizeof(n)));
	waitpid(pid, &status, 0);
	show_status("sender", status);
	close(s[0]);
	close(s[1]);

	/* The send buffer: a datagram that is larger than all of it. */
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	CALL(setsockopt(s[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)));
	CALL(send(s[0], block, 4096, MSG_DONTWAIT) == 4096);
	CALL(send(s[0], block, 10000000, MSG_DONTWAIT));

	/* A listener. */
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	bind_path(listener, "stream");
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "stream"));
	CALL(listen(listener, 2));
	for (n = 0; n < 100; n++) {
		one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect_path(one, "stream"))
			break;
	}
	show("%d connections, then %s", n, error_name(errno));
	show_poll("listener", listener);
	pid = fork();
	if (!pid) {
		one = socket(AF_UNIX, SOCK_STREAM, 0);
		_exit(connect_path(one, "stream") ? 1 : 0);
	}
	usleep(20000);
	show("waiting: %d", waitpid(pid, &status, WNOHANG));
	OK(accept(listener, NULL, NULL));
	waitpid(pid, &status, 0);
	show_status("connect", status);
	CALL(listen(listener, 0));
	CALL(connect_path(one, "stream"));
	for (n = 0; n < 3; n++)
		close(accept(listener, NULL, NULL));
	fcntl(listener, F_SETFL, O_NONBLOCK);
	CALL(accept(listener, NULL, NULL));
	for (n = 0; n < 100; n++) {
		one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect_path(one, "stream"))
			break;
	}
	show("backlog 0: %d", n);
	CALL(shutdown(listener, SHUT_RD));
	CALL(connect_path(one, "stream"));
	CALL(accept(one, NULL, NULL));
	CALL(listen(one, 1));
	CALL(accept(socket(AF_UNIX, SOCK_DGRAM, 0), NULL, NULL));
	CALL(listen(socket(AF_UNIX, SOCK_DGRAM, 0), 1));
	CALL(syscall(SYS_accept4, listener, NULL, NULL, 0x1000));
	return 0;
}
