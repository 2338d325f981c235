/* fcntl(2) F_ADD_SEALS and F_GET_SEALS: what each seal forbids, and which files take seals. */
#include "abi.h"

#include <sys/mman.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x10
#endif

#ifndef FALLOC_FL_KEEP_SIZE /* musl */
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2
#endif
#define PAGE 4096

static int sealed(int seals)
{
	int fd = memfd_create("s", MFD_ALLOW_SEALING);

	write(fd, "0123456789", 10);
	show("seals 0x%x", seals);
	CALL(fcntl(fd, F_ADD_SEALS, seals));
	return fd;
}

static void try_all(int seals)
{
	int fd = sealed(seals);

	show("F_GET_SEALS: 0x%x", fcntl(fd, F_GET_SEALS));
	CALL(pwrite(fd, "ab", 2, 0));
	CALL(pwrite(fd, "ab", 2, 9));
	CALL(ftruncate(fd, 5));
	CALL(ftruncate(fd, 5));
	CALL(ftruncate(fd, 2 * PAGE));
	CALL(fallocate(fd, 0, 0, PAGE));
	CALL(fallocate(fd, 0, 0, 4 * PAGE));
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8 * PAGE));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE));
	OK(lseek(fd, 0, SEEK_END));
	TRUTH(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED);
	TRUTH(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	close(fd);
}

static void mapped(void)
{
	int fd = memfd_create("m", MFD_ALLOW_SEALING);
	void *map;

	ftruncate(fd, PAGE);
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	CALL(fcntl(fd, F_GET_SEALS));
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE));
	*(char *)map = 'x';
	CALL(write(fd, "y", 1));
	munmap(map, PAGE);
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	show("F_GET_SEALS: 0x%x", fcntl(fd, F_GET_SEALS));
	close(fd);
}

static void future(void)
{
	int fd = sealed(F_SEAL_FUTURE_WRITE);
	void *map;

	errno = 0;
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	show("read only: %s", map == MAP_FAILED ? error_name(errno) : "mapped");
	CALL(mprotect(map, PAGE, PROT_READ | PROT_WRITE));
	close(fd);
}

static void others(void)
{
	int fd = memfd_create("n", 0), p[2];
	char path[64];

	show("without MFD_ALLOW_SEALING: 0x%x", fcntl(fd, F_GET_SEALS));
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	close(fd);
	fd = sealed(0);
	CALL(fcntl(fd, F_ADD_SEALS, 0x100));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_RDONLY);
	CALL(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	pipe(p);
	CALL(fcntl(p[1], F_GET_SEALS));
	CALL(fcntl(p[1], F_ADD_SEALS, F_SEAL_WRITE));
	CALL(fcntl(99, F_GET_SEALS));
}

int main(void)
{
	try_all(0);
	try_all(F_SEAL_SHRINK);
	try_all(F_SEAL_GROW);
	try_all(F_SEAL_WRITE);
	try_all(F_SEAL_SEAL);
	mapped();
	future();
	others();
	return 0;
}
