/*
 * Crashes in inner(), called by outer(), while another thread waits; `crash hole`, with 64 TiB of an empty file in
 * its memory. For test_core_dumps.py.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static volatile int depth;

__attribute__((noinline)) static void inner(int *pointer, int value)
{
	depth++;
	*pointer = value;
	depth--;
}

__attribute__((noinline)) static void outer(int value)
{
	inner((int *)16, value + 1);
	depth--;
}

static void *waiter(void *unused)
{
	pthread_barrier_wait(&barrier);
	pause();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1 && mmap(NULL, 64UL << 40, PROT_READ, MAP_SHARED, memfd_create("hole", 0), 0) == MAP_FAILED)
		return 1;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, waiter, NULL);
	pthread_barrier_wait(&barrier);
	outer(41);
	return 0;
}
