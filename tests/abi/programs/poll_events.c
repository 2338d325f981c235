/* poll(2) and ppoll(2): which events each kind of file reports, closed descriptors, time-outs. */
#include "abi.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static void ask(const char *what, int fd)
{
	struct pollfd p = { fd, POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLRDNORM | POLLWRNORM | POLLRDBAND | POLLWRBAND, 0 };
	int n = poll(&p, 1, 0);

	show("%s: %d %x", what, n, p.revents);
}

int main(void)
{
	struct timespec bad = { 0, 1000000000 }, none = { 0, 0 };
	struct rlimit limit = { 10, 10 };
	struct pollfd many[11];
	int p[2], s[2], e = eventfd(0, 0);

	pipe(p);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	ask("empty pipe, read end", p[0]);
	ask("empty pipe, write end", p[1]);
	write(p[1], "x", 1);
	ask("pipe with data", p[0]);
	close(p[1]);
	ask("and without writers", p[0]);
	read(p[0], many, 1);
	ask("empty, without writers", p[0]);
	pipe(p);
	close(p[0]);
	ask("without readers", p[1]);
	ask("socket", s[0]);
	write(s[1], "x", 1);
	ask("socket with data", s[0]);
	shutdown(s[1], SHUT_WR);
	ask("the peer does not write", s[0]);
	close(s[1]);
	ask("peer gone", s[0]);
	ask("eventfd 0", e);
	eventfd_write(e, 1);
	ask("eventfd 1", e);
	eventfd_write(e, 0xfffffffffffffffdUL);
	ask("eventfd full", e);
	ask("regular file", open("f", O_RDWR | O_CREAT, 0644));
	ask("directory", open(".", O_RDONLY));
	ask("/dev/null", open("/dev/null", O_RDWR));
	ask("closed", 99);
	ask("negative", -1);
	ask("path only", open("f", O_PATH));
	CALL(poll(NULL, 0, 10));
	CALL(poll((void *)8, 1, 0));
	CALL(ppoll(NULL, 0, &bad, NULL));
	CALL(ppoll(NULL, 0, &none, NULL));
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 11; i++)
		many[i] = (struct pollfd){ -1, 0, 0 };
	CALL(poll(many, 10, 0));
	CALL(poll(many, 11, 0));
	return 0;
}
