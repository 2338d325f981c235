/* Changes large areas of memory in all ways in which the kernel goes through their page tables. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEN (32UL << 20)

int main(void)
{
	int fd = open("/tmp/large", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *place = mmap(NULL, 2 * LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *file;

	memset(memory, 1, LEN);
	if (mprotect(memory, LEN, PROT_READ) || mprotect(memory, LEN, PROT_READ | PROT_WRITE))
		return 1;
	/* One page further, so that no table of the old place is one of the new place. */
	memory = mremap(memory, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, place + 4096);
	if (memory != place + 4096 || memory[LEN - 1] != 1)
		return 2;
	if (!fork())
		_exit(0);
	wait(NULL);
	if (madvise(memory, LEN / 2, MADV_DONTNEED))
		return 3;
	/* Instead of munmap(), so that the next area finds no room there. */
	mmap(memory, LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	ftruncate(fd, LEN);
	file = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(file, 1, LEN);
	file = mremap(file, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, place + 4096);
	if (file != place + 4096 || file[LEN - 1] != 1)
		return 4;
	if (ftruncate(fd, LEN / 2) || unlink("/tmp/large") || close(fd) || munmap(file, LEN))
		return 5;
	return 0;
}
