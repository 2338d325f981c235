/* listen(2), connect(2), accept(2): states and errors. */
#include "unix.h"

int main(void)
{
	int l = socket(AF_UNIX, SOCK_STREAM, 0), c, d, s;
	struct sockaddr_un name;
	socklen_t len;

	CALL(listen(l, 5));
	CALL(accept(l, NULL, NULL));
	CALL(connect_path(l, "none"));
	CALL(bind_path(l, "sock"));
	c = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CALL(connect_path(c, "sock"));
	CALL(listen(l, 0));
	show_poll("listener", l);
	CALL(connect_path(c, "sock"));
	CALL(connect_path(c, "sock"));
	CALL(listen(c, 1));
	show_poll("connected", c);
	show_poll("listener", l);
	/* A backlog of 0 has room for one. */
	d = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CALL(connect_path(d, "sock"));
	CALL(write(c, "early", 5));
	len = sizeof(name);
	s = OK(accept4(l, (struct sockaddr *)&name, &len, SOCK_CLOEXEC));
	show_name("client", &name, len);
	CALL(fcntl(s, F_GETFD));
	TRUTH((fcntl(s, F_GETFL) & O_NONBLOCK) == 0);
	recv_show("early", s, 10, 0, 0);
	len = sizeof(name);
	CALL(getsockname(s, (struct sockaddr *)&name, &len));
	show_name("server", &name, len);
	len = sizeof(name);
	CALL(getpeername(c, (struct sockaddr *)&name, &len));
	show_name("peer", &name, len);
	CALL(syscall(SYS_accept4, l, NULL, NULL, 0x123));
	fcntl(l, F_SETFL, O_NONBLOCK);
	CALL(accept(l, NULL, NULL));
	CALL(accept(s, NULL, NULL));
	CALL(connect_path(d, "sock"));
	CALL(connect_path(l, "sock"));
	CALL(write(l, "x", 1));
	CALL(recv(l, &s, 1, 0));
	CALL(ioctl(l, FIONREAD, &s));
	CALL(listen(l, 10));
	CALL(listen(l, -1));
	/* The connection that nobody has accepted is reset. */
	CALL(close(l));
	show_poll("reset", d);
	CALL(read(d, &s, 1));
	CALL(read(d, &s, 1));
	d = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(connect_path(d, "sock"));
	unlink("sock");
	CALL(connect_path(d, "sock"));
	close(open("sock", O_CREAT | O_RDWR, 0666));
	CALL(connect_path(d, "sock"));
	s = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind_path(s, "dgram");
	CALL(connect_path(d, "dgram"));
	CALL(listen(s, 1));
	CALL(accept(s, NULL, NULL));
	path_name(&name, "dgram");
	name.sun_family = AF_UNSPEC;
	CALL(connect(d, (struct sockaddr *)&name, sizeof(name)));
	CALL(connect(d, (struct sockaddr *)&name, 1));
	return 0;
}
