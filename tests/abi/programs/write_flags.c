/* preadv2(2) and pwritev2(2): the RWF flags, the offset -1, and O_APPEND with pwrite(2). */
#include "abi.h"
#include <sys/uio.h>

/* The two halves of the offset as on x86_64: all of it in the first. */
#define READ(fd, at, flags)  CALL(syscall(SYS_preadv2, fd, &to, 1L, (long)(at), 0L, flags))
#define WRITE(fd, at, flags) CALL(syscall(SYS_pwritev2, fd, &from, 1L, (long)(at), 0L, flags))

static void content(int fd)
{
	char buf[64] = "";
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	show("%zd \"%s\", position %ld", n, buf, (long)lseek(fd, 0, SEEK_CUR));
}

int main(void)
{
	char buf[16] = "";
	struct iovec to = { buf, 4 }, from = { "wxyz", 4 };
	int fd = open("f", O_RDWR | O_CREAT, 0644), end, p[2];

	write(fd, "0123456789", 10);
	end = open("f", O_RDWR | O_APPEND);
	READ(fd, 2, 0);
	show("\"%s\"", buf);
	lseek(fd, 6, SEEK_SET);
	READ(fd, -1, 0);
	show("\"%s\"", buf);
	READ(fd, 0, 1);  /* RWF_HIPRI */
	READ(fd, 0, 2);  /* RWF_DSYNC */
	READ(fd, 0, 4);  /* RWF_SYNC */
	READ(fd, 0, 16); /* RWF_APPEND */
	READ(fd, 0, 32);
	READ(fd, -2, 0);
	READ(fd, 100, 0);
	WRITE(fd, 1, 0);
	content(fd);
	WRITE(fd, 0, 2);
	WRITE(fd, 0, 4);
	WRITE(fd, 0, 16);
	content(fd);
	WRITE(fd, -1, 16);
	content(fd);
	WRITE(fd, 0, 64);

	/* A file opened with O_APPEND: pwrite goes to the end whatever the offset says. */
	CALL(pwrite(end, "P", 1, 0));
	content(end);
	CALL(pwrite(end, "Q", 1, 3));
	CALL(write(end, "R", 1));
	content(end);
	WRITE(end, 0, 0);
	content(end);
	CALL(pwrite(end, "", 0, 0));
	CALL(pwrite(end, "x", 1, -1));
	CALL(fcntl(end, F_SETFL, 0));
	CALL(pwrite(end, "S", 1, 0));
	content(end);

	pipe2(p, O_NONBLOCK);
	WRITE(p[1], -1, 0);
	WRITE(p[1], 0, 0);
	READ(p[0], -1, 0);
	READ(p[0], 0, 0);
	READ(p[0], -1, 8); /* RWF_NOWAIT */
	READ(99, 0, 0);
	WRITE(99, 0, 0);
	return 0;
}
