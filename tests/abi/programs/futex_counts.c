/* futex(2): how many waiters a call wakes or moves, for unusual numbers and for one word. */
#include "abi.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>

#define WAITERS 3

static unsigned word, other, third;
static volatile int awake;
static volatile pid_t tids[WAITERS];

static long futex(unsigned *uaddr, int op, int val, long val2, unsigned *uaddr2, unsigned val3)
{
	return syscall(SYS_futex, uaddr, op, val, val2, uaddr2, val3);
}

static void *waits(void *arg)
{
	tids[(long)arg] = (pid_t)syscall(SYS_gettid);
	futex(&word, FUTEX_WAIT_PRIVATE, 0, 0, NULL, 0);
	__sync_fetch_and_add(&awake, 1);
	return NULL;
}

static pthread_t threads[WAITERS];

static void start(void)
{
	awake = 0;
	for (long i = 0; i < WAITERS; i++) {
		tids[i] = 0;
		pthread_create(&threads[i], NULL, waits, (void *)i);
		while (!tids[i])
			usleep(1000);
		until_asleep(getpid(), tids[i]);
	}
}

static void finish(void)
{
	while (awake < WAITERS) {
		futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0);
		futex(&other, FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0);
		usleep(1000);
	}
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
}

static void wake(const char *name, int count)
{
	start();
	show("FUTEX_WAKE %s: %ld", name, futex(&word, FUTEX_WAKE_PRIVATE, count, 0, NULL, 0));
	finish();
}

static void wake_op(int count, int count2)
{
	long woken;

	start();
	other = 1;
	/* other = 1 again; other == 1 is true, so the waiters of the second word count, too. */
	woken = futex(&third, FUTEX_WAKE_OP_PRIVATE, count, count2, &word, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));
	show("FUTEX_WAKE_OP %d %d: %ld", count, count2, woken);
	finish();
}

static void wake_op_first(int count)
{
	long woken;

	start();
	woken = futex(&word, FUTEX_WAKE_OP_PRIVATE, count, 0, &third, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_NE, 0));
	show("FUTEX_WAKE_OP %d, first word: %ld", count, woken);
	finish();
}

static void requeue(const char *name, int op, int nr_wake, long nr_requeue, unsigned *to)
{
	start();
	show("%s %d %ld to %s word: %ld", name, nr_wake, nr_requeue, to == &word ? "the same" : "another",
	     futex(&word, op, nr_wake, nr_requeue, to, 0));
	show("then at the first word: %ld", futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0));
	show("then at the other word: %ld", futex(&other, FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0));
	finish();
}

int main(void)
{
	wake("0", 0);
	wake("1", 1);
	wake("2", 2);
	wake("-1", -1);
	wake("INT_MIN", INT_MIN);
	wake("INT_MAX", INT_MAX);
	wake_op(0, 0);
	wake_op(0, 1);
	wake_op(1, -1);
	wake_op(1, 2);
	wake_op_first(0);
	wake_op_first(-1);
	wake_op_first(2);
	requeue("FUTEX_REQUEUE", FUTEX_REQUEUE_PRIVATE, 0, 0, &other);
	requeue("FUTEX_REQUEUE", FUTEX_REQUEUE_PRIVATE, 1, 1, &other);
	requeue("FUTEX_REQUEUE", FUTEX_REQUEUE_PRIVATE, 0, INT_MAX, &other);
	requeue("FUTEX_REQUEUE", FUTEX_REQUEUE_PRIVATE, 1, 1, &word);
	requeue("FUTEX_REQUEUE", FUTEX_REQUEUE_PRIVATE, 0, INT_MAX, &word);
	requeue("FUTEX_CMP_REQUEUE", FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &word);
	return 0;
}
