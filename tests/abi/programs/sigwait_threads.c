/* sigtimedwait(2) by several threads: each signal of the process finds one that waits for it. */
#include "abi.h"

#include <pthread.h>

#define ROUNDS  300
#define THREADS 2

static sigset_t set;
static pthread_barrier_t all_there;
static volatile int ready;
static volatile bool lost;

/* Takes one signal each round. */
static void *waits(void *unused)
{
	struct timespec long_time = { 10, 0 };

	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&all_there);
		__sync_fetch_and_add(&ready, 1);
		while (!lost && sigtimedwait(&set, NULL, &long_time) < 0)
			if (errno != EINTR)
				lost = true;
	}
	return unused;
}

int main(void)
{
	pthread_t t[THREADS];

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, waits, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&all_there);
		while (ready < THREADS * (round + 1))
			sched_yield();
		for (volatile int spin = 0; spin < round % 30 * 100; spin++)
			;
		for (int i = 0; i < THREADS && !lost; i++)
			kill(getpid(), SIGRTMIN);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	show("a signal that no thread has taken: %s", lost ? "yes" : "no");
	return 0;
}
