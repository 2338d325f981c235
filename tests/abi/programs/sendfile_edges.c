/* sendfile(2): offsets, positions, sources and targets of each kind. */
#include "abi.h"
#include <sys/sendfile.h>
#include <sys/socket.h>

int main(void)
{
	int in = open("in", O_RDWR | O_CREAT, 0644), out = open("out", O_RDWR | O_CREAT, 0644);
	int p[2], s[2], zero = open("/dev/zero", O_RDONLY), fd;
	char buf[64] = "";
	off_t at = 3;

	write(in, "0123456789", 10);
	lseek(in, 0, SEEK_SET);
	CALL(sendfile(out, in, &at, 4));
	show("offset %ld, positions %ld %ld", (long)at, (long)lseek(in, 0, SEEK_CUR),
	     (long)lseek(out, 0, SEEK_CUR));
	CALL(sendfile(out, in, NULL, 2));
	show("positions %ld %ld", (long)lseek(in, 0, SEEK_CUR), (long)lseek(out, 0, SEEK_CUR));
	CALL(sendfile(out, in, NULL, 100));
	CALL(sendfile(out, in, NULL, 100));
	CALL(pread(out, buf, 63, 0));
	show("\"%s\"", buf);
	at = 100;
	CALL(sendfile(out, in, &at, 1));
	at = -5;
	CALL(sendfile(out, in, &at, 1));
	CALL(sendfile(out, in, (off_t *)8, 1));
	CALL(sendfile(99, 99, (off_t *)8, 1));
	at = 0;
	CALL(sendfile(out, in, &at, 0));

	/* The same file: the end runs away, but not further than the count. */
	lseek(in, 0, SEEK_END);
	at = 0;
	CALL(sendfile(in, in, &at, 5));
	show("size %ld", (long)lseek(in, 0, SEEK_END));

	pipe2(p, O_NONBLOCK);
	at = 0;
	CALL(sendfile(p[1], in, &at, 3));
	CALL(sendfile(out, p[0], NULL, 3));
	at = 0;
	CALL(sendfile(out, p[0], &at, 3));
	CALL(read(p[0], buf, 63));
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	at = 7;
	CALL(sendfile(s[0], in, &at, 2));
	CALL(read(s[1], buf, 63));
	CALL(sendfile(out, s[1], NULL, 1));
	lseek(out, 0, SEEK_SET);
	CALL(sendfile(out, zero, NULL, 5));

	fd = open("out", O_WRONLY | O_APPEND);
	CALL(sendfile(fd, in, &at, 1));
	fd = open("out", O_RDONLY);
	CALL(sendfile(fd, in, &at, 1));
	fd = open("in", O_WRONLY);
	CALL(sendfile(out, fd, &at, 1));
	fd = open(".", O_RDONLY);
	CALL(sendfile(out, fd, &at, 1));
	CALL(sendfile(99, in, &at, 1));
	CALL(sendfile(out, 99, &at, 1));
	fd = open("/dev/full", O_WRONLY);
	CALL(sendfile(fd, in, &at, 1));
	fd = open("/dev/null", O_WRONLY);
	at = 0;
	CALL(sendfile(fd, in, &at, 1000));
	show("offset %ld", (long)at);
	return 0;
}
