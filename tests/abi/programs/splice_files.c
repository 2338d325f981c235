/* splice(2) between pipes, files and devices: offsets, short results, errors. */
#include "abi.h"

static int p[2], q[2];

static void pipe_content(const char *what, int fd)
{
	char buf[64] = "";
	ssize_t n = read(fd, buf, sizeof(buf) - 1);

	show("%s: %zd \"%s\"", what, n, n > 0 ? buf : "");
}

int main(void)
{
	loff_t in = 2, out = 1;
	int file, end, null;
	char buf[32] = "";

	pipe2(p, O_NONBLOCK);
	pipe2(q, O_NONBLOCK);
	file = open("f", O_RDWR | O_CREAT, 0644);
	write(file, "0123456789", 10);
	lseek(file, 0, SEEK_SET);
	null = open("/dev/null", O_RDWR);

	/* From a file: with an offset its own position stays. */
	CALL(splice(file, &in, p[1], NULL, 4, 0));
	show("offset %lld, position %ld", (long long)in, (long)lseek(file, 0, SEEK_CUR));
	CALL(splice(file, NULL, p[1], NULL, 3, 0));
	show("position %ld", (long)lseek(file, 0, SEEK_CUR));
	CALL(splice(p[0], NULL, q[1], NULL, 5, 0));
	CALL(splice(p[0], NULL, q[1], NULL, 100, 0));
	pipe_content("q", q[0]);
	CALL(splice(p[0], NULL, q[1], NULL, 1, 0));
	CALL(splice(p[0], NULL, p[1], NULL, 1, 0));
	in = 10;
	CALL(splice(file, &in, p[1], NULL, 10, 0));
	in = 11;
	CALL(splice(file, &in, p[1], NULL, 10, 0));
	in = -1;
	CALL(splice(file, &in, p[1], NULL, 10, 0));

	/* To a file. */
	write(p[1], "abcdef", 6);
	CALL(splice(p[0], NULL, file, &out, 2, 0));
	CALL(splice(p[0], NULL, file, NULL, 2, 0));
	show("offset %lld, position %ld", (long long)out, (long)lseek(file, 0, SEEK_CUR));
	CALL(pread(file, buf, 31, 0));
	show("file \"%s\"", buf);
	out = 20;
	CALL(splice(p[0], NULL, file, &out, 2, 0));
	show("size %ld", (long)lseek(file, 0, SEEK_END));

	/* What cannot be. */
	write(p[1], "abcdef", 6);
	in = 0;
	CALL(splice(p[0], &in, file, NULL, 2, 0));
	CALL(splice(file, NULL, p[1], &in, 2, 0));
	CALL(splice(file, NULL, null, NULL, 2, 0));
	CALL(splice(p[0], NULL, q[1], NULL, 2, 0x100));
	CALL(splice(p[0], NULL, q[1], NULL, 0, 0));
	CALL(splice(p[0], NULL, q[0], NULL, 2, 0));
	CALL(splice(p[1], NULL, q[1], NULL, 2, 0));
	CALL(splice(99, NULL, q[1], NULL, 2, 0));
	CALL(splice(p[0], NULL, 99, NULL, 2, 0));
	CALL(splice(p[0], NULL, q[1], (void *)8, 2, 0));
	CALL(syscall(SYS_splice, file, (void *)8, p[1], NULL, 2UL, 0));
	end = open("f", O_WRONLY | O_APPEND);
	CALL(splice(p[0], NULL, end, NULL, 2, 0));
	close(end);
	end = open("f", O_RDONLY);
	CALL(splice(p[0], NULL, end, NULL, 2, 0));
	end = open(".", O_RDONLY);
	CALL(splice(end, NULL, p[1], NULL, 2, 0));
	end = open("f", O_PATH);
	CALL(splice(end, NULL, p[1], NULL, 2, 0));

	/* A device that swallows, one that is full, and the ends of pipes. */
	CALL(splice(p[0], NULL, null, NULL, 100, 0));
	end = open("/dev/full", O_WRONLY);
	write(p[1], "x", 1);
	CALL(splice(p[0], NULL, end, NULL, 1, 0));
	close(p[1]);
	CALL(splice(p[0], NULL, q[1], NULL, 100, SPLICE_F_MOVE | SPLICE_F_MORE));
	CALL(splice(p[0], NULL, q[1], NULL, 100, 0));
	close(q[0]);
	signal(SIGPIPE, SIG_IGN);
	lseek(file, 0, SEEK_SET);
	CALL(splice(file, NULL, q[1], NULL, 1, 0));
	return 0;
}
