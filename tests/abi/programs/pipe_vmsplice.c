/* vmsplice(2): memory into a pipe and out of it. */
#include "abi.h"
#include <sys/uio.h>

int main(void)
{
	static char text[8192] __attribute__((aligned(4096)));
	struct iovec v[3] = { { text, 3 }, { text + 10, 0 }, { text + 20, 4 } }, bad = { (void *)16, 4 };
	char buf[64] = "", other[8] = "";
	struct iovec to[2] = { { buf, 2 }, { other, 7 } };
	int p[2], file = open("f", O_RDWR | O_CREAT, 0644), n = 0;

	memcpy(text, "abc", 3);
	memcpy(text + 20, "wxyz", 4);
	pipe2(p, O_NONBLOCK);
	CALL(vmsplice(p[1], v, 3, 0));
	CALL(read(p[0], buf, 63));
	show("\"%s\"", buf);

	/* Without SPLICE_F_GIFT the page is the program's still: later changes may be seen, so none here. */
	CALL(vmsplice(p[1], v, 1, SPLICE_F_GIFT));
	v[0].iov_base = text;
	v[0].iov_len = 4096;
	CALL(vmsplice(p[1], v, 1, SPLICE_F_GIFT));
	CALL(read(p[0], buf, 3));

	/* Out of the pipe: a copy. */
	memset(buf, 0, sizeof(buf));
	while (read(p[0], text, 4096) > 0)
		;
	write(p[1], "hello", 5);
	CALL(vmsplice(p[0], to, 2, 0));
	show("\"%s\" \"%s\"", buf, other);
	CALL(vmsplice(p[0], to, 2, SPLICE_F_NONBLOCK));

	CALL(vmsplice(p[1], &bad, 1, 0));
	CALL(vmsplice(p[1], NULL, 1, 0));
	CALL(vmsplice(p[1], NULL, 0, 0));
	CALL(vmsplice(p[1], v, 1025, 0));
	CALL(vmsplice(p[1], v, 1, 0x80));
	CALL(vmsplice(file, v, 1, 0));
	CALL(vmsplice(99, v, 1, 0));

	/* How many pages fit. */
	v[0].iov_len = 4096;
	while (n < 100 && vmsplice(p[1], v, 1, SPLICE_F_NONBLOCK) == 4096)
		n++;
	show("%d pages, then %s", n, error_name(errno));
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	CALL(vmsplice(p[1], v, 1, 0));
	return 0;
}
