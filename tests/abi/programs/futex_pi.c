/* Locks with priority inheritance: the word, hand-over between threads, time-outs and errors of futex(2). */
#include <pthread.h>

#include "abi.h"

enum { WAIT = 0, WAKE = 1, REQUEUE = 3, LOCK_PI = 6, UNLOCK_PI = 7, TRYLOCK_PI = 8, WAIT_REQUEUE_PI = 11, CMP_REQUEUE_PI = 12, LOCK_PI2 = 13 };
#define REALTIME  256
#define PRIVATE   128
#define WAITERS   0x80000000u
#define DIED      0x40000000u

static unsigned word, other;
static pid_t main_tid, helper_tid;
static int got, result, go;

static long futex(unsigned *at, int op, unsigned value, const struct timespec *timeout)
{
	return syscall(SYS_futex, at, op, value, timeout, NULL, 0);
}

static pid_t gettid_now(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* The word without the thread ids. */
static void show_word(const char *when)
{
	unsigned tid = word & 0x3fffffff;

	show("%s: owner %s%s%s", when, !tid ? "none" : tid == (unsigned)main_tid ? "main" : tid == (unsigned)helper_tid ? "helper" : "another",
	     word & WAITERS ? ", waiters" : "", word & DIED ? ", died" : "");
}

static void *locks(void *arg)
{
	helper_tid = gettid_now();
	__atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
	result = (int)futex(&word, LOCK_PI | (arg ? PRIVATE : 0), 0, NULL);
	got = 1;
	show_word("helper has it");
	show("unlock by the helper: %ld", futex(&word, UNLOCK_PI | (arg ? PRIVATE : 0), 0, NULL));
	return NULL;
}

static void hand_over(void *flag)
{
	pthread_t thread;
	long unlocked;

	word = 0;
	got = go = 0;
	CALL(futex(&word, LOCK_PI | (flag ? PRIVATE : 0), 0, NULL));
	show_word("locked");
	pthread_create(&thread, NULL, locks, flag);
	while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
		usleep(1000);
	until_asleep(getpid(), helper_tid);
	show_word("helper waits");
	show("it has it: %d", got);
	errno = 0;
	show("FUTEX_WAKE: %s", futex(&word, WAKE | (flag ? PRIVATE : 0), 1, NULL) < 0 ? error_name(errno) : "worked");
	show("FUTEX_REQUEUE: %s", syscall(SYS_futex, &word, REQUEUE | (flag ? PRIVATE : 0), 1, 1, &other, 0) < 0 ? error_name(errno) : "worked");
	CALL(futex(&word, TRYLOCK_PI | (flag ? PRIVATE : 0), 0, NULL));
	unlocked = futex(&word, UNLOCK_PI | (flag ? PRIVATE : 0), 0, NULL);
	pthread_join(thread, NULL);
	show("unlock by main: %ld", unlocked);
	show("result in the helper: %d", result);
	show_word("at the end");
}

static void *holds(void *arg)
{
	helper_tid = gettid_now();
	futex(&word, LOCK_PI, 0, NULL);
	__atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&go, __ATOMIC_SEQ_CST) != 2)
		usleep(1000);
	futex(&word, UNLOCK_PI, 0, NULL);
	return NULL;
}

static void held_by_another(void)
{
	struct timespec past = { 1, 0 }, bad = { 0, 1000000000 }, negative = { -1, 0 }, soon;
	pthread_t thread;

	word = 0;
	go = 0;
	pthread_create(&thread, NULL, holds, NULL);
	while (__atomic_load_n(&go, __ATOMIC_SEQ_CST) != 1)
		usleep(1000);
	show_word("held");
	CALL(futex(&word, UNLOCK_PI, 0, NULL));
	CALL(futex(&word, TRYLOCK_PI, 0, NULL));
	show_word("after a try");
	CALL(futex(&word, LOCK_PI, 0, &past));
	CALL(futex(&word, LOCK_PI, 0, &bad));
	CALL(futex(&word, LOCK_PI, 0, &negative));
	CALL(futex(&word, LOCK_PI2, 0, &past));
	CALL(futex(&word, LOCK_PI2 | REALTIME, 0, &past));
	CALL(futex(&word, LOCK_PI | REALTIME, 0, &past));
	CALL(futex(&word, TRYLOCK_PI | REALTIME, 0, &past));
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 20000000;
	if (soon.tv_nsec >= 1000000000)
		soon.tv_sec++, soon.tv_nsec -= 1000000000;
	CALL(futex(&word, LOCK_PI, 0, &soon));
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_nsec += 20000000;
	if (soon.tv_nsec >= 1000000000)
		soon.tv_sec++, soon.tv_nsec -= 1000000000;
	CALL(futex(&word, LOCK_PI2, 0, &soon));
	show_word("after the time-outs");
	__atomic_store_n(&go, 2, __ATOMIC_SEQ_CST);
	CALL(futex(&word, LOCK_PI, 0, NULL));
	pthread_join(thread, NULL);
	CALL(futex(&word, UNLOCK_PI, 0, NULL));
	show_word("free");
}

static int child_ends(void)
{
	return 0;
}

int main(void)
{
	pid_t dead;

	main_tid = gettid_now();
	hand_over(NULL);
	hand_over(&word);
	held_by_another();

	show("# one thread");
	word = 0;
	CALL(futex(&word, TRYLOCK_PI, 0, NULL));
	show_word("tried");
	CALL(futex(&word, TRYLOCK_PI, 0, NULL));
	CALL(futex(&word, LOCK_PI, 0, NULL));
	word |= WAITERS;
	CALL(futex(&word, UNLOCK_PI, 0, NULL));
	show_word("unlocked");
	CALL(futex(&word, UNLOCK_PI, 0, NULL));
	word = DIED;
	CALL(futex(&word, LOCK_PI, 0, NULL));
	show_word("after a dead owner");
	CALL(futex(&word, UNLOCK_PI, 0, NULL));
	show_word("unlocked");
	word = DIED | WAITERS;
	CALL(futex(&word, LOCK_PI, 0, NULL));
	show_word("after a dead owner with waiters");
	word = WAITERS;
	CALL(futex(&word, TRYLOCK_PI, 0, NULL));
	show_word("waiters, but no owner");

	show("# an owner that is none");
	word = 0x3ffffff0;
	CALL(futex(&word, LOCK_PI, 0, NULL));
	show("%#x", word);
	word = 2; /* kthreadd */
	CALL(futex(&word, LOCK_PI, 0, NULL));
	show("%#x", word);
	dead = fork();
	if (!dead)
		_exit(child_ends());
	waitid(P_PID, (id_t)dead, NULL, WEXITED | WNOWAIT);
	word = (unsigned)dead;
	show("zombie: %s", futex(&word, LOCK_PI, 0, NULL) < 0 ? error_name(errno) : "locked");
	waitpid(dead, NULL, 0);
	word = (unsigned)dead;
	show("reaped: %s", futex(&word, TRYLOCK_PI, 0, NULL) < 0 ? error_name(errno) : "locked");

	show("# bad addresses");
	CALL(futex((unsigned *)((char *)&word + 1), LOCK_PI, 0, NULL));
	CALL(futex((unsigned *)((char *)&word + 2), UNLOCK_PI, 0, NULL));
	CALL(futex(NULL, LOCK_PI, 0, NULL));
	CALL(futex(NULL, UNLOCK_PI, 0, NULL));
	CALL(futex((unsigned *)(1L << 47), LOCK_PI, 0, NULL));
	unsigned *readonly = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CALL(futex(readonly, LOCK_PI, 0, NULL));
	CALL(futex(readonly, LOCK_PI | PRIVATE, 0, NULL));
	unsigned *fresh = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CALL(futex(fresh, LOCK_PI, 0, NULL));
	CALL(futex(fresh, UNLOCK_PI, 0, NULL));
	show("%u", *fresh);

	show("# operations that take CLOCK_REALTIME");
	for (int op = 0; op < 16; op++) {
		struct timespec past = { 0, 1 };
		unsigned zero = 0, zero2 = 0;
		long ret = syscall(SYS_futex, &zero, op | REALTIME, 1, &past, &zero2, 0);

		show("%d: %s", op, ret < 0 ? error_name(errno) : "0");
	}
	return 0;
}
