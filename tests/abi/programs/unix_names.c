/* Names of AF_UNIX sockets: lengths that getsockname(2) gives, cut buffers, autobind, odd lengths. */
#include "unix.h"

static void name_of(const char *what, int fd, socklen_t room)
{
	struct sockaddr_un name;
	socklen_t len = room;

	memset(&name, 0x55, sizeof(name));
	if (getsockname(fd, (struct sockaddr *)&name, &len))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: len %d, family %d, first bytes %02x %02x", what, (int)len, name.sun_family == AF_UNIX ? 1 : 0,
		     (unsigned char)name.sun_path[0], (unsigned char)name.sun_path[1]);
}

static long bind_len(int type, const char *bytes, socklen_t len)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);
	long ret;

	memcpy(name.sun_path, bytes, len > 2 ? len - 2 : 0);
	ret = bind(fd, (struct sockaddr *)&name, len);
	if (!ret)
		name_of("  bound", fd, sizeof(name));
	return ret;
}

int main(void)
{
	static char full[120];
	struct sockaddr_un name = { 0 }; /* the name of an autobind ends without a zero */
	socklen_t len;
	int fd, other, s[2], conn;

	memset(full, 'f', sizeof(full));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	name_of("unbound", fd, sizeof(name));
	name_of("room 1", fd, 1);
	name_of("room 0", fd, 0);
	name_of("negative room", fd, (socklen_t)-1);
	CALL(getsockname(fd, (struct sockaddr *)&name, NULL));
	CALL(getsockname(fd, (struct sockaddr *)8, &(socklen_t){ 100 }));
	CALL(getpeername(fd, (struct sockaddr *)&name, &(socklen_t){ 100 }));
	CALL(bind_len(SOCK_STREAM, "path", 7));
	CALL(bind_len(SOCK_STREAM, "pathX", 6));
	CALL(bind_len(SOCK_STREAM, "path", 6));
	CALL(bind_len(SOCK_STREAM, full, 110));
	CALL(bind_len(SOCK_STREAM, full, 111));
	CALL(bind_len(SOCK_STREAM, "\0abs", 6));
	CALL(bind_len(SOCK_STREAM, "\0abs", 6));
	CALL(bind_len(SOCK_STREAM, "\0abs\0", 7));
	CALL(bind_len(SOCK_STREAM, "\0", 3));
	CALL(bind_len(SOCK_STREAM, "", 1));
	CALL(bind_len(SOCK_DGRAM, "dir/none", 11));

	/* Autobind: five hexadecimal digits. */
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	name.sun_family = AF_UNIX;
	CALL(bind(fd, (struct sockaddr *)&name, 2));
	len = sizeof(name);
	getsockname(fd, (struct sockaddr *)&name, &len);
	show("len %d, digits %zu", (int)len, strspn(name.sun_path + 1, "0123456789abcdef"));
	CALL(bind(fd, (struct sockaddr *)&name, 2));
	CALL(bind_path(fd, "another"));

	/* The peer's name at both ends of a connection. */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(bind_path(fd, "server"));
	CALL(bind_path(fd, "server2"));
	listen(fd, 5);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(connect_path(other, "server"));
	len = sizeof(name);
	conn = accept(fd, (struct sockaddr *)&name, &len);
	show("accept: len %d", (int)len);
	len = sizeof(name);
	getpeername(other, (struct sockaddr *)&name, &len);
	show_name("peer of the client", &name, len);
	len = sizeof(name);
	getsockname(conn, (struct sockaddr *)&name, &len);
	show_name("accepted", &name, len);
	len = 6;
	getpeername(other, (struct sockaddr *)&name, &len);
	show("cut: len %d, \"%.4s\"", (int)len, name.sun_path);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	len = sizeof(name);
	CALL(getpeername(s[0], (struct sockaddr *)&name, &len));
	show("len %d", (int)len);
	name.sun_family = AF_INET;
	CALL(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, sizeof(name)));
	CALL(connect_path(socket(AF_UNIX, SOCK_DGRAM, 0), "server"));
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "none"));
	close(open("plain", O_CREAT, 0600));
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "plain"));
	close(fd);
	CALL(connect_path(socket(AF_UNIX, SOCK_STREAM, 0), "server"));
	return 0;
}
