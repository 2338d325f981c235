/* bind(2): paths, their file, abstract names, autobind, errors; getsockname. */
#include "unix.h"

static void own(const char *what, int fd)
{
	struct sockaddr_un name;
	socklen_t len = sizeof(name);

	memset(&name, 0, sizeof(name));
	if (getsockname(fd, (struct sockaddr *)&name, &len))
		show("%s: %s", what, error_name(errno));
	else
		show_name(what, &name, len);
}

int main(void)
{
	int a = socket(AF_UNIX, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_DGRAM, 0), c;
	struct sockaddr_un name;
	struct stat st;
	socklen_t len;

	umask(027);
	CALL(bind_path(a, "sock"));
	own("path", a);
	CALL(stat("sock", &st));
	show("mode %o, size %d", st.st_mode, (int)st.st_size);
	CALL(bind_path(a, "sock2"));
	CALL(bind_path(b, "sock"));
	CALL(bind_path(b, "nodir/sock"));
	CALL(bind_path(b, "sock/x"));
	CALL(open("sock", O_RDWR));
	CALL(unlink("sock"));
	own("after unlink", a);
	CALL(bind_path(b, "sock"));
	close(b);
	CALL(stat("sock", &st));
	b = socket(AF_UNIX, SOCK_DGRAM, 0);
	CALL(bind_path(b, "sock"));

	len = abstract_name(&name, "abi-test");
	CALL(bind(b, (struct sockaddr *)&name, len));
	own("abstract", b);
	c = socket(AF_UNIX, SOCK_STREAM, 0);
	CALL(bind(c, (struct sockaddr *)&name, len));
	close(b);
	CALL(bind(c, (struct sockaddr *)&name, len));

	c = socket(AF_UNIX, SOCK_STREAM, 0);
	name.sun_family = AF_UNIX;
	CALL(bind(c, (struct sockaddr *)&name, sizeof(name.sun_family)));
	len = sizeof(name);
	getsockname(c, (struct sockaddr *)&name, &len);
	show("autobind: len %d, NUL %d, digits %zu", (int)len, !name.sun_path[0],
	     strspn(name.sun_path + 1, "0123456789abcdef") >= 5 ? (size_t)5 : 0);

	c = socket(AF_UNIX, SOCK_STREAM, 0);
	len = path_name(&name, "x");
	name.sun_family = AF_INET;
	CALL(bind(c, (struct sockaddr *)&name, len));
	name.sun_family = AF_UNIX;
	CALL(bind(c, (struct sockaddr *)&name, 1));
	CALL(bind(c, (struct sockaddr *)&name, 0));
	CALL(bind(c, (struct sockaddr *)&name, 111));
	CALL(bind(c, (struct sockaddr *)&name, -1));
	CALL(bind(c, (struct sockaddr *)8, len));
	memset(name.sun_path, 'n', sizeof(name.sun_path));
	CALL(bind(c, (struct sockaddr *)&name, sizeof(name)));
	len = 200;
	{
		char big[200];

		memset(big, 0, sizeof(big));
		CALL(getsockname(c, (struct sockaddr *)big, &len));
		show("len %d, strlen %zu", (int)len, strlen(big + 2));
	}
	len = 4;
	CALL(getsockname(a, (struct sockaddr *)&name, &len));
	show("full length %d", (int)len);
	len = -1;
	CALL(getsockname(a, (struct sockaddr *)&name, &len));
	return 0;
}
