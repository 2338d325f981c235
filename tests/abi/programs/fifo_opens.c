/* fifo(7): which opens wait, which fail, and what readers and writers see when the other end goes. */
#include "abi.h"

#include <poll.h>

static int events(int fd)
{
	struct pollfd p = { fd, POLLIN | POLLOUT, 0 };

	poll(&p, 1, 0);
	return p.revents;
}

int main(void)
{
	char b[10];
	int r, w, both, status;

	CALL(mkfifo("f", 0644));
	CALL(mkfifo("f", 0644));
	CALL(open("f", O_WRONLY | O_NONBLOCK));
	OK(r = open("f", O_RDONLY | O_NONBLOCK));
	show("no writer yet: %x", events(r));
	CALL(read(r, b, 1));
	OK(w = open("f", O_WRONLY | O_NONBLOCK));
	CALL(read(r, b, 1));
	show("reader %x writer %x", events(r), events(w));
	CALL(write(w, "hello", 5));
	show("reader %x", events(r));
	close(w);
	show("writer gone: %x", events(r));
	CALL(read(r, b, 10));
	show("empty: %x", events(r));
	CALL(read(r, b, 10));
	OK(w = open("f", O_WRONLY));
	show("writer again: %x", events(r));
	CALL(read(r, b, 10));
	close(r);
	show("no reader: %x", events(w));
	signal(SIGPIPE, SIG_IGN);
	CALL(write(w, "x", 1));
	close(w);
	OK(both = open("f", O_RDWR));
	CALL(write(both, "abc", 3));
	CALL(read(both, b, 10));
	CALL(lseek(both, 0, SEEK_SET));
	close(both);
	if (!fork()) {
		w = open("f", O_WRONLY); /* waits for the reader */
		write(w, "child", 5);
		_exit(0);
	}
	OK(r = open("f", O_RDONLY));
	CALL(read(r, b, 10));
	wait(&status);
	CALL(read(r, b, 10));
	CALL(unlink("f"));
	CALL(open("f", O_RDONLY | O_NONBLOCK));
	return 0;
}
