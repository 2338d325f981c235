/* RLIMIT_NOFILE: each call that makes a descriptor fails; descriptors above a lowered limit stay. */
#include "abi.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

int main(void)
{
	struct rlimit limit = { 6, 20 };
	int p[2];

	dup2(0, 10);
	setrlimit(RLIMIT_NOFILE, &limit);
	CALL(dup(0));
	CALL(dup(0));
	CALL(pipe(p));
	CALL(dup(0));
	CALL(dup(0));
	CALL(open("/", O_RDONLY));
	CALL(pipe(p));
	CALL(socket(AF_UNIX, SOCK_STREAM, 0));
	CALL(epoll_create1(0));
	CALL(eventfd(0, 0));
	CALL(dup2(0, 6));
	CALL(dup2(0, 5));
	CALL(fcntl(0, F_DUPFD, 6));
	CALL(fcntl(0, F_DUPFD, 5));
	CALL(fcntl(10, F_GETFD));
	close(4);
	CALL(pipe(p));
	CALL(dup(10));
	limit.rlim_cur = 21;
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = 20;
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	CALL(fcntl(0, F_DUPFD, 15));
	CALL(fcntl(0, F_DUPFD, 20));
	CALL(fcntl(0, F_DUPFD, -1));
	limit.rlim_max = 1 << 30;
	CALL(setrlimit(RLIMIT_NOFILE, &limit));
	return 0;
}
