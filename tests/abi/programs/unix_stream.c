/* Streams: partial reads, MSG_PEEK, MSG_WAITALL, MSG_TRUNC, large writes, readv and writev. */
#include "unix.h"
#include <sys/uio.h>

int main(void)
{
	int s[2], status;
	char buf[100];
	struct iovec iov[3] = { { "ab", 2 }, { "", 0 }, { "cdef", 4 } };
	static char big[300000];
	size_t total = 0;
	ssize_t n;
	pid_t pid;

	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	CALL(writev(s[0], iov, 3));
	CALL(write(s[0], "ghi", 3));
	recv_show("peek", s[1], 4, 0, MSG_PEEK);
	recv_show("peek across messages", s[1], 8, 0, MSG_PEEK);
	recv_show("take", s[1], 4, 0, 0);
	recv_show("rest", s[1], 50, 0, 0);
	write(s[0], "12345", 5);
	CALL(recv(s[1], buf, 3, MSG_TRUNC));
	recv_show("after MSG_TRUNC", s[1], 50, 0, 0);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 5; i++) {
			usleep(20000);
			write(s[0], "piece", 5);
		}
		_exit(0);
	}
	CALL(recv(s[1], buf, 20, MSG_WAITALL));
	CALL(recv(s[1], buf, 20, 0));
	waitpid(pid, &status, 0);
	write(s[0], "x", 1);
	pid = fork();
	if (!pid) {
		close(s[0]);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CALL(recv(s[1], buf, 10, MSG_DONTWAIT | MSG_WAITALL));

	pid = fork();
	if (!pid) {
		close(s[1]);
		memset(big, 'b', sizeof(big));
		show("child wrote %zd", write(s[0], big, sizeof(big)));
		_exit(0);
	}
	close(s[0]);
	while ((n = read(s[1], big, 70000)) > 0)
		total += (size_t)n;
	waitpid(pid, &status, 0);
	show("read %zu, then %zd", total, n);
	CALL(recv(s[1], buf, 0, 0));
	CALL(read(s[1], (char *)8, 10));
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	CALL(syscall(SYS_write, s[0], 8, 10));
	CALL(send(s[0], buf, 0, 0));
	write(s[0], "abc", 3);
	CALL(read(s[1], (char *)8, 10));
	recv_show("still there", s[1], 10, 0, MSG_DONTWAIT);
	return 0;
}
