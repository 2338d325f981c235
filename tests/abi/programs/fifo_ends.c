/* FIFOs: which opens wait, what the last close of each side does, poll. */
#include "abi.h"
#include <poll.h>

static void events(const char *what, int fd)
{
	struct pollfd p = { fd, POLLIN | POLLOUT, 0 };

	poll(&p, 1, 0);
	show("%s:%s%s%s%s", what, p.revents & POLLIN ? " IN" : "", p.revents & POLLOUT ? " OUT" : "",
	     p.revents & POLLHUP ? " HUP" : "", p.revents & POLLERR ? " ERR" : "");
}

int main(void)
{
	char buf[16];
	int r, w, both, status, go[2];
	pid_t pid;
	char c;

	signal(SIGPIPE, SIG_IGN);
	mkfifo("p", 0600);
	CALL(mkfifo("p", 0600));
	CALL(open("p", O_WRONLY | O_NONBLOCK));
	OK(r = open("p", O_RDONLY | O_NONBLOCK));
	CALL(read(r, buf, 10));
	events("never a writer", r);
	OK(w = open("p", O_WRONLY | O_NONBLOCK));
	events("reader", r);
	events("writer", w);
	CALL(read(r, buf, 10));
	CALL(write(w, "abc", 3));
	events("reader", r);
	close(w);
	events("writer gone, data left", r);
	CALL(read(r, buf, 10));
	CALL(read(r, buf, 10));
	events("writer gone", r);
	OK(w = open("p", O_WRONLY));
	events("a new writer", r);
	close(r);
	events("reader gone", w);
	CALL(write(w, "x", 1));
	close(w);

	OK(both = open("p", O_RDWR));
	CALL(write(both, "self", 4));
	events("both ends", both);
	CALL(read(both, buf, 10));
	OK(w = open("p", O_WRONLY | O_NONBLOCK));
	CALL(write(w, "kept", 4));
	close(w);
	close(both);
	OK(r = open("p", O_RDONLY | O_NONBLOCK));
	CALL(read(r, buf, 10));
	close(r);

	/* While the writer stays, what it has written waits for the next reader. */
	OK(r = open("p", O_RDONLY | O_NONBLOCK));
	OK(w = open("p", O_WRONLY));
	CALL(write(w, "later", 5));
	close(r);
	events("reader gone, data left", w);
	CALL(write(w, "x", 1));
	OK(r = open("p", O_RDONLY | O_NONBLOCK));
	CALL(read(r, buf, 10));
	close(r);
	close(w);

	/* Each waits for the other. */
	pid = fork();
	if (!pid) {
		w = open("p", O_WRONLY);
		write(w, "met", 3);
		_exit(w < 0);
	}
	OK(r = open("p", O_RDONLY));
	CALL(read(r, buf, 10));
	waitpid(pid, &status, 0);
	show_status("writer", status);
	close(r);

	/* An open that waits is ended by a signal. */
	pipe(go);
	pid = fork();
	if (!pid) {
		struct sigaction sa = { .sa_handler = SIG_DFL };
		struct itimerval timer = { { 0, 20000 }, { 0, 20000 } };

		sigaction(SIGALRM, &sa, NULL);
		setitimer(ITIMER_REAL, &timer, NULL);
		open("p", O_RDONLY);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status("alarm", status);
	CALL(lseek(go[0], 0, SEEK_CUR));
	CALL(open("p", O_RDONLY | O_DIRECTORY));
	CALL(truncate("p", 0));
	OK(r = open("p", O_RDONLY | O_NONBLOCK | O_TRUNC));
	CALL(ftruncate(r, 0));
	CALL(write(r, "x", 1));
	CALL(fsync(r));
	CALL(read(go[1], &c, 1));
	CALL(write(go[0], &c, 1));
	return 0;
}
