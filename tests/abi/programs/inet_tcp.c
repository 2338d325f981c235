/* TCP: a connection, its names, partial reads, MSG_PEEK, MSG_WAITALL, half-close, the end. */
#include "inet.h"

int main(void)
{
	int l = listener(), port = own_port(l), c = socket(AF_INET, SOCK_STREAM, 0), s, n;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char buf[64];
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	poll_show("listener", l);
	poll_show("fresh", c);
	CALL(recv(c, buf, 1, 0));
	CALL(send(c, buf, 1, 0));
	CALL(shutdown(c, SHUT_RD));
	show_inet("peer of none", c, port, true);
	CALL(accept(c, NULL, NULL));
	CALL(connect_to(c, "127.0.0.1", port));
	CALL(connect_to(c, "127.0.0.1", port));
	show_inet("peer", c, port, true);
	settle();
	poll_show("listener has one", l);
	s = accept(l, (struct sockaddr *)&from, &len);
	show("accepted from %s, port of c: %d, len %d", inet_ntoa(from.sin_addr), ntohs(from.sin_port) == own_port(c),
	     (int)len);
	show_inet("own name", s, port, false);
	poll_show("connected", s);
	CALL(listen(s, 1));
	CALL(bind_to(s, "127.0.0.1", 0));
	CALL(send(c, "hello ", 6, 0));
	CALL(send(c, "world", 5, 0));
	settle();
	poll_show("data", s);
	CALL(ioctl(s, FIONREAD, &n));
	show("FIONREAD %d", n);
	CALL(ioctl(s, SIOCATMARK, &n));
	show("SIOCATMARK %d", n);
	recv_inet("peek", s, 8, MSG_PEEK);
	recv_inet("take", s, 4, 0);
	recv_inet("rest", s, 50, 0);
	recv_inet("nothing", s, 50, 0);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 4; i++) {
			usleep(20000);
			send(c, "piece", 5, 0);
		}
		_exit(0);
	}
	CALL(recv(s, buf, 20, MSG_WAITALL));
	waitpid(pid, NULL, 0);
	CALL(shutdown(c, SHUT_WR));
	settle();
	poll_show("the peer is done", s);
	recv_inet("end", s, 5, 0);
	CALL(send(c, "x", 1, 0));
	CALL(send(s, "still", 5, 0));
	settle();
	CALL(close(s));
	settle();
	poll_show("both are done", c);
	return 0;
}
