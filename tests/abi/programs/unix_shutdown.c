/* shutdown(2) of a stream: both halves, poll, SIGPIPE, a reader that is woken. */
#include "unix.h"

static void on_pipe(int sig)
{
	show("SIGPIPE");
}

int main(void)
{
	int s[2], status;
	char buf[8];
	pid_t pid;

	signal(SIGPIPE, on_pipe);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	show_poll("open", s[0]);
	write(s[0], "left", 4);
	CALL(shutdown(s[0], SHUT_WR));
	show_poll("writer", s[0]);
	show_poll("reader", s[1]);
	CALL(write(s[0], "x", 1));
	CALL(send(s[0], "x", 1, MSG_NOSIGNAL));
	CALL(read(s[1], buf, sizeof(buf)));
	CALL(read(s[1], buf, sizeof(buf)));
	CALL(write(s[1], "back", 4));
	CALL(read(s[0], buf, sizeof(buf)));
	CALL(shutdown(s[0], SHUT_RD));
	show_poll("both", s[0]);
	show_poll("peer", s[1]);
	CALL(write(s[1], "x", 1));
	CALL(read(s[0], buf, sizeof(buf)));
	close(s[0]);
	close(s[1]);

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	pid = fork();
	if (!pid) {
		usleep(50000);
		shutdown(s[0], SHUT_RDWR);
		_exit(0);
	}
	CALL(read(s[0], buf, sizeof(buf)));
	CALL(read(s[1], buf, sizeof(buf)));
	waitpid(pid, &status, 0);

	/* Unread bytes of the one that closes: the other gets ECONNRESET, once. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	write(s[0], "unread", 6);
	close(s[1]);
	show_poll("reset", s[0]);
	CALL(read(s[0], buf, sizeof(buf)));
	CALL(read(s[0], buf, sizeof(buf)));
	CALL(write(s[0], "x", 1));
	show_poll("closed", s[0]);
	return 0;
}
