/* futex: errors, bits, time-outs of both kinds, requeue, wake_op, words shared by processes. */
#include <pthread.h>

#include "abi.h"

#define WAIT 0
#define WAKE 1
#define REQUEUE 3
#define CMP_REQUEUE 4
#define WAKE_OP 5
#define WAIT_BITSET 9
#define WAKE_BITSET 10
#define PRIVATE 128
#define CLOCK_REALTIME_FLAG 256

static int word, other;
static volatile int woken;
static pid_t tids[4];

static long futex(int *at, int op, int value, const void *timeout, int *at2, unsigned value3)
{
	return syscall(SYS_futex, at, op, value, timeout, at2, value3);
}

static void *waiter(void *bits)
{
	__atomic_store_n(&tids[__builtin_ctzl((uintptr_t)bits)], (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	if (!futex(&word, WAIT_BITSET | PRIVATE, 0, NULL, NULL, (unsigned)(uintptr_t)bits))
		__atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void settle(int count)
{
	while (woken < count)
		usleep(1000);
	let_others_run(); /* a further one must not be woken */
	show("woken %d", woken);
}

int main(void)
{
	struct timespec short_time = { 0, 10000000 }, bad = { 0, 1000000000 }, now;
	int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[4];
	pid_t pid;

	CALL(futex(&word, WAIT, 1, NULL, NULL, 0));
	CALL(futex(&word, WAIT, 0, &short_time, NULL, 0));
	CALL(futex(&word, WAIT, 0, &bad, NULL, 0));
	CALL(futex(&word, WAIT, 0, (void *)1, NULL, 0));
	CALL(futex((int *)((char *)&word + 1), WAIT, 0, NULL, NULL, 0));
	CALL(futex((int *)4096, WAIT, 0, NULL, NULL, 0));
	CALL(futex((int *)4096, WAKE | PRIVATE, 1, NULL, NULL, 0));
	CALL(futex((int *)4096, WAKE, 1, NULL, NULL, 0));
	CALL(futex(&word, WAKE, 1, NULL, NULL, 0));
	CALL(futex(&word, WAIT_BITSET, 0, NULL, NULL, 0));
	CALL(futex(&word, WAKE_BITSET, 1, NULL, NULL, 0));
	CALL(futex(&word, 99, 1, NULL, NULL, 0));
	CALL(futex(&word, WAKE | CLOCK_REALTIME_FLAG, 1, NULL, NULL, 0));
	clock_gettime(CLOCK_MONOTONIC, &now);
	CALL(futex(&word, WAIT_BITSET, 0, &now, NULL, ~0U));
	clock_gettime(CLOCK_REALTIME, &now);
	CALL(futex(&word, WAIT_BITSET | CLOCK_REALTIME_FLAG, 0, &now, NULL, ~0U));
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, waiter, (void *)(uintptr_t)(1U << i));
	for (int i = 0; i < 4; i++) {
		while (!__atomic_load_n(&tids[i], __ATOMIC_SEQ_CST))
			usleep(1000);
		until_asleep(getpid(), tids[i]);
	}
	CALL(futex(&word, WAKE_BITSET | PRIVATE, 10, NULL, NULL, 2));
	settle(1);
	CALL(futex(&word, WAKE | PRIVATE, 1, NULL, NULL, 0));
	settle(2);
	CALL(futex(&word, CMP_REQUEUE | PRIVATE, 0, (void *)10L, &other, 5));
	CALL(futex(&word, CMP_REQUEUE | PRIVATE, 0, (void *)10L, &other, 0));
	CALL(futex(&word, WAKE | PRIVATE, 10, NULL, NULL, 0));
	/* Adds 3 to `other`, and wakes there because it was 0. */
	CALL(futex(&word, WAKE_OP | PRIVATE, 10, (void *)1L, &other, 1U << 28 | 0U << 24 | 3U << 12 | 0));
	show("other %d", other);
	settle(3);
	CALL(futex(&other, WAKE | PRIVATE, 10, NULL, NULL, 0));
	settle(4);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pid = fork();
	if (!pid)
		_exit(futex(shared, WAIT, 0, NULL, NULL, 0) ? 1 : 0);
	until_asleep(pid, pid);
	CALL(futex(shared, WAKE | PRIVATE, 10, NULL, NULL, 0));
	CALL(futex(shared, WAKE, 10, NULL, NULL, 0));
	waitpid(pid, NULL, 0);
	return 0;
}
