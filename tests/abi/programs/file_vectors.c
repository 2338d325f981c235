/* readv, writev, pipes, splice, sendfile and copy_file_range. */
#include "abi.h"

#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(void)
{
	char b[100] = { 0 };
	struct iovec *volatile bad = (struct iovec *)1;
	int p[2];
	int fd;

	OK(fd = open("f", O_RDWR | O_CREAT, 0644));
	OK(write(fd, "0123456789", 10));
	OK(lseek(fd, 0, 0));
	CALL(pipe2(p, O_CLOEXEC | O_NONBLOCK));
	CALL(fcntl(p[0], F_GETFD));
	CALL(read(p[0], b, 1));
	CALL(write(p[1], "abc", 3));
	CALL(syscall(SYS_tee, p[0], p[1], 3, 0));
	CALL(splice(p[0], 0, fd, 0, 2, 0));
	CALL(fcntl(p[0], 1032)); /* 1032 */
	CALL(fcntl(fd, 1032));
	CALL(pipe2(p, 0x10));
	CALL(pipe((int *)bad));
	CALL(lseek(p[0], 0, 0));
	CALL(pread(p[0], b, 1, 0));
	CALL(close(p[0]));
	CALL(close(p[0]));
	{
		struct iovec v[3] = { { "ab", 2 }, { "", 0 }, { "cd", 2 } };
		CALL(writev(fd, v, 3));
		CALL(writev(fd, v, -1));
		CALL(writev(fd, v, 0));
		CALL(pwritev(fd, v, 3, 100));
		CALL(preadv(fd, bad, 1, 0));
		struct iovec w = { bad, 10 };
		CALL(writev(fd, &w, 1));
		CALL(readv(99, v, 1));
	}
	CALL(lseek(fd, 0, 0));
	CALL(sendfile(fd, fd, 0, 1));
	{
		int g = open("out", O_RDWR | O_CREAT, 0644);
		off_t o = 2;
		CALL(sendfile(g, fd, &o, 10));
		show("o %ld", (long)o);
		CALL(copy_file_range(fd, &o, g, 0, 5, 0));
		CALL(copy_file_range(fd, 0, fd, 0, 5, 0));
		CALL(sendfile(g, p[1], 0, 1));
		CALL(splice(fd, 0, g, 0, 1, 0));
	}
	return 0;
}
