/* socket(2): families, types, protocols, flags; what an unconnected socket can do. */
#include "unix.h"

int main(void)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	char buf[8], text[64] = "";
	char link[32];
	int fd;

	OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(socket(AF_UNIX, SOCK_DGRAM, 1));
	OK(socket(AF_UNIX, SOCK_SEQPACKET, 0));
	fd = OK(socket(AF_UNIX, SOCK_RAW, 0));
	CALL(getsockopt(fd, SOL_SOCKET, SO_TYPE, buf, &len));
	show("raw is type %d", *(int *)buf);
	CALL(socket(AF_UNIX, 0, 0));
	CALL(socket(AF_UNIX, 4, 0));
	CALL(socket(AF_UNIX, SOCK_STREAM | 0x100, 0));
	CALL(socket(AF_UNIX, SOCK_STREAM, 6));
	CALL(socket(-1, SOCK_STREAM, 0));
	CALL(socket(46, SOCK_STREAM, 0));
	CALL(socket(99, SOCK_STREAM, 0));
	fd = OK(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	CALL(fcntl(fd, F_GETFD));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	readlink(link, text, sizeof(text) - 1);
	TRUTH(!strncmp(text, "socket:[", 8));
	len = sizeof(name);
	CALL(getsockname(fd, (struct sockaddr *)&name, &len));
	show_name("own", &name, len);
	len = sizeof(name);
	CALL(getpeername(fd, (struct sockaddr *)&name, &len));
	CALL(read(fd, buf, 1));
	signal(SIGPIPE, SIG_IGN);
	CALL(write(fd, "x", 1));
	CALL(send(fd, "x", 1, 0));
	CALL(recv(fd, buf, 1, 0));
	CALL(shutdown(fd, SHUT_RD));
	CALL(shutdown(fd, 3));
	CALL(shutdown(fd, -1));
	show_poll("stream", fd);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	CALL(read(fd, buf, 1));
	CALL(write(fd, "x", 1));
	show_poll("dgram", fd);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	CALL(read(fd, buf, 1));
	CALL(write(fd, "x", 1));
	show_poll("seqpacket", fd);
	CALL(send(1, "x", 1, 0));
	CALL(send(99, "x", 1, 0));
	CALL(listen(0, 1));
	CALL(getsockname(fd, (struct sockaddr *)8, &len));
	CALL(getsockname(fd, (struct sockaddr *)&name, (socklen_t *)8));
	return 0;
}
