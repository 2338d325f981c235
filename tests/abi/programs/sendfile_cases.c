/* sendfile(2): offsets, the ends of files, files that cannot take part. */
#include "abi.h"

#include <sys/sendfile.h>

static void content(const char *name)
{
	char buf[100] = { 0 };
	int fd = open(name, O_RDONLY);

	show("%s: %ld %s", name, (long)read(fd, buf, 99), buf);
	close(fd);
}

int main(void)
{
	int in = open("in", O_RDWR | O_CREAT, 0644), out = open("out", O_RDWR | O_CREAT, 0644), p[2];
	int append = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
	char buf[20] = { 0 };
	off_t at = 3;

	pipe2(p, O_NONBLOCK);
	write(in, "0123456789", 10);
	CALL(sendfile(out, in, NULL, 5));
	lseek(in, 2, SEEK_SET);
	CALL(sendfile(out, in, NULL, 5));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(sendfile(out, in, &at, 4));
	show("at %ld", (long)at);
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(sendfile(out, in, &at, 100));
	show("at %ld", (long)at);
	CALL(sendfile(out, in, &at, 100));
	at = 100;
	CALL(sendfile(out, in, &at, 1));
	at = -1;
	CALL(sendfile(out, in, &at, 1));
	content("out");
	at = 0;
	CALL(sendfile(p[1], in, &at, 10));
	CALL(read(p[0], buf, 20));
	show("%s", buf);
	CALL(sendfile(append, in, &at, 10));
	CALL(sendfile(out, p[0], NULL, 1));
	CALL(sendfile(in, open("in", O_WRONLY), NULL, 1));
	CALL(sendfile(open("out", O_RDONLY), in, NULL, 1));
	CALL(sendfile(99, in, NULL, 1));
	CALL(sendfile(out, 99, NULL, 1));
	CALL(sendfile(out, open(".", O_RDONLY), NULL, 1));
	CALL(syscall(SYS_sendfile, out, in, 8, 1));
	at = 0;
	CALL(sendfile(out, in, &at, 0));
	CALL(sendfile(open("/dev/null", O_WRONLY), in, &at, 10));
	CALL(sendfile(out, open("/proc/self/comm", O_RDONLY), NULL, 4));
	return 0;
}
