/* POSIX timers on clocks of CPU time: many are due at once; an earlier one after a later one; the time of other threads; ignored; limits. */
#include <pthread.h>

#include "abi.h"

#define MS     1000000L
#define TIMERS 100

static volatile int stop, handled;

static void handler(int sig)
{
	handled++;
}

static void *burn(void *arg)
{
	while (!stop)
		;
	return NULL;
}

static long cpu_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / MS;
}

/* Computes until the signals have come, or the clock shows ms more. */
static void compute(clockid_t clock, int signals, long ms)
{
	for (long end = cpu_ms(clock) + ms; handled < signals && cpu_ms(clock) < end;)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static int new_timer(clockid_t clock, int sig, long s, long ns, long interval)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec time = { { 0, interval }, { s, ns } };
	int id = -1;

	if (syscall(SYS_timer_create, clock, &event, &id) || syscall(SYS_timer_settime, id, 0, &time, NULL))
		show("%s", error_name(errno));
	return id;
}

/* Every one of them expires, once. */
static void many_at_once(clockid_t clock)
{
	struct timespec none = { 0, 0 };
	int ids[TIMERS], fired = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, 40);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < TIMERS; i++)
		ids[i] = new_timer(clock, 40, i % 2 ? 1000 : 0, 20 * MS, 0);
	handled = 0;
	for (long end = cpu_ms(clock) + 2000; fired < TIMERS / 2 && cpu_ms(clock) < end;) {
		compute(clock, 1, 5);
		while (sigtimedwait(&set, NULL, &none) == 40)
			fired++;
	}
	compute(clock, 1, 20);
	fired += sigtimedwait(&set, NULL, &none) == 40;
	show("fired %d", fired);
	for (int i = 0; i < TIMERS; i++)
		syscall(SYS_timer_delete, ids[i]);
}

static void earlier_after_later(clockid_t clock)
{
	int later, earlier;
	long start;

	signal(41, handler);
	handled = 0;
	later = new_timer(clock, 41, 1000, 0, 0);
	compute(clock, 1, 50);
	start = cpu_ms(clock);
	earlier = new_timer(clock, 41, 0, 30 * MS, 0);
	compute(clock, 1, 2000);
	TRUTH(cpu_ms(clock) - start >= 29);
	show("handled %d", handled);
	syscall(SYS_timer_delete, later);
	syscall(SYS_timer_delete, earlier);
}

/* The time of another thread expires the timer of the process, but not that of this thread. */
static void other_threads(void)
{
	int process, mine;
	pthread_t thread;

	signal(42, handler);
	handled = 0;
	stop = 0;
	process = new_timer(CLOCK_PROCESS_CPUTIME_ID, 42, 0, 50 * MS, 0);
	mine = new_timer(CLOCK_THREAD_CPUTIME_ID, 42, 100, 0, 0);
	pthread_create(&thread, NULL, burn, NULL);
	while (!handled)
		usleep(1000);
	stop = 1;
	pthread_join(thread, NULL);
	show("handled %d", handled);
	syscall(SYS_timer_delete, process);
	syscall(SYS_timer_delete, mine);
}

/* A periodic timer whose signal is ignored goes on. */
static void ignored(void)
{
	int id;

	signal(43, SIG_IGN);
	handled = 0;
	id = new_timer(CLOCK_PROCESS_CPUTIME_ID, 43, 0, 10 * MS, 10 * MS);
	compute(CLOCK_PROCESS_CPUTIME_ID, 1, 60);
	signal(43, handler);
	compute(CLOCK_PROCESS_CPUTIME_ID, 2, 2000);
	TRUTH(handled >= 2);
	syscall(SYS_timer_delete, id);
}

/* The limit is set while the program has a timer that is due much later. */
static void limit_after_timer(void)
{
	struct rlimit limit = { 1, 10 };

	handled = 0;
	new_timer(CLOCK_PROCESS_CPUTIME_ID, 40, 1000, 0, 0);
	compute(CLOCK_PROCESS_CPUTIME_ID, 1, 50);
	setrlimit(RLIMIT_CPU, &limit);
	for (;;)
		;
}

static void limit_of_threads(void)
{
	struct rlimit limit = { 1, 10 };
	pthread_t thread;

	stop = 0;
	setrlimit(RLIMIT_CPU, &limit);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, burn, NULL);
	for (int i = 0; i < 20000; i++)
		usleep(1000);
	show("no signal");
}

int main(void)
{
	clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, (clockid_t)(~0U << 3 | 1) };

	for (int i = 0; i < 3; i++) {
		many_at_once(clocks[i]);
		earlier_after_later(clocks[i]);
	}
	other_threads();
	ignored();
	CHILD(limit_after_timer);
	CHILD(limit_of_threads);
	return 0;
}
