/* Threads: pthread_create(3), mutexes, condition variables, futex(2), thread IDs, exit of the group, signals to threads. */
#include <limits.h>
#include <pthread.h>

#include "abi.h"

#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long counter;
static int ready;
static int word;

static void *count(void *arg)
{
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return (void *)(long)(syscall(SYS_gettid) != getpid());
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static long futex(int *at, int op, int value, const struct timespec *timeout)
{
	return syscall(SYS_futex, at, op, value, timeout, NULL, 0);
}

static void *futex_waits(void *arg)
{
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
		futex(&word, FUTEX_WAIT, 0, NULL);
	return NULL;
}

static void *sleeps(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

static void *exits(void *arg)
{
	exit(12);
	return NULL;
}

static void group_exit(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeps, NULL);
	pthread_create(&thread, NULL, exits, NULL);
	pause();
}

static void execs(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, sleeps, NULL);
	execl("/bin/sh", "sh", "-c", "exit 21", NULL);
}

static void *kills(void *arg)
{
	kill(getpid(), SIGTERM);
	return NULL;
}

static void killed(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, kills, NULL);
	for (;;)
		pause();
}

static void shared_futex(void)
{
	int *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), status;
	pid_t pid = fork();

	if (!pid) {
		while (!__atomic_load_n(at, __ATOMIC_SEQ_CST))
			futex(at, FUTEX_WAIT, 0, NULL);
		_exit(6);
	}
	usleep(20000);
	__atomic_store_n(at, 1, __ATOMIC_SEQ_CST);
	futex(at, FUTEX_WAKE, 1, NULL);
	waitpid(pid, &status, 0);
	show_status("waiter", status);
}

int main(void)
{
	struct timespec short_time = { 0, 10000000 }, bad = { 0, 1000000000 };
	pthread_t threads[8];
	void *result;

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &result);
		show("own tid %ld", (long)result);
	}
	show("counter %ld", counter);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, waits, (void *)(long)i);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &result);
		show("thread %ld", (long)result);
	}

	CALL(futex(&word, FUTEX_WAIT, 1, NULL));
	CALL(futex(&word, FUTEX_WAIT, 0, &short_time));
	CALL(futex(&word, FUTEX_WAIT, 0, &bad));
	CALL(futex(&word, FUTEX_WAKE, 1, NULL));
	CALL(futex((int *)((char *)&word + 1), FUTEX_WAKE, 1, NULL));
	CALL(futex((int *)8, FUTEX_WAIT, 0, NULL));
	CALL(futex(&word, 100, 0, NULL));
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, futex_waits, NULL);
	usleep(20000);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	futex(&word, FUTEX_WAKE, INT_MAX, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	show("all woken");
	CHILD(shared_futex);
	CHILD(group_exit);
	CHILD(execs);
	CHILD(killed);
	return 0;
}
