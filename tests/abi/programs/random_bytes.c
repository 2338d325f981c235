/* getrandom(2): flags, lengths, bad buffers; /dev/urandom and /dev/random. */
#include "abi.h"

#define getrandom(buf, n, flags) syscall(SYS_getrandom, buf, n, flags)

int main(void)
{
	static unsigned char a[4096], b[4096];
	int fd, zeros = 0;

	CALL(getrandom(a, sizeof(a), 0));
	CALL(getrandom(b, sizeof(b), 2));
	TRUTH(memcmp(a, b, sizeof(a)));
	for (size_t i = 0; i < sizeof(a); i++)
		zeros += !a[i];
	TRUTH(zeros < 100);
	CALL(getrandom(a, 0, 0));
	CALL(getrandom(a, 16, 1));
	CALL(getrandom(a, 16, 4));
	CALL(getrandom(a, 16, 6));
	CALL(getrandom(a, 16, 8));
	CALL(getrandom(8, 16, 0));
	fd = open("/dev/urandom", O_RDWR);
	CALL(read(fd, a, 4096));
	CALL(write(fd, "seed", 4));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(read(fd, (void *)8, 4));
	fd = open("/dev/random", O_RDONLY | O_NONBLOCK);
	CALL(read(fd, b, 16));
	TRUTH(memcmp(a, b, 16));
	return 0;
}
