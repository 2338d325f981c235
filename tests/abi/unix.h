/* What the programs about AF_UNIX sockets share. */
#pragma once

#include "abi.h"
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

static inline socklen_t path_name(struct sockaddr_un *name, const char *path)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	strcpy(name->sun_path, path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
}

static inline socklen_t abstract_name(struct sockaddr_un *name, const char *text)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	strcpy(name->sun_path + 1, text);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(text));
}

static inline int bind_path(int fd, const char *path)
{
	struct sockaddr_un name;
	socklen_t len = path_name(&name, path);

	return bind(fd, (struct sockaddr *)&name, len);
}

static inline int connect_path(int fd, const char *path)
{
	struct sockaddr_un name;
	socklen_t len = path_name(&name, path);

	return connect(fd, (struct sockaddr *)&name, len);
}

static inline ssize_t sendto_path(int fd, const char *text, const char *path)
{
	struct sockaddr_un name;
	socklen_t len = path_name(&name, path);

	return sendto(fd, text, strlen(text), 0, (struct sockaddr *)&name, len);
}

static inline void show_name(const char *what, const struct sockaddr_un *name, socklen_t len)
{
	char text[128] = "";
	size_t n = len > 2 ? len - 2 : 0;

	for (size_t i = 0; i < n && i < sizeof(text) - 1; i++)
		text[i] = name->sun_path[i] ? name->sun_path[i] : '@';
	show("%s: len %d, family %d, \"%s\"", what, (int)len, len >= 2 ? name->sun_family : -1, text);
}

/* Sends bytes with n descriptors. */
static inline ssize_t send_fds(int fd, const char *text, size_t len, const int *fds, unsigned n)
{
	char control[CMSG_SPACE(300 * sizeof(int))] = "";
	struct iovec iov = { (void *)text, len };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(cmsg), fds, n * sizeof(int));
	return syscall(SYS_sendmsg, fd, &msg, MSG_NOSIGNAL); /* musl limits the control data */
}

/* Receives; shows bytes, flags and control data. Returns the first descriptor, or -1. */
static inline int recv_show(const char *what, int fd, size_t size, size_t control_size, int flags)
{
	static char buf[70000], control[4096];
	struct iovec iov = { buf, size };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = control_size };
	ssize_t n = recvmsg(fd, &msg, flags);
	int first = -1;

	if (n < 0) {
		show("%s: %s", what, error_name(errno));
		return -1;
	}
	show("%s: %zd \"%.*s\", flags %x, control %zu", what, n, (int)(n > 40 ? 40 : n), buf,
	     (unsigned)msg.msg_flags & ~(unsigned)MSG_CMSG_CLOEXEC, (size_t)msg.msg_controllen);
	for (struct cmsghdr *c = msg.msg_controllen ? CMSG_FIRSTHDR(&msg) : NULL; c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_type == SCM_RIGHTS) {
			int count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));

			show("  rights %d", count);
			if (count)
				memcpy(&first, CMSG_DATA(c), sizeof(int));
		} else if (c->cmsg_type == SCM_CREDENTIALS) {
			struct ucred u;

			memcpy(&u, CMSG_DATA(c), sizeof(u));
			show("  credentials: %s uid %d gid %d",
			     u.pid == getpid() ? "own pid" : u.pid ? "other pid" : "no pid",
			     (int)u.uid, (int)u.gid);
		}
	}
	return first;
}

static inline void show_poll(const char *what, int fd)
{
	struct pollfd p = { fd, POLLIN | POLLOUT | POLLPRI | 0x2000, 0 };
	int n = poll(&p, 1, 0);

	show("%s: %d%s%s%s%s%s%s", what, n, p.revents & POLLIN ? " IN" : "",
	     p.revents & POLLPRI ? " PRI" : "", p.revents & POLLOUT ? " OUT" : "",
	     p.revents & POLLERR ? " ERR" : "", p.revents & POLLHUP ? " HUP" : "",
	     p.revents & 0x2000 ? " RDHUP" : "");
}
