/* copy_file_range(2): ranges, one file, holes, errors. */
#include "abi.h"

#define COPY(in, at_in, out, at_out, n, flags) \
	report("copy_file_range(" #in ", " #at_in ", " #out ", " #at_out ", " #n ", " #flags ")", \
	       syscall(SYS_copy_file_range, in, at_in, out, at_out, (size_t)(n), flags))

int main(void)
{
	int in = open("in", O_RDWR | O_CREAT, 0644), out = open("out", O_RDWR | O_CREAT, 0644), fd, p[2];
	loff_t a = 2, b = 5;
	char buf[64] = "";
	struct rlimit limit = { 16, 16 };

	write(in, "0123456789", 10);
	lseek(in, 0, SEEK_SET);
	COPY(in, &a, out, &b, 4, 0);
	show("offsets %lld %lld, positions %ld %ld", (long long)a, (long long)b,
	     (long)lseek(in, 0, SEEK_CUR), (long)lseek(out, 0, SEEK_CUR));
	CALL(pread(out, buf, 63, 0));
	show("\"%s\" after 5 NULs", buf + 5);
	COPY(in, NULL, out, NULL, 3, 0);
	COPY(in, NULL, out, NULL, 100, 0);
	COPY(in, NULL, out, NULL, 100, 0);
	COPY(in, NULL, out, NULL, 0, 0);
	show("positions %ld %ld", (long)lseek(in, 0, SEEK_CUR), (long)lseek(out, 0, SEEK_CUR));
	a = 50;
	COPY(in, &a, out, NULL, 10, 0);

	/* Within one file the ranges must not overlap. */
	a = 0, b = 4;
	COPY(in, &a, in, &b, 4, 0);
	a = 0, b = 3;
	COPY(in, &a, in, &b, 4, 0);
	a = 4, b = 1;
	COPY(in, &a, in, &b, 4, 0);
	memset(buf, 0, sizeof(buf));
	pread(in, buf, 63, 0);
	show("\"%s\"", buf);

	a = b = 0;
	COPY(in, &a, out, &b, 1, 1);
	a = -1;
	COPY(in, &a, out, &b, 1, 0);
	a = 0, b = -1;
	COPY(in, &a, out, &b, 1, 0);
	a = b = 0;
	COPY(in, (void *)8, out, &b, 1, 0);
	COPY(99, &a, out, &b, 1, 0);
	COPY(in, &a, 99, &b, 1, 0);
	fd = open("in", O_WRONLY);
	COPY(fd, &a, out, &b, 1, 0);
	fd = open("out", O_RDONLY);
	COPY(in, &a, fd, &b, 1, 0);
	fd = open("out", O_WRONLY | O_APPEND);
	COPY(in, &a, fd, &b, 1, 0);
	fd = open(".", O_RDONLY);
	COPY(fd, &a, out, &b, 1, 0);
	fd = open("/dev/null", O_RDWR);
	COPY(in, &a, fd, &b, 1, 0);
	COPY(fd, &a, out, &b, 1, 0);
	pipe(p);
	COPY(p[0], NULL, out, &b, 1, 0);
	COPY(in, &a, p[1], NULL, 1, 0);
	fd = open("in", O_PATH);
	COPY(fd, &a, out, &b, 1, 0);

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	a = 0, b = 12;
	COPY(in, &a, out, &b, 10, 0);
	a = 0, b = 16;
	COPY(in, &a, out, &b, 10, 0);
	return 0;
}
