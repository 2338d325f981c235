/* preadv2(2) and pwritev2(2): the flags of one operation, and the position -1. */
#include "abi.h"

#include <sys/uio.h>

#define readv2(fd, v, n, pos, flags)  syscall(SYS_preadv2, fd, v, n, (long)(pos), 0L, flags)
#define writev2(fd, v, n, pos, flags) syscall(SYS_pwritev2, fd, v, n, (long)(pos), 0L, flags)
#define HIPRI  1
#define DSYNC  2
#define SYNC   4
#define NOWAIT 8
#define APPEND 16

int main(void)
{
	char a[20] = "one", b[20] = "two", in[40] = { 0 };
	struct iovec v[2] = { { a, 3 }, { b, 3 } }, r[1] = { { in, 20 } };
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2];

	pipe2(p, O_NONBLOCK);
	CALL(writev2(fd, v, 2, 0, 0));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(writev2(fd, v, 1, -1, 0));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(writev2(fd, v + 1, 1, 0, APPEND));
	CALL(writev2(fd, v, 1, -1, APPEND));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(writev2(fd, v, 1, 20, DSYNC));
	CALL(writev2(fd, v, 1, 23, SYNC));
	CALL(writev2(fd, v, 1, 26, HIPRI));
	CALL(writev2(fd, v, 1, 26, 32));
	CALL(readv2(fd, r, 1, 0, 0));
	show("%s", in);
	memset(in, 0, sizeof(in));
	CALL(readv2(fd, r, 1, 20, NOWAIT));
	show("%s", in);
	CALL(readv2(fd, r, 1, -1, 0));
	CALL(readv2(fd, r, 1, -2, 0));
	CALL(readv2(fd, r, 1, 0, APPEND));
	CALL(readv2(fd, r, 1, 0, 64));
	CALL(readv2(fd, r, -1, 0, 0));
	CALL(readv2(99, r, 1, 0, 0));
	CALL(readv2(p[0], r, 1, 0, 0));
	CALL(readv2(p[0], r, 1, -1, 0));
	CALL(writev2(p[1], v, 2, -1, 0));
	memset(in, 0, sizeof(in));
	CALL(readv2(p[0], r, 1, -1, 0));
	show("%s", in);
	return 0;
}
