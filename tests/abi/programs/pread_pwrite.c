/* pread(2) and pwrite(2): positions, holes, O_APPEND, files without a position. */
#include "abi.h"

int main(void)
{
	char buf[40] = { 0 };
	int fd = open("f", O_RDWR | O_CREAT, 0644), append, p[2], dir = open(".", O_RDONLY);

	pipe(p);
	CALL(pwrite(fd, "hello", 5, 3));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(pread(fd, buf, 20, 0));
	show("%d%d%d %s", buf[0], buf[1], buf[2], buf + 3);
	CALL(pread(fd, buf, 20, 8));
	CALL(pread(fd, buf, 20, 1000));
	CALL(pread(fd, buf, 0, -1));
	CALL(pread(fd, buf, 1, -1));
	CALL(pwrite(fd, "x", 1, -1));
	CALL(pwrite(fd, "x", 0, 100));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(syscall(SYS_pread64, fd, 8, 4, 0));
	CALL(syscall(SYS_pwrite64, fd, 8, 4, 0));
	CALL(pread(p[0], buf, 1, 0));
	CALL(pwrite(p[1], buf, 1, 0));
	CALL(pread(dir, buf, 1, 0));
	CALL(pread(99, buf, 1, 0));
	append = open("f", O_WRONLY | O_APPEND);
	CALL(pread(append, buf, 1, 0));
	CALL(lseek(append, 2, SEEK_SET));
	CALL(pwrite(append, "END", 3, 0));
	CALL(lseek(append, 0, SEEK_CUR));
	memset(buf, 0, sizeof(buf));
	CALL(pread(fd, buf, 20, 3));
	show("%s", buf);
	CALL(pwrite(open("f", O_RDONLY), "x", 1, 0));
	CALL(pwrite(fd, "far", 3, 1L << 32));
	CALL(lseek(fd, 0, SEEK_END) == (1L << 32) + 3);
	CALL(pread(fd, buf, 10, (1L << 32) - 4));
	show("%d %.3s", buf[0], buf + 4);
	CALL(pwrite(fd, "x", 1, INT64_MAX));
	CALL(pread(open("/dev/zero", O_RDONLY), buf, 4, 1000));
	CALL(pwrite(open("/dev/null", O_WRONLY), buf, 4, 1000));
	return 0;
}
