/* select: sets of bits, numbers that are not open, large sets, which conditions set which bit. */
#include <sys/select.h>

#include "abi.h"

static struct timeval zero;

static long try(int n, fd_set *in, fd_set *out, fd_set *ex)
{
	struct timeval none = { 0, 0 };

	return syscall(SYS_select, n, in, out, ex, &none);
}

int main(void)
{
	unsigned long words[16];
	int p[2], q[2], file, high;
	fd_set in, out, ex;
	struct timeval tv;

	pipe(p);
	pipe(q);
	file = open("f", O_RDWR | O_CREAT, 0600);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&ex);
	FD_SET(p[0], &in);
	FD_SET(p[1], &in);
	FD_SET(p[1], &out);
	FD_SET(p[0], &out);
	FD_SET(p[0], &ex);
	CALL(try(p[1] + 1, &in, &out, &ex));
	show("in %d %d out %d %d ex %d", FD_ISSET(p[0], &in), FD_ISSET(p[1], &in), FD_ISSET(p[0], &out), FD_ISSET(p[1], &out),
	     FD_ISSET(p[0], &ex));
	/* The end of a pipe is readable, a pipe without readers is writable. */
	close(q[1]);
	FD_ZERO(&in);
	FD_SET(q[0], &in);
	CALL(try(q[0] + 1, &in, NULL, NULL));
	pipe(q);
	close(q[0]);
	FD_ZERO(&out);
	FD_SET(q[1], &out);
	CALL(try(q[1] + 1, NULL, &out, NULL));
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(file, &in);
	FD_SET(file, &out);
	CALL(try(file + 1, &in, &out, NULL));
	/* The same file in several sets counts once for each. */
	write(p[1], "x", 1);
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	ex = in;
	CALL(try(20, &in, NULL, &ex));
	/* A number that is not open, in any set; beyond n it does not matter. */
	FD_SET(19, &ex);
	CALL(try(20, NULL, NULL, &ex));
	CALL(try(19, NULL, NULL, &ex));
	CALL(try(0, NULL, NULL, &ex));
	CALL(try(-1, NULL, NULL, NULL));
	CALL(try(20, (fd_set *)1, NULL, NULL));
	/* Bits above n stay as they are within the last word that is looked at, as the kernel writes whole words. */
	memset(words, 0xff, sizeof(words));
	words[0] = 1UL << p[0];
	CALL(try(64, (fd_set *)words, NULL, NULL));
	show("%d %d", words[0] == 1UL << p[0], words[1] == ~0UL);
	/* More than the table has room for. */
	memset(words, 0, sizeof(words));
	words[0] = 1UL << p[0];
	words[15] = 1;
	CALL(try(1024, (fd_set *)words, NULL, NULL));
	high = fcntl(p[0], F_DUPFD, 200);
	memset(words, 0, sizeof(words));
	words[high / 64] = 1UL << high % 64;
	CALL(try(high + 1, (fd_set *)words, NULL, NULL));
	show("%d", words[high / 64] == 1UL << high % 64);
	words[2] = 2;
	CALL(try(high + 1, (fd_set *)words, NULL, NULL));
	/* Times. */
	tv = (struct timeval){ 0, 20000 };
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, &tv));
	show("%ld %ld", (long)tv.tv_sec, (long)tv.tv_usec);
	tv = (struct timeval){ 0, -1 };
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, &tv));
	tv = (struct timeval){ 0, 20000000 };
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	CALL(syscall(SYS_select, 20, &in, NULL, NULL, &tv));
	TRUTH(tv.tv_sec > 10 && tv.tv_sec < 20);
	CALL(syscall(SYS_select, 0, NULL, NULL, NULL, 1));
	(void)zero;
	return 0;
}
