/* POSIX timers with SIGEV_THREAD_ID and SIGEV_NONE. */
#include <pthread.h>

#include "abi.h"

#define MS 1000000L

static volatile pid_t handler_tid, worker_tid;
static volatile int handled;

static void handler(int sig)
{
	handler_tid = (pid_t)syscall(SYS_gettid);
	handled++;
}

static void *worker(void *arg)
{
	worker_tid = (pid_t)syscall(SYS_gettid);
	while (!handled)
		usleep(1000);
	return NULL;
}

/* The first fields of struct sigevent as the kernel knows it. */
struct kernel_sigevent {
	union sigval value;
	int signo, notify, tid, pad[11];
};

static void use_cpu(long ms)
{
	for (clock_t start = clock(); clock() < start + ms * (CLOCKS_PER_SEC / 1000);)
		;
}

/* Nobody gets the signal, whether the call that sets the timer finds it due, or a tick does. */
static void cpu_timer_of_ended_thread(int id)
{
	struct itimerspec past = { { 0, 0 }, { 0, 1 } }, soon = { { 0, 0 }, { 0, 20 * MS } }, now;

	CALL(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &past, NULL));
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
	use_cpu(60);
	syscall(SYS_timer_gettime, id, &now);
	show("%ld %ld, handled %d", (long)now.it_value.tv_sec, now.it_value.tv_nsec, handled);
	CALL(syscall(SYS_timer_delete, id));
}

int main(void)
{
	struct kernel_sigevent event = { .signo = 40, .notify = 4 };
	struct itimerspec later = { { 0, 0 }, { 100, 0 } }, soon = { { 0, 0 }, { 0, 10 * MS } }, periodic = { { 0, 10 * MS }, { 0, 10 * MS } }, now;
	pthread_t thread;
	int id, cpu_id;

	signal(40, handler);
	pthread_create(&thread, NULL, worker, NULL);
	while (!worker_tid)
		usleep(1000);
	event.tid = worker_tid;
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	CALL(syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, &cpu_id));
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
	pthread_join(thread, NULL);
	TRUTH(handler_tid == worker_tid);
	TRUTH(handler_tid != getpid());
	/* The thread has ended: nobody gets the signal. */
	while (state_of(getpid(), worker_tid) != '-')
		usleep(1000);
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
	usleep(30000);
	show("handled %d", handled);
	CALL(syscall(SYS_timer_delete, id));
	cpu_timer_of_ended_thread(cpu_id);
	event.tid = 1;
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	event.tid = getpid();
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
	while (handled < 2)
		usleep(1000);
	TRUTH(handler_tid == getpid());
	event.notify = SIGEV_NONE;
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	CALL(syscall(SYS_timer_settime, id, 0, &later, NULL));
	syscall(SYS_timer_gettime, id, &now);
	TRUTH(now.it_value.tv_sec > 90);
	CALL(syscall(SYS_timer_settime, id, 0, &soon, NULL));
	usleep(30000);
	syscall(SYS_timer_gettime, id, &now);
	show("%ld %ld", (long)now.it_value.tv_sec, now.it_value.tv_nsec);
	CALL(syscall(SYS_timer_settime, id, 0, &periodic, NULL));
	usleep(35000);
	syscall(SYS_timer_gettime, id, &now);
	TRUTH(now.it_value.tv_nsec > 0 && now.it_value.tv_nsec <= 10 * MS);
	CALL(syscall(SYS_timer_getoverrun, id));
	show("handled %d", handled);
	return 0;
}
