/* poll(2), select(2), ppoll(2) on pipes and files; SIGPIPE; sendfile(2), splice(2), tee(2); atomic writes to pipes. */
#include <poll.h>
#include <sys/select.h>
#include <sys/sendfile.h>

#include "abi.h"

static int p[2];

static void polls(const char *name, int fd, short events)
{
	struct pollfd one = { fd, events, 0 };
	int n = poll(&one, 1, 0);

	show("%s: %d revents %x", name, n, one.revents);
}

static void broken(void)
{
	close(p[0]);
	write(p[1], "x", 1);
}

static void writers(void)
{
	char buf[4096];
	int blocks[4] = { 0 };

	pipe(p);
	for (int i = 0; i < 4; i++)
		if (!fork()) {
			memset(buf, i, sizeof(buf));
			for (int n = 0; n < 50; n++)
				write(p[1], buf, sizeof(buf));
			_exit(0);
		}
	close(p[1]);
	for (;;) {
		size_t have = 0;
		long n;

		while (have < sizeof(buf) && (n = read(p[0], buf + have, sizeof(buf) - have)) > 0)
			have += (size_t)n;
		if (have < sizeof(buf))
			break;
		if (memcmp(buf, buf + 1, sizeof(buf) - 1))
			show("mixed");
		blocks[(int)buf[0]]++;
	}
	show("%d %d %d %d", blocks[0], blocks[1], blocks[2], blocks[3]);
}

int main(void)
{
	struct timespec short_time = { 0, 10000000 };
	struct timeval zero = { 0, 0 };
	struct pollfd two[2];
	char buf[70000];
	fd_set readable, writable;
	int fd, out, q[2];
	off_t offset = 2;
	pid_t pid;

	pipe(p);
	polls("empty", p[0], POLLIN);
	polls("room", p[1], POLLOUT | POLLIN);
	write(p[1], "x", 1);
	polls("data", p[0], POLLIN | POLLOUT | POLLRDNORM);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	while (write(p[1], buf, 4096) > 0)
		;
	polls("full", p[1], POLLOUT);
	polls("closed number", 99, POLLIN);
	polls("negative", -1, POLLIN);
	fd = open("f", O_RDWR | O_CREAT, 0600);
	polls("file", fd, POLLIN | POLLOUT);
	polls("null", 0, POLLIN | POLLOUT);
	two[0] = (struct pollfd){ p[0], POLLIN, 0 };
	two[1] = (struct pollfd){ 99, POLLIN, 0 };
	CALL(poll(two, 2, -1));
	CALL(poll(NULL, 1, 0));
	CALL(poll(NULL, 0, 1));
	CALL(ppoll(NULL, 0, &short_time, NULL));
	FD_ZERO(&readable);
	FD_ZERO(&writable);
	FD_SET(p[0], &readable);
	FD_SET(p[1], &writable);
	CALL(select(20, &readable, &writable, NULL, &zero));
	show("%d %d", !!FD_ISSET(p[0], &readable), !!FD_ISSET(p[1], &writable));
	FD_SET(19, &readable);
	CALL(select(20, &readable, NULL, NULL, &zero));
	CALL(select(-1, NULL, NULL, NULL, &zero));
	close(p[1]);
	polls("writer gone", p[0], POLLIN);
	while (read(p[0], buf, sizeof(buf)) > 0)
		;
	polls("writer gone, empty", p[0], POLLIN);
	close(p[0]);
	pipe(p);
	close(p[0]);
	polls("reader gone", p[1], POLLOUT);
	close(p[1]);
	pipe(p);
	pid = fork();
	if (!pid) {
		usleep(20000);
		write(p[1], "x", 1);
		_exit(0);
	}
	two[0] = (struct pollfd){ p[0], POLLIN, 0 };
	CALL(poll(two, 1, -1));
	waitpid(pid, NULL, 0);
	CHILD(broken);
	signal(SIGPIPE, SIG_IGN);
	CHILD(broken);
	CHILD(writers);

	pipe(p);
	pipe(q);
	CALL(write(fd, "0123456789", 10));
	CALL(out = open("out", O_RDWR | O_CREAT, 0600));
	CALL(sendfile(out, fd, &offset, 5));
	show("offset %ld", (long)offset);
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(sendfile(out, fd, NULL, 100));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(sendfile(p[1], fd, &offset, 100));
	CALL(sendfile(out, p[0], NULL, 1));
	CALL(tee(p[0], q[1], 2, 0));
	CALL(splice(p[0], NULL, out, NULL, 100, 0));
	CALL(splice(out, NULL, fd, NULL, 100, 0));
	CALL(splice(p[0], &offset, out, NULL, 100, 0));
	CALL(splice(p[0], NULL, out, NULL, 100, SPLICE_F_NONBLOCK));
	memset(buf, 0, 100);
	CALL(read(q[0], buf, 10));
	show("%s", buf);
	memset(buf, 0, 100);
	CALL(pread(out, buf, 100, 0));
	show("%s", buf);
	return 0;
}
