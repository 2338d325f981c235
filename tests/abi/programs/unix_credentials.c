/* SCM_CREDENTIALS, SO_PASSCRED and SO_PEERCRED. */
#include "unix.h"

static ssize_t send_cred(int fd, pid_t pid, uid_t uid, gid_t gid)
{
	struct ucred cred = { pid, uid, gid };
	char control[CMSG_SPACE(sizeof(cred))] = "";
	struct iovec iov = { "c", 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_CREDENTIALS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(cred));
	memcpy(CMSG_DATA(cmsg), &cred, sizeof(cred));
	return sendmsg(fd, &msg, 0);
}

static void peer(const char *what, int fd)
{
	struct ucred cred = { 1, 2, 3 };
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %s uid %d gid %d", what,
		     cred.pid == getpid() ? "own" : cred.pid ? "other" : "0", (int)cred.uid,
		     (int)cred.gid);
}

static int s[2];

static void nobody(void)
{
	setgid(65534);
	setuid(65534);
	CALL(send_cred(s[0], getpid(), 65534, 65534));
	CALL(send_cred(s[0], getpid(), 0, 65534));
	CALL(send_cred(s[0], getpid(), 65534, 0));
	CALL(send_cred(s[0], 1, 65534, 65534));
	CALL(write(s[0], "w", 1));
}

int main(void)
{
	int on = 1, l, c, a, status;

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	peer("pair", s[0]);
	write(s[0], "a", 1);
	CALL(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	write(s[0], "b", 1);
	recv_show("sent before", s[1], 10, 100, 0);
	recv_show("sent after", s[1], 10, 100, 0);
	CALL(send_cred(s[0], getpid(), getuid(), getgid()));
	recv_show("explicit", s[1], 10, 100, 0);
	CALL(send_cred(s[0], 1, 7, 8));
	recv_show("root may claim", s[1], 10, 100, 0);
	CALL(send_cred(s[0], 999999, 7, 8));
	CHILD(nobody);
	recv_show("nobody", s[1], 1, 100, 0);
	recv_show("nobody", s[1], 10, 100, 0);
	write(s[0], "x", 1);
	recv_show("no control", s[1], 10, 0, 0);

	l = socket(AF_UNIX, SOCK_STREAM, 0);
	bind_path(l, "l");
	listen(l, 5);
	chmod("l", 0777);
	peer("listener", l);
	if (!fork()) {
		setgid(77);
		setuid(77);
		c = socket(AF_UNIX, SOCK_STREAM, 0);
		peer("unconnected", c);
		CALL(connect_path(c, "l"));
		peer("server is", c);
		_exit(0);
	}
	wait(&status);
	a = accept(l, NULL, NULL);
	peer("client was", a);
	return 0;
}
