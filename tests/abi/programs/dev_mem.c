/* /dev/mem: the lowest MiB can be read, RAM above it not; positions and lengths. mmap(2): firmware and devices, no RAM. */
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

static void *map(int fd, off_t where, size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags, fd, where);

	if (p == MAP_FAILED)
		show("mmap of 0x%lx + 0x%zx, prot %d: %s", (long)where, size, prot, error_name(errno));
	else
		show("mmap of 0x%lx + 0x%zx, prot %d: ok", (long)where, size, prot);
	return p;
}

static void mappings(int fd)
{
	int rw = open("/dev/mem", O_RDWR), status;
	unsigned char rom[16];
	unsigned char *p;
	unsigned *hpet;

	pread(fd, rom, 16, 0xffff0);
	p = map(fd, 0xff000, 4096, PROT_READ, MAP_SHARED);
	TRUTH(!memcmp(p + 0xff0, rom, 16));
	CALL(mprotect(p, 4096, PROT_READ | PROT_WRITE));
	CALL(madvise(p, 4096, 22 /* MADV_POPULATE_READ */));
	CALL(madvise(p, 4096, MADV_DONTNEED));
	CALL(mremap(p, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0);
	if (!fork())
		exit(!!memcmp(p + 0xff0, rom, 16));
	wait(&status);
	show_status("child", status);
	CALL(munmap(p, 4096));
	p = map(fd, 0xf0000, 0x10000, PROT_READ, MAP_PRIVATE);
	TRUTH(!memcmp(p + 0xfff0, rom, 16));
	map(fd, 0xff000, 4096, PROT_READ | PROT_WRITE, MAP_SHARED);
	p = map(rw, 0xff000, 4096, PROT_READ | PROT_WRITE, MAP_SHARED);
	TRUTH(!memcmp(p + 0xff0, rom, 16));
	hpet = map(rw, 0xfed00000, 4096, PROT_READ, MAP_SHARED);
	if (hpet != MAP_FAILED)
		show("the HPET's vendor is %x", *hpet >> 16);
	map(fd, 16 * MIB, 4096, PROT_READ, MAP_SHARED);
	map(fd, MIB, 4096, PROT_READ, MAP_SHARED);
	map(fd, 0xfee00000, 4096, PROT_READ, MAP_SHARED);
	map(fd, 0xfec00000, 4096, PROT_READ, MAP_SHARED);
	map(fd, 0xff000, 8192, PROT_READ, MAP_SHARED);
	map(fd, 1LL << 52, 4096, PROT_READ, MAP_SHARED);
	map(fd, -4096, 4096, PROT_READ, MAP_SHARED);
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
	mappings(fd);
	return 0;
}
