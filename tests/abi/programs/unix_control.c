/* Control data that is malformed, or of other kinds. */
#include "unix.h"

static int s[2];

static void try(const char *what, size_t controllen, size_t len, int level, int type)
{
	union {
		struct cmsghdr header;
		char bytes[64];
	} control;
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = controllen };
	ssize_t n;

	memset(&control, 0, sizeof(control));
	control.header.cmsg_len = len;
	control.header.cmsg_level = level;
	control.header.cmsg_type = type;
	n = syscall(SYS_sendmsg, s[0], &msg, 0);
	show("%s: %s", what, n < 0 ? error_name(errno) : "sent");
}

int main(void)
{
	char c;

	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, s);
	try("no control", 0, 0, 0, 0);
	try("shorter than a header", 8, 16, SOL_SOCKET, SCM_RIGHTS);
	try("length 0", 32, 0, SOL_SOCKET, SCM_RIGHTS);
	try("length too large", 32, 40, SOL_SOCKET, SCM_RIGHTS);
	try("no descriptors", 16, 16, SOL_SOCKET, SCM_RIGHTS);
	try("two bytes", 24, 18, SOL_SOCKET, SCM_RIGHTS);
	try("descriptor 0", 24, 20, SOL_SOCKET, SCM_RIGHTS);
	try("short credentials", 24, 20, SOL_SOCKET, SCM_CREDENTIALS);
	try("unknown type", 24, 20, SOL_SOCKET, 99);
	try("other level", 24, 20, 6, 99);
	while (recv(s[1], &c, 1, 0) == 1)
		show("received");
	return 0;
}
