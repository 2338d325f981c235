/* pipe2(2): what goes in comes out; the ends' errors; capacity; atomic writes without blocking. */
#include "abi.h"

int main(void)
{
	static char buf[70000];
	int p[2];

	signal(SIGPIPE, SIG_IGN);
	CALL(pipe2(p, 0x1234567));
	CALL(pipe2((int *)8, 0));
	CALL(pipe2(p, O_NONBLOCK | O_CLOEXEC));
	CALL(fcntl(p[0], F_GETFD));
	TRUTH(fcntl(p[1], F_GETFL) == (O_WRONLY | O_NONBLOCK));
	CALL(read(p[0], buf, 10));
	CALL(write(p[1], "hello", 5));
	CALL(read(p[0], buf, 2));
	CALL(read(p[0], buf, 10));
	CALL(write(p[0], "x", 1));
	CALL(read(p[1], buf, 1));
	CALL(lseek(p[0], 0, SEEK_SET));
	CALL(fcntl(p[0], F_GETPIPE_SZ));
	CALL(write(p[1], buf, sizeof(buf)));
	CALL(write(p[1], buf, 1));
	CALL(read(p[0], buf, 4096));
	CALL(write(p[1], buf, 4096));
	CALL(write(p[1], NULL, 1));
	CALL(read(p[0], NULL, 1));
	CALL(close(p[0]));
	CALL(write(p[1], "x", 1));
	CALL(close(p[1]));
	CALL(pipe(p));
	CALL(close(p[1]));
	CALL(read(p[0], buf, 10));
	return 0;
}
