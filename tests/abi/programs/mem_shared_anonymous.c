/* Shared anonymous memory: parent and child see each other's writes; private memory does not. */
#include "abi.h"

static int *shared, *private;

static void child(void)
{
	*shared += 10;
	*private += 10;
	show("child: %d %d", *shared, *private);
	munmap(shared, 4096);
}

/* MADV_REMOVE of an area that no program could fill. */
static void sparse(void)
{
	const size_t size = 1UL << 46, places[] = { 0, 4096, 1UL << 30, (1UL << 45) + 4096, size - 4096 };
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (int i = 0; i < 5; i++)
		p[places[i]] = (char)(i + 1);
	CALL(madvise((void *)(p + 4096), size - 8192, MADV_REMOVE));
	for (int i = 0; i < 5; i++)
		show("place %d: %d", i, p[places[i]]);
	CALL(madvise((void *)p, size, MADV_REMOVE));
	show("all: %d %d", p[0], p[size - 4096]);
	munmap((void *)p, size);
}

int main(void)
{
	volatile char *big;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*shared = *private = 1;
	CHILD(child);
	show("parent: %d %d", *shared, *private);
	big = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	big[1 << 19] = 5;
	CALL(madvise((void *)big, 1 << 20, MADV_DONTNEED));
	show("after MADV_DONTNEED: %d", big[1 << 19]);
	CALL(madvise((void *)big, 1 << 20, MADV_REMOVE));
	show("after MADV_REMOVE: %d", big[1 << 19]);
	CHILD(sparse);
	big = mremap((void *)big, 1 << 20, 1 << 21, MREMAP_MAYMOVE);
	TRUTH(big != MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_PRIVATE, -1, 0) == MAP_FAILED);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	CALL(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	return 0;
}
