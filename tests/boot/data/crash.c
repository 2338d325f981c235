/* Crashes in inner(), called by outer(), while another thread waits. For test_core_dumps.py. */
#include <pthread.h>
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

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, waiter, NULL);
	pthread_barrier_wait(&barrier);
	outer(41);
	return 0;
}
