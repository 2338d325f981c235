/* vmsplice(2) and tee(2): memory into a pipe and out of it, and copies from pipe to pipe. */
#include "abi.h"

#include <sys/uio.h>

#define vmsplice(fd, v, n, flags)   syscall(SYS_vmsplice, fd, v, n, flags)
#define tee(from, to, n, flags)     syscall(SYS_tee, from, to, (size_t)(n), flags)
#define NONBLOCK 2

static int waiting(int fd)
{
	int n = -1;

	ioctl(fd, 0x541b, &n);
	return n;
}

int main(void)
{
	char a[10] = "hello", b[10] = " you", in[20] = { 0 }, back[20] = { 0 };
	struct iovec v[2] = { { a, 5 }, { b, 4 } }, r = { back, 20 };
	int p[2], q[2], file = open("f", O_RDWR | O_CREAT, 0644);

	pipe(p);
	pipe(q);
	CALL(vmsplice(p[1], v, 2, 0));
	show("waiting %d", waiting(p[0]));
	CALL(tee(p[0], q[1], 100, 0));
	show("waiting %d %d", waiting(p[0]), waiting(q[0]));
	CALL(tee(p[0], q[1], 3, 0));
	show("waiting %d %d", waiting(p[0]), waiting(q[0]));
	CALL(read(q[0], in, 20));
	show("%s", in);
	CALL(vmsplice(p[0], &r, 1, 0));
	show("%s", back);
	CALL(tee(p[0], q[1], 10, NONBLOCK));
	CALL(vmsplice(p[0], &r, 1, NONBLOCK));
	CALL(tee(p[0], p[1], 10, 0));
	CALL(tee(p[1], q[1], 10, 0));
	CALL(tee(p[0], q[0], 10, 0));
	CALL(tee(file, q[1], 10, 0));
	CALL(tee(p[0], file, 10, 0));
	CALL(tee(p[0], q[1], 0, 0));
	CALL(tee(p[0], q[1], 10, 16));
	CALL(tee(99, q[1], 10, 0));
	CALL(vmsplice(file, v, 1, 0));
	CALL(vmsplice(99, v, 1, 0));
	CALL(vmsplice(p[1], v, 0, 0));
	CALL(vmsplice(p[1], v, 1, 16));
	CALL(vmsplice(p[1], 8, 1, 0));
	CALL(vmsplice(p[1], v, 2000, 0));
	close(p[1]);
	CALL(tee(p[0], q[1], 10, 0));
	close(q[0]);
	signal(SIGPIPE, SIG_IGN);
	CALL(vmsplice(q[1], v, 1, 0));
	return 0;
}
