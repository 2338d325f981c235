/*
 * take_all KIND: user 1000 takes all memory of the kernel that it can get, in eight processes. Their parent says when they
 * have it, and waits to be killed. It stays root: a user who has taken all may find no memory to say so.
 * KIND: pipes, sockets, messages, memfd, shared, files.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 8

static char data[1 << 16];

static void fill(int fd)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, data, sizeof(data)) > 0)
		;
}

/* Full pipes, in messages that nobody receives. */
static void send_pipes(void)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { data, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = (struct cmsghdr *)control;
	int pair[2], p[2];

	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	c->cmsg_len = CMSG_LEN(sizeof(int));
	while (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		while (!pipe(p)) {
			fill(p[1]);
			close(p[1]);
			memcpy(CMSG_DATA(c), p, sizeof(int));
			if (sendmsg(pair[0], &msg, MSG_DONTWAIT) < 0)
				break;
			close(p[0]);
		}
		close(p[0]);
	}
}

/* Pages of shared memory that no page table shows any more. */
static void hide_pages(void)
{
	char *p = mmap(NULL, 1UL << 40, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (long i = 0; i < 1 << 17; i++) {
		p[i << 12] = 1;
		if (i % 256 == 255)
			madvise(p, 1UL << 30, MADV_DONTNEED);
	}
}

static void take(const char *kind)
{
	int fds[2], fd;

	if (!strcmp(kind, "pipes"))
		while (!pipe(fds))
			fill(fds[1]);
	else if (!strcmp(kind, "sockets"))
		while (!socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
			fill(fds[1]);
	else if (!strcmp(kind, "messages"))
		send_pipes();
	else if (!strcmp(kind, "memfd"))
		while ((fd = memfd_create("m", 0)) >= 0 && write(fd, data, sizeof(data)) > 0)
			fill(fd);
	else if (!strcmp(kind, "shared"))
		hide_pages();
	else
		while (open("/", O_RDONLY) >= 0)
			;
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 4096, 4096 };
	int done[2];
	char byte;

	if (argc < 2 || pipe(done) || setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	for (int i = 0; i < PROCESSES; i++) {
		if (fork())
			continue;
		close(done[0]);
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			return 1;
		take(argv[1]);
		write(done[1], "x", 1);
		close(done[1]);
		pause();
	}
	close(done[1]);
	/* The end of file: each process has taken all, or was ended for it. */
	while (read(done[0], &byte, 1) > 0)
		;
	printf("%s: taken\n", argv[1]);
	fflush(stdout);
	pause();
	return 0;
}
