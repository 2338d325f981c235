/* copy_file_range(2): positions, overlaps, appending, flags, files that are not regular. */
#include "abi.h"

#define copy(in, off_in, out, off_out, n, flags) syscall(SYS_copy_file_range, in, off_in, out, off_out, (size_t)(n), flags)

int main(void)
{
	int in = open("in", O_RDWR | O_CREAT, 0644), out = open("out", O_RDWR | O_CREAT, 0644), p[2];
	char buf[50] = { 0 };
	long from = 2, to = 5;

	pipe(p);
	write(in, "0123456789", 10);
	CALL(copy(in, &from, out, &to, 4, 0));
	show("from %ld to %ld", from, to);
	CALL(pread(out, buf, 49, 0));
	show("%d %s", buf[0], buf + 5);
	CALL(copy(in, NULL, out, NULL, 4, 0));
	CALL(lseek(in, 0, SEEK_SET));
	CALL(copy(in, NULL, out, NULL, 100, 0));
	CALL(lseek(in, 0, SEEK_CUR));
	CALL(lseek(out, 0, SEEK_CUR));
	from = 0, to = 5;
	CALL(copy(in, &from, in, &to, 6, 0));
	CALL(copy(in, &from, in, &to, 5, 0));
	from = 20;
	CALL(copy(in, &from, out, &to, 5, 0));
	from = -1;
	CALL(copy(in, &from, out, &to, 5, 0));
	CALL(copy(in, NULL, out, NULL, 5, 1));
	CALL(copy(in, NULL, out, NULL, 0, 0));
	CALL(copy(in, 8, out, NULL, 1, 0));
	CALL(copy(p[0], NULL, out, NULL, 1, 0));
	CALL(copy(in, NULL, p[1], NULL, 1, 0));
	CALL(copy(open(".", O_RDONLY), NULL, out, NULL, 1, 0));
	CALL(copy(in, NULL, open("out", O_RDONLY), NULL, 1, 0));
	CALL(copy(in, NULL, open("out", O_WRONLY | O_APPEND), NULL, 1, 0));
	CALL(copy(open("in", O_WRONLY), NULL, out, NULL, 1, 0));
	CALL(copy(99, NULL, out, NULL, 1, 0));
	return 0;
}
