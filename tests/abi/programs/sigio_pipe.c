/* O_ASYNC on pipes: which reads, writes and closes send a signal, and what it tells. */
#include "sigio.h"

int main(void)
{
	static char big[65536];
	char path[32];
	int p[2], other;

	block_signals();
	pipe2(p, O_NONBLOCK);
	CALL(fcntl(p[0], F_SETFL, O_NONBLOCK | O_ASYNC));
	write(p[1], "a", 1);
	pending("no owner", p[0], p[1]);
	fcntl(p[0], F_SETOWN, getpid());
	write(p[1], "b", 1);
	pending("a write", p[0], p[1]);
	write(p[1], "c", 1);
	write(p[1], "d", 1);
	pending("two writes", p[0], p[1]);
	fcntl(p[0], F_SETSIG, SIGRTMIN + 3);
	write(p[1], "e", 1);
	write(p[1], "f", 1);
	pending("two writes with a signal of mine", p[0], p[1]);
	fcntl(p[0], F_SETSIG, SIGUSR1);
	write(p[1], "g", 1);
	write(p[1], "h", 1);
	pending("two writes with a standard signal", p[0], p[1]);
	fcntl(p[0], F_SETSIG, SIGIO);
	write(p[1], "i", 1);
	pending("SIGIO that tells", p[0], p[1]);
	write(p[1], "", 0);
	pending("an empty write", p[0], p[1]);
	read(p[0], big, 1);
	pending("a read", p[0], p[1]);

	/* The writer, too. */
	fcntl(p[1], F_SETOWN, getpid());
	fcntl(p[1], F_SETSIG, SIGRTMIN + 3);
	CALL(fcntl(p[1], F_SETFL, O_NONBLOCK | O_ASYNC));
	read(p[0], big, 1);
	pending("a read", p[0], p[1]);
	read(p[0], big, 100);
	pending("a read of the rest", p[0], p[1]);
	CALL(read(p[0], big, 100));
	pending("a read of nothing", p[0], p[1]);
	CALL(write(p[1], big, 65536));
	pending("a full pipe", p[0], p[1]);
	CALL(write(p[1], big, 1));
	pending("no room", p[0], p[1]);
	CALL(read(p[0], big, 10));
	pending("a read of a full pipe", p[0], p[1]);
	CALL(read(p[0], big, 65536));
	pending("all", p[0], p[1]);

	/* si_fd is the descriptor for which it was switched on. */
	other = dup(p[0]);
	fcntl(other, F_SETFL, O_NONBLOCK);
	fcntl(other, F_SETFL, O_NONBLOCK | O_ASYNC);
	write(p[1], "a", 1);
	pending("through a copy", p[0], other);
	close(other);
	write(p[1], "b", 1);
	pending("the copy is closed", p[0], other);

	close(p[1]);
	pending("the writer closes", p[0], -1);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	close(p[0]);

	pipe(p);
	fcntl(p[1], F_SETOWN, getpid());
	fcntl(p[1], F_SETSIG, SIGRTMIN + 3);
	fcntl(p[1], F_SETFL, O_ASYNC);
	close(p[0]);
	pending("the reader closes", -1, p[1]);
	close(p[1]);
	pending("closed", -1, -1);

	/* One of several readers or writers closes: the last one tells the other side. */
	pipe(p);
	for (int end = 0; end < 2; end++) {
		fcntl(p[end], F_SETOWN, getpid());
		fcntl(p[end], F_SETSIG, SIGRTMIN + 3);
		fcntl(p[end], F_SETFL, O_NONBLOCK | O_ASYNC);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p[0]);
	other = open(path, O_RDONLY | O_NONBLOCK);
	close(other);
	pending("one of two readers closes", p[0], p[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p[1]);
	other = open(path, O_WRONLY | O_NONBLOCK);
	close(other);
	pending("one of two writers closes", p[0], p[1]);
	close(p[1]);
	pending("the last writer closes", p[0], -1);
	close(p[0]);
	pending("the last reader closes", -1, -1);
	return 0;
}
