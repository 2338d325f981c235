/* socketpair(2): the three types, their boundaries, reading and writing. */
#include "unix.h"

static void pair(int type, const char *name)
{
	int s[2], n = -1;
	char buf[64];
	struct stat st;

	show("-- %s", name);
	CALL(socketpair(AF_UNIX, type, 0, s));
	CALL(fstat(s[0], &st));
	show("mode %o", st.st_mode);
	CALL(lseek(s[0], 0, SEEK_SET));
	CALL(pread(s[0], buf, 1, 0));
	CALL(write(s[0], "one", 3));
	CALL(write(s[0], "two", 3));
	CALL(ioctl(s[1], FIONREAD, &n));
	show("waiting %d", n);
	CALL(read(s[1], buf, 5));
	CALL(recv(s[1], buf, sizeof(buf), MSG_DONTWAIT));
	CALL(recv(s[1], buf, sizeof(buf), MSG_DONTWAIT));
	CALL(send(s[1], "back", 4, 0));
	CALL(read(s[0], buf, sizeof(buf)));
	CALL(write(s[0], buf, 0));
	CALL(recv(s[1], buf, sizeof(buf), MSG_DONTWAIT));
	CALL(close(s[0]));
	CALL(recv(s[1], buf, sizeof(buf), MSG_DONTWAIT)); /* a datagram socket would wait for ever */
	signal(SIGPIPE, SIG_IGN);
	CALL(write(s[1], "x", 1));
	CALL(close(s[1]));
}

int main(void)
{
	int s[2];

	pair(SOCK_STREAM, "stream");
	pair(SOCK_DGRAM, "dgram");
	pair(SOCK_SEQPACKET, "seqpacket");
	CALL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, s));
	CALL(fcntl(s[0], F_GETFD));
	TRUTH(fcntl(s[1], F_GETFL) == (O_RDWR | O_NONBLOCK));
	CALL(read(s[0], s, 1));
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)8));
	CALL(socketpair(AF_UNIX, 77, 0, s));
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 2, s));
	return 0;
}
