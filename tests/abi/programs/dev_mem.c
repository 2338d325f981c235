/* /dev/mem: the lowest MiB can be read, RAM above it not; positions and lengths. */
#include "abi.h"

#define MIB (1024 * 1024)

static long at(int fd, off_t where, size_t size)
{
	static char buf[4 * MIB];

	return pread(fd, buf, size, where);
}

static void nobody(void)
{
	setuid(65534);
	CALL(open("/dev/mem", O_RDONLY));
}

int main(void)
{
	int fd = open("/dev/mem", O_RDONLY), w = open("/dev/mem", O_WRONLY);
	struct stat st;
	char c[16];

	fstat(fd, &st);
	show("mode %o, device %d:%d", st.st_mode, (int)(st.st_rdev >> 8), (int)(st.st_rdev & 255));
	CHILD(nobody);
	CALL(read(fd, c, 16));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(at(fd, 0xf0000, 16));
	CALL(at(fd, 0xffff0, 16));
	CALL(at(fd, 0x80000, 4096));
	CALL(at(fd, MIB, 1));
	CALL(at(fd, MIB - 16, 32));
	CALL(at(fd, 16 * MIB, 4096));
	CALL(at(fd, 64 * MIB, 0));
	CALL(at(fd, -1, 1));
	CALL(at(fd, 1LL << 52, 1));
	CALL(at(fd, (1LL << 52) - 1, 1));
	CALL(at(fd, 0xe0000, MIB));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, MIB, SEEK_SET));
	CALL(read(fd, c, 1));
	CALL(pwrite(w, c, 1, 32 * MIB));
	CALL(read(w, c, 1));
	pread(fd, c, 16, 0xffff0);
	show("the processor's first instruction is a far jump: %s", (unsigned char)c[0] == 0xea ? "yes" : "no");
	return 0;
}
