/* RLIMIT_FSIZE: write(2), ftruncate(2) and fallocate(2) beyond it give SIGXFSZ and EFBIG. */
#include "abi.h"

#include <sys/resource.h>

#ifndef FALLOC_FL_KEEP_SIZE /* musl */
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2
#endif

static volatile int signals;

static void on_xfsz(int sig)
{
	signals++;
}

#define TRY(call)                                           \
	do {                                                \
		signals = 0;                                \
		report(#call, (errno = 0, (long)(call)));   \
		show("  SIGXFSZ: %d", signals);             \
	} while (0)

int main(void)
{
	struct rlimit limit = { 10000, 10000 };
	int fd = open("/tmp/fallocate_limit", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char buf[4096] = "";

	unlink("/tmp/fallocate_limit");
	signal(SIGXFSZ, on_xfsz);
	setrlimit(RLIMIT_FSIZE, &limit);
	TRY(fallocate(fd, 0, 0, 10000));
	TRY(fallocate(fd, 0, 0, 10001));
	TRY(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 20000));
	TRY(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 20000));
	TRY(ftruncate(fd, 10001));
	TRY(ftruncate(fd, 8000));
	TRY(pwrite(fd, buf, sizeof(buf), 8000));
	TRY(pwrite(fd, buf, sizeof(buf), 10000));
	TRY(lseek(fd, 0, SEEK_END));
	return 0;
}
