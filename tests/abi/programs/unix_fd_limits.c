/* SCM_RIGHTS at its edges: too many, bad ones, no room, RLIMIT_NOFILE of the receiver, MSG_CMSG_CLOEXEC. */
#include "unix.h"

static int open_count(void)
{
	int n = 0;

	for (int fd = 0; fd < 600; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Shows what is received, and closes it. */
static void get(const char *what, int fd, size_t control_size, int flags)
{
	static char control[4096];
	char buf[10];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = control_size };
	int before = open_count(), cloexec = 0, count = 0, fds[300];
	ssize_t n = recvmsg(fd, &msg, flags);

	for (struct cmsghdr *c = msg.msg_controllen ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
		count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(c), (size_t)count * sizeof(int));
	}
	for (int i = 0; i < count; i++)
		cloexec += fcntl(fds[i], F_GETFD) & 1;
	show("%s: %zd, %d new, %d told, %d close on exec%s", what, n, open_count() - before, count, cloexec,
	     msg.msg_flags & MSG_CTRUNC ? ", truncated" : "");
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

int main(void)
{
	int s[2], fds[300], p[2];
	struct rlimit limit = { 30, 1024 };
	struct iovec iov = { "x", 1 };
	char control[64] = "";
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	struct cmsghdr *c = (struct cmsghdr *)control;

	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	pipe(p);
	for (int i = 0; i < 300; i++)
		fds[i] = p[i % 2];
	CALL(send_fds(s[0], "x", 1, fds, 253));
	get("253", s[1], 4096, 0);
	CALL(send_fds(s[0], "x", 1, fds, 254));
	CALL(send_fds(s[0], "x", 1, fds, 0));
	get("none", s[1], 4096, 0);
	fds[1] = 99;
	CALL(send_fds(s[0], "x", 1, fds, 2));
	fds[1] = -1;
	CALL(send_fds(s[0], "x", 1, fds, 2));
	fds[1] = p[1];
	CALL(send_fds(s[0], "x", 1, fds, 4));
	get("room for two", s[1], CMSG_SPACE(2 * sizeof(int)), 0);
	CALL(send_fds(s[0], "x", 1, fds, 3));
	get("no room", s[1], 0, 0);
	CALL(send_fds(s[0], "x", 1, fds, 3));
	get("room for a header", s[1], CMSG_LEN(0), 0);
	CALL(send_fds(s[0], "x", 1, fds, 3));
	get("MSG_CMSG_CLOEXEC", s[1], 4096, MSG_CMSG_CLOEXEC);
	setrlimit(RLIMIT_NOFILE, &limit);
	CALL(send_fds(s[0], "x", 1, fds, 40));
	get("RLIMIT_NOFILE", s[1], 4096, 0);
	show("open %d", open_count());

	/* Control data that is wrong. */
	msg.msg_controllen = 8;
	CALL(syscall(SYS_sendmsg, s[0], &msg, 0));
	msg.msg_controllen = CMSG_SPACE(sizeof(int));
	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	c->cmsg_len = 4;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));
	c->cmsg_len = 1000;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));
	c->cmsg_len = CMSG_LEN(sizeof(int));
	c->cmsg_type = 99;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_level = 77;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));
	msg.msg_control = (void *)8;
	CALL(syscall(SYS_sendmsg, s[0], &msg, MSG_DONTWAIT));

	/* A socket through itself. */
	CALL(send_fds(s[0], "x", 1, s, 2));
	get("itself", s[1], 4096, 0);
	return 0;
}
