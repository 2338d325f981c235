/* getsockopt(2) and setsockopt(2) of SOL_SOCKET. */
#include "unix.h"

static void get(int fd, const char *what, int name)
{
	int value = -77;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, name, &value, &len))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %d, len %d", what, value, (int)len);
}

static void set(int fd, const char *what, int name, int value)
{
	if (setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)))
		show("set %s %d: %s", what, value, error_name(errno));
	get(fd, what, name);
}

int main(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct timeval tv = { 1, 500000 };
	socklen_t len;
	char small[2];

	get(fd, "SO_TYPE", SO_TYPE);
	get(fd, "SO_DOMAIN", SO_DOMAIN);
	get(fd, "SO_PROTOCOL", SO_PROTOCOL);
	get(fd, "SO_ERROR", SO_ERROR);
	get(fd, "SO_ACCEPTCONN", SO_ACCEPTCONN);
	get(fd, "SO_SNDBUF", SO_SNDBUF);
	get(fd, "SO_RCVBUF", SO_RCVBUF);
	set(fd, "SO_SNDBUF", SO_SNDBUF, 10000);
	set(fd, "SO_SNDBUF", SO_SNDBUF, 0);
	set(fd, "SO_SNDBUF", SO_SNDBUF, 100000000);
	set(fd, "SO_RCVBUF", SO_RCVBUF, 1);
	set(fd, "SO_RCVBUF", SO_RCVBUF, 5000);
	set(fd, "SO_PASSCRED", SO_PASSCRED, 5);
	set(fd, "SO_REUSEADDR", SO_REUSEADDR, 1);
	set(fd, "SO_KEEPALIVE", SO_KEEPALIVE, 1);
	set(fd, "SO_BROADCAST", SO_BROADCAST, 1);
	set(fd, "SO_PRIORITY", SO_PRIORITY, 3);
	set(fd, "SO_RCVLOWAT", SO_RCVLOWAT, 0);
	set(fd, "SO_TYPE", SO_TYPE, 1);
	set(fd, "SO_DOMAIN", SO_DOMAIN, 1);
	set(fd, "999", 999, 1);
	len = sizeof(tv);
	CALL(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len));
	show("timeout %ld.%06ld, len %d", (long)tv.tv_sec, (long)tv.tv_usec, (int)len);
	tv = (struct timeval){ 1, 500000 };
	CALL(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	tv = (struct timeval){ 9, 9 };
	CALL(getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, &len));
	show("timeout %ld.%06ld", (long)tv.tv_sec, (long)tv.tv_usec);
	tv.tv_usec = 1000000;
	CALL(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	CALL(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, 4));
	len = 2;
	CALL(getsockopt(fd, SOL_SOCKET, SO_TYPE, small, &len));
	show("short: %d, len %d", *(short *)small, (int)len);
	len = -1;
	CALL(getsockopt(fd, SOL_SOCKET, SO_TYPE, small, &len));
	CALL(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &len, 2));
	CALL(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, (int *)8, 4));
	CALL(setsockopt(fd, 6, 1, &len, 4));
	len = 4;
	CALL(getsockopt(fd, 0, 1, small, &len));
	CALL(getsockopt(0, SOL_SOCKET, SO_TYPE, small, &len));
	bind_path(fd, "x");
	listen(fd, 1);
	get(fd, "SO_ACCEPTCONN", SO_ACCEPTCONN);
	return 0;
}
