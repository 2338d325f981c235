/* readv(2), writev(2), preadv(2), pwritev(2): how they fill buffers, and their errors. */
#include <sys/uio.h>

#include "abi.h"

int main(void)
{
	char a[4] = "", b[8] = "", big[100];
	struct iovec out[] = { { "ab", 2 }, { "", 0 }, { "cdefg", 5 } };
	struct iovec in[] = { { a, 3 }, { b, 7 } };
	struct iovec bad[] = { { "ok", 2 }, { (void *)8, 4 } };
	struct iovec __attribute__((unused)) huge[] = { { big, 1UL << 62 }, { big, 1UL << 63 } };
	struct iovec many[1025];
	int fd, p[2];

	CALL(fd = open("f", O_RDWR | O_CREAT, 0600));
	CALL(writev(fd, out, 3));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(readv(fd, in, 2));
	show("%s %s", a, b);
	CALL(readv(fd, in, 2));
	CALL(pwritev(fd, out, 3, 10));
	CALL(preadv(fd, in, 2, 9));
	show("%d %c %s", a[0], a[1], b);
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(writev(fd, bad, 2));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(writev(fd, bad + 1, 1));
	CALL(writev(fd, out, 0));
	CALL(syscall(SYS_writev, fd, out, -1L));
	CALL(syscall(SYS_writev, fd, NULL, 1L));
	CALL(syscall(SYS_writev, fd, huge + 1, 1L));
	for (int i = 0; i < 1025; i++)
		many[i] = (struct iovec){ big, 0 };
	CALL(syscall(SYS_writev, fd, many, 1025L));
	CALL(syscall(SYS_writev, fd, many, 1024L));
	CALL(preadv(fd, in, 2, -1));
	CALL(syscall(SYS_pwritev2, fd, out, 3L, 0L, 0L, 16));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(syscall(SYS_pwritev2, fd, out, 3L, 0L, 0L, 0x4000));
	CALL(pipe(p));
	CALL(writev(p[1], out, 3));
	CALL(preadv(p[0], in, 2, 0));
	CALL(readv(p[0], in, 2));
	CALL(readv(p[1], in, 2));
	CALL(writev(p[0], out, 2));
	CALL(readv(99, in, 2));
	CALL(read(fd, NULL, 0));
	CALL(write(fd, NULL, 0));
	CALL(syscall(SYS_write, fd, NULL, 5));
	CALL(syscall(SYS_read, fd, (void *)-4096, 5));
	CALL(syscall(SYS_write, fd, "x", -1L));
	return 0;
}
