/* A packet whose bytes cannot be read: what write(2) says, and what is left in the pipe. */
#include "abi.h"
#include <sys/uio.h>

static int p[2];

static void look(void)
{
	char buf[8192];
	int n = -1;

	ioctl(p[0], FIONREAD, &n);
	show("  FIONREAD %d", n);
	for (int i = 0; i < 4; i++) {
		errno = 0;
		n = (int)read(p[0], buf, sizeof(buf));
		show("  read %d %s", n, n < 0 ? error_name(errno) : "");
		if (n < 0)
			break;
	}
}

int main(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec iov[2] = { { "good", 4 }, { (void *)8, 4 } };

	munmap(page + 4096, 4096);
	pipe2(p, O_DIRECT | O_NONBLOCK);
	CALL(syscall(SYS_write, p[1], 8, 10));
	look();
	CALL(write(p[1], "ok", 2));
	CALL(syscall(SYS_write, p[1], 8, 10));
	CALL(write(p[1], "more", 4));
	look();
	CALL(write(p[1], page + 4000, 200));
	look();
	CALL(write(p[1], page, 8192));
	look();
	CALL(writev(p[1], iov, 2));
	look();
	return 0;
}
