/* dup(2), dup2(2), dup3(2), fcntl(2): numbers, flags and the shared offset of descriptors. */
#include "abi.h"

int main(void)
{
	struct rlimit limit = { 20, 20 };
	char c;
	int fd, other;

	CALL(fd = open("f", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	CALL(write(fd, "abcdef", 6));
	CALL(fcntl(fd, F_GETFD));
	CALL(other = dup(fd));
	CALL(fcntl(other, F_GETFD));
	CALL(lseek(fd, 2, SEEK_SET));
	CALL(read(other, &c, 1));
	show("%c", c);
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(dup2(fd, 10));
	CALL(dup2(fd, fd));
	CALL(dup2(99, 11));
	CALL(dup2(99, 99));
	CALL(dup2(fd, -1));
	CALL(dup2(fd, 1 << 20));
	CALL(dup3(fd, fd, 0));
	CALL(dup3(fd, 12, O_CLOEXEC));
	CALL(fcntl(12, F_GETFD));
	CALL(syscall(SYS_dup3, fd, 12, O_NONBLOCK));
	CALL(dup(99));
	CALL(dup(-1));
	CALL(fcntl(fd, F_DUPFD, 11));
	CALL(fcntl(fd, F_DUPFD_CLOEXEC, 11));
	CALL(fcntl(14, F_GETFD));
	CALL(fcntl(fd, F_DUPFD, -1));
	CALL(fcntl(13, F_SETFD, FD_CLOEXEC | 6));
	CALL(fcntl(13, F_GETFD));
	CALL(fcntl(13, F_SETFD, 0));
	CALL(fcntl(13, F_GETFD));
	CALL(fcntl(fd, F_GETFL) & ~0100000);
	CALL(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK | O_CREAT | O_WRONLY));
	show("%o", fcntl(other, F_GETFL) & ~0100000);
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(write(fd, "g", 1));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(fcntl(fd, 999));
	CALL(fcntl(99, F_GETFD));
	CALL(close(other));
	CALL(close(other));
	CALL(read(fd, &c, 1));
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	while (dup(fd) >= 0)
		;
	show("%s", error_name(errno));
	CALL(dup2(fd, 20));
	CALL(dup2(fd, 19));
	CALL(fcntl(fd, F_DUPFD, 20));
	CALL(open("f", O_RDONLY));
	CALL(pipe((int[2]){ 0, 0 }));
	CALL(close(19));
	CALL(pipe((int[2]){ 0, 0 }));
	CALL(open("f", O_RDONLY));
	return 0;
}
