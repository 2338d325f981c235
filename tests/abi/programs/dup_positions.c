/* What descriptors share: the position and the flags of a file after dup, fork and a second open. */
#include "abi.h"

static int a, b, c;

static void child(void)
{
	char x[3] = { 0 };

	read(a, x, 2);
	show("child reads %s", x);
	fcntl(a, F_SETFL, O_APPEND);
	fcntl(a, F_SETFD, FD_CLOEXEC);
	close(b);
}

static void state(const char *when)
{
	show("%s: at %ld %ld %ld, append %d %d %d, cloexec %d %d", when, (long)lseek(a, 0, SEEK_CUR), (long)lseek(b, 0, SEEK_CUR),
	     (long)lseek(c, 0, SEEK_CUR), !!(fcntl(a, F_GETFL) & O_APPEND), !!(fcntl(b, F_GETFL) & O_APPEND),
	     !!(fcntl(c, F_GETFL) & O_APPEND), fcntl(a, F_GETFD), fcntl(b, F_GETFD));
}

int main(void)
{
	a = open("f", O_RDWR | O_CREAT, 0644);
	b = dup(a);
	c = open("f", O_RDWR);
	write(a, "0123456789", 10);
	state("written");
	lseek(b, 3, SEEK_SET);
	state("moved");
	fcntl(b, F_SETFD, FD_CLOEXEC);
	state("marked");
	CHILD(child);
	state("after the child");
	write(b, "END", 3);
	state("appended");
	close(a);
	a = b;
	CALL(fcntl(b, F_SETFL, O_RDONLY | O_CREAT | O_TRUNC));
	show("mode %x", fcntl(b, F_GETFL) & (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND));
	CALL(dup3(b, b, 0));
	CALL(dup2(b, b) == b);
	CALL(syscall(SYS_dup3, b, 50, O_NONBLOCK));
	CALL(dup2(99, 50));
	CALL(dup2(b, -1));
	return 0;
}
