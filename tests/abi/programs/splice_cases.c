/* splice(2): between files and pipes, offsets, ends, and what it refuses. */
#include "abi.h"

#define splice(in, off_in, out, off_out, n, flags) syscall(SYS_splice, in, off_in, out, off_out, (size_t)(n), flags)
#define NONBLOCK 2

int main(void)
{
	char buf[100] = { 0 };
	int p[2], q[2], in = open("in", O_RDWR | O_CREAT, 0644), out = open("out", O_RDWR | O_CREAT, 0644);
	int append = open("out", O_WRONLY | O_APPEND), dir = open(".", O_RDONLY);
	long at = 4, to = 2;

	pipe(p);
	pipe(q);
	write(in, "0123456789abcdef", 16);
	CALL(splice(in, &at, p[1], NULL, 5, 0));
	show("at %ld", at);
	CALL(splice(p[0], NULL, out, &to, 100, 0));
	show("to %ld", to);
	CALL(pread(out, buf, 99, 0));
	show("%d %d %s", buf[0], buf[1], buf + 2);
	CALL(lseek(in, 0, SEEK_SET));
	CALL(splice(in, NULL, p[1], NULL, 6, 0));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(splice(p[0], NULL, q[1], NULL, 4, 0));
	memset(buf, 0, sizeof(buf));
	CALL(read(q[0], buf, 99));
	show("%s", buf);
	memset(buf, 0, sizeof(buf));
	CALL(read(p[0], buf, 99));
	show("%s", buf);
	at = 16;
	CALL(splice(in, &at, p[1], NULL, 5, 0));
	CALL(splice(p[0], NULL, out, NULL, 5, NONBLOCK));
	CALL(splice(p[0], &at, out, NULL, 5, 0));
	CALL(splice(in, NULL, p[1], &at, 5, 0));
	CALL(splice(in, NULL, out, NULL, 5, 0));
	CALL(splice(p[0], NULL, p[1], NULL, 5, 0));
	CALL(splice(p[1], NULL, out, NULL, 5, 0));
	CALL(splice(in, NULL, p[0], NULL, 5, 0));
	CALL(splice(dir, NULL, p[1], NULL, 5, 0));
	CALL(splice(99, NULL, p[1], NULL, 5, 0));
	CALL(splice(in, NULL, 99, NULL, 5, 0));
	CALL(splice(in, NULL, p[1], NULL, 0, 0));
	CALL(splice(in, NULL, p[1], NULL, 5, 16));
	at = -1;
	CALL(splice(in, &at, p[1], NULL, 5, 0));
	CALL(splice(in, 8, p[1], NULL, 5, 0));
	write(p[1], "tail", 4);
	CALL(splice(p[0], NULL, append, NULL, 4, 0));
	CALL(splice(p[0], NULL, open("out", O_RDONLY), NULL, 4, NONBLOCK));
	CALL(splice(p[0], NULL, open("/dev/null", O_WRONLY), NULL, 4, 0));
	close(p[1]);
	CALL(splice(p[0], NULL, out, NULL, 5, 0));
	return 0;
}
