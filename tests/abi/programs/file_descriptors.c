/* dup, dup3, fcntl and lseek: numbers, flags, errors. */
#include "abi.h"

int main(void)
{
	char b[100] = { 0 };
	int fd;

	CALL(fd = open("f", O_RDWR | O_CREAT | O_EXCL, 0644));
	CALL(write(fd, "hello world", 11));
	CALL(pread(fd, b, 5, 6));
	CALL(pread(fd, b, 5, -1));
	CALL(pwrite(fd, "XX", 2, 3));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, 5, SEEK_DATA));
	CALL(lseek(fd, 5, SEEK_HOLE));
	CALL(lseek(fd, 100, SEEK_DATA));
	CALL(lseek(fd, 0, 99));
	char *volatile bad = (char *)1;

	CALL(read(fd, bad, 5));
	CALL(write(fd, bad, 5));
	CALL(read(99, b, 1));
	CALL(write(0x7fffffff, b, 1));
	CALL(dup2(fd, fd));
	CALL(dup3(fd, fd, 0));
	CALL(dup3(fd, 20, O_CLOEXEC));
	CALL(fcntl(20, F_GETFD));
	CALL(fcntl(20, F_SETFD, 0));
	CALL(fcntl(20, F_GETFD));
	CALL(fcntl(fd, F_DUPFD, 30));
	CALL(fcntl(fd, F_DUPFD_CLOEXEC, 30));
	CALL(fcntl(31, F_GETFD));
	CALL(fcntl(fd, F_GETFL));
	CALL(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
	CALL(fcntl(fd, F_GETFL));
	CALL(fcntl(fd, F_DUPFD, -1));
	CALL(fcntl(fd, F_DUPFD, 1000000));
	CALL(fcntl(fd, 9999));
	CALL(fcntl(fd, F_SETFL, 0));
	return 0;
}
