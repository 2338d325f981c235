/* Sockets that do not wait, timeouts, full buffers, interrupted calls. */
#include "inet.h"

static void on_alarm(int sig)
{
	(void)sig;
}

int main(void)
{
	struct timeval tv = { 0, 50000 };
	int l = listener(), port = own_port(l), c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), s, p[2];
	struct sigaction act = { .sa_handler = on_alarm };
	static char piece[5000];
	size_t sent = 0, got = 0;
	char buf[10];
	ssize_t n;

	fcntl(l, F_SETFL, O_NONBLOCK);
	CALL(accept(l, NULL, NULL));
	CALL(connect_to(c, "127.0.0.1", port));
	settle();
	poll_show("connected", c);
	CALL(connect_to(c, "127.0.0.1", port));
	CALL(connect_to(c, "127.0.0.1", port));
	s = accept(l, NULL, NULL);
	TRUTH(fcntl(s, F_GETFL) & O_NONBLOCK);
	CALL(recv(c, buf, 10, 0));
	while ((n = send(c, piece, sizeof(piece), 0)) > 0)
		sent += (size_t)n;
	show("full: %s", error_name(errno));
	poll_show("full", c);
	while (got < sent && (n = recv(s, piece, sizeof(piece), 0)) > 0)
		got += (size_t)n;
	TRUTH(got == sent);
	settle();
	poll_show("empty", c);
	tcp_pair(p);
	setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	CALL(recv(p[0], buf, 10, 0));
	sigaction(SIGALRM, &act, NULL);
	signal_when_asleep(SIGALRM);
	CALL(recv(p[1], buf, 10, 0));
	l = listener();
	signal_when_asleep(SIGALRM);
	CALL(accept(l, NULL, NULL));
	setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	CALL(accept(l, NULL, NULL));
	l = socket(AF_INET, SOCK_DGRAM, 0);
	bind_to(l, "127.0.0.1", 0);
	setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	CALL(recv(l, buf, 10, 0));
	return 0;
}
