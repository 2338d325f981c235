/* Condition variables with priority inheritance: FUTEX_WAIT_REQUEUE_PI and FUTEX_CMP_REQUEUE_PI. */
#include <pthread.h>
#include <sched.h>

#include "abi.h"

enum { WAIT = 0, WAKE = 1, LOCK_PI = 6, UNLOCK_PI = 7, WAIT_REQUEUE_PI = 11, CMP_REQUEUE_PI = 12, PRIVATE = 128 };
#define WAITERS 0x80000000u

static unsigned cond, lock_word, wrong;
static pid_t main_tid;

/* musl's functions do not make the system calls. */
static int set_scheduler(pid_t tid, int policy, const struct sched_param *param)
{
	return (int)syscall(SYS_sched_setscheduler, tid, policy, param);
}

static long lock(void)
{
	return syscall(SYS_futex, &lock_word, LOCK_PI | PRIVATE, 0, NULL, NULL, 0);
}

static long unlock(void)
{
	return syscall(SYS_futex, &lock_word, UNLOCK_PI | PRIVATE, 0, NULL, NULL, 0);
}

static long wait_requeue(unsigned value, const struct timespec *end)
{
	return syscall(SYS_futex, &cond, WAIT_REQUEUE_PI | PRIVATE, value, end, &lock_word, 0);
}

static long requeue(long wake, long move, unsigned value)
{
	return syscall(SYS_futex, &cond, CMP_REQUEUE_PI | PRIVATE, wake, move, &lock_word, value);
}

struct thread {
	pthread_t thread;
	pid_t tid;
	int prio;
	const char *name;
	struct timespec *end;
};

static void *body(void *arg)
{
	struct thread *t = arg;
	struct sched_param param = { .sched_priority = t->prio };
	long ret;

	if (t->prio)
		set_scheduler(0, SCHED_FIFO, &param);
	__atomic_store_n(&t->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	ret = wait_requeue(0, t->end);
	show("%s: %s, owner: %d", t->name, ret < 0 ? error_name(errno) : "0", (lock_word & 0x3fffffff) == (unsigned)t->tid);
	if (ret == 0)
		show("%s: unlock %ld", t->name, unlock());
	return NULL;
}

static void start(struct thread *t)
{
	pthread_create(&t->thread, NULL, body, t);
	while (!__atomic_load_n(&t->tid, __ATOMIC_SEQ_CST))
		usleep(1000);
	until_asleep(getpid(), t->tid);
}

static void show_lock(const char *when)
{
	unsigned tid = lock_word & 0x3fffffff;

	show("%s: lock %s%s", when, !tid ? "free" : tid == (unsigned)main_tid ? "main's" : "another's", lock_word & WAITERS ? ", waiters" : "");
}

static void free_lock(void)
{
	struct thread a = { .name = "a" }, b = { .name = "b" };

	long woken;

	show("# the lock is free: the first waiter gets it");
	start(&a);
	start(&b);
	CALL(requeue(1, 0, 1));
	errno = 0;
	woken = requeue(1, 0, 0);
	pthread_join(a.thread, NULL);
	report("requeue(1, 0, 0)", woken);
	woken = requeue(1, 10, 0);
	pthread_join(b.thread, NULL);
	report("requeue(1, 10, 0)", woken);
	show_lock("then");
	CALL(requeue(1, 10, 0));
}

static void held_lock(void)
{
	struct thread a = { .name = "normal" }, b = { .prio = 10, .name = "10" }, c = { .prio = 20, .name = "20" };
	long released;

	show("# the lock is held: they wait for it, by priority");
	start(&a);
	start(&b);
	start(&c);
	CALL(lock());
	CALL(requeue(1, 1, 0));
	show_lock("two moved");
	CALL(requeue(1, 10, 0));
	CALL(requeue(1, 10, 0));
	errno = 0;
	released = unlock();
	pthread_join(a.thread, NULL);
	pthread_join(b.thread, NULL);
	pthread_join(c.thread, NULL);
	report("unlock()", released);
	show_lock("then");
}

static void broadcast(void)
{
	struct thread a = { .prio = 5, .name = "5" }, b = { .prio = 15, .name = "15" };

	long woken;

	show("# the lock is free: one gets it, the other waits for it");
	start(&a);
	start(&b);
	woken = requeue(1, 100, 0);
	pthread_join(a.thread, NULL);
	pthread_join(b.thread, NULL);
	report("requeue(1, 100, 0)", woken);
	show_lock("then");
}

static void times_out(void)
{
	struct timespec soon, past = { 0, 1 };
	struct thread a = { .name = "soon", .end = &soon };

	show("# time-outs");
	CALL(wait_requeue(0, &past));
	clock_gettime(CLOCK_MONOTONIC, &soon);
	soon.tv_sec += 3;
	start(&a);
	CALL(lock());
	CALL(requeue(1, 1, 0));
	show_lock("moved");
	pthread_join(a.thread, NULL);
	CALL(unlock());
	show_lock("then");
}

static void handler(int sig)
{
}

static void signals(void)
{
	struct sigaction act = { .sa_handler = handler };
	struct thread a = { .name = "a" };

	show("# a signal after the move");
	sigaction(SIGUSR1, &act, NULL);
	start(&a);
	CALL(lock());
	CALL(requeue(1, 1, 0));
	pthread_kill(a.thread, SIGUSR1);
	pthread_join(a.thread, NULL);
	CALL(unlock());
	show_lock("then");
}

static void wrong_calls(void)
{
	struct thread a = { .name = "a" };

	long woken;

	show("# errors");
	start(&a);
	CALL(requeue(0, 1, 0));
	CALL(requeue(2, 1, 0));
	CALL(requeue(1, -1, 0));
	CALL(syscall(SYS_futex, &cond, CMP_REQUEUE_PI | PRIVATE, 1, 1L, &cond, 0));
	CALL(syscall(SYS_futex, &cond, CMP_REQUEUE_PI | PRIVATE, 1, 1L, &wrong, 0));
	CALL(syscall(SYS_futex, &cond, WAKE | PRIVATE, 1, NULL, NULL, 0));
	CALL(syscall(SYS_futex, &cond, CMP_REQUEUE_PI, 1, 1L, &lock_word, 0));
	CALL(syscall(SYS_futex, &cond, WAIT_REQUEUE_PI | PRIVATE, 0, NULL, &cond, 0));
	CALL(wait_requeue(1, NULL));
	CALL(syscall(SYS_futex, (char *)&cond + 1, WAIT_REQUEUE_PI | PRIVATE, 0, NULL, &lock_word, 0));
	CALL(syscall(SYS_futex, &cond, CMP_REQUEUE_PI | PRIVATE, 1, 1L, (char *)&lock_word + 2, 0));
	CALL(syscall(SYS_futex, NULL, CMP_REQUEUE_PI | PRIVATE, 1, 1L, &lock_word, 0));
	woken = requeue(1, 1, 0);
	pthread_join(a.thread, NULL);
	report("requeue(1, 1, 0)", woken);
	show_lock("then");
}

int main(void)
{
	cpu_set_t one;

	/* On one CPU, the order in which real-time threads print is that of their priorities. */
	sched_getaffinity(0, sizeof(one), &one);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &one) && found++)
			CPU_CLR(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	main_tid = (pid_t)syscall(SYS_gettid);
	free_lock();
	held_lock();
	broadcast();
	times_out();
	signals();
	wrong_calls();
	return 0;
}
