/* Clocks of CPU time: of the process, of threads, of other processes; which may be read, set, slept on. */
#include <pthread.h>

#include "abi.h"

#define PROCESS_CLOCK(pid, which) ((clockid_t)(~(unsigned)(pid) << 3 | (which)))
#define THREAD_CLOCK(tid, which)  ((clockid_t)(~(unsigned)(tid) << 3 | 4 | (which)))

static volatile pid_t tid;
static volatile int stop;

static void *worker(void *arg)
{
	tid = (pid_t)syscall(SYS_gettid);
	while (!stop)
		usleep(1000);
	return NULL;
}

static long get(clockid_t clock)
{
	struct timespec now;

	return syscall(SYS_clock_gettime, clock, &now);
}

static void resolution(const char *name, clockid_t clock)
{
	struct timespec res = { 9, 9 };

	if (syscall(SYS_clock_getres, clock, &res))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %ld.%09ld", name, (long)res.tv_sec, res.tv_nsec);
}

static long snooze(clockid_t clock, int flags, long ns)
{
	struct timespec t = { 0, ns };

	return syscall(SYS_clock_nanosleep, clock, flags, &t, NULL);
}

int main(void)
{
	struct timespec now, first, process, mine;
	clockid_t other;
	pthread_t thread;
	pid_t pid;

	pthread_create(&thread, NULL, worker, NULL);
	while (!tid)
		usleep(1000);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	for (int which = 0; which < 4; which++) {
		show("which %d", which);
		CALL(get(PROCESS_CLOCK(0, which)));
		CALL(get(PROCESS_CLOCK(getpid(), which)));
		CALL(get(PROCESS_CLOCK(pid, which)));
		CALL(get(PROCESS_CLOCK(tid, which)));
		CALL(get(THREAD_CLOCK(0, which)));
		CALL(get(THREAD_CLOCK(tid, which)));
		CALL(get(THREAD_CLOCK(pid, which)));
		CALL(get(PROCESS_CLOCK(99999, which)));
	}
	resolution("realtime", CLOCK_REALTIME);
	resolution("monotonic", CLOCK_MONOTONIC);
	resolution("raw", CLOCK_MONOTONIC_RAW);
	resolution("realtime coarse", CLOCK_REALTIME_COARSE);
	resolution("monotonic coarse", CLOCK_MONOTONIC_COARSE);
	resolution("boottime", CLOCK_BOOTTIME);
	resolution("tai", CLOCK_TAI);
	resolution("process", CLOCK_PROCESS_CPUTIME_ID);
	resolution("thread", CLOCK_THREAD_CPUTIME_ID);
	resolution("process prof", PROCESS_CLOCK(0, 0));
	resolution("process virt", PROCESS_CLOCK(pid, 1));
	resolution("thread sched", THREAD_CLOCK(tid, 2));
	resolution("no such", 10);
	resolution("no such", 99);
	CALL(syscall(SYS_clock_getres, CLOCK_REALTIME, NULL));
	CALL(syscall(SYS_clock_getres, CLOCK_REALTIME, 1));
	CALL(syscall(SYS_clock_gettime, CLOCK_REALTIME, 1));
	now = (struct timespec){ 1, 0 };
	CALL(syscall(SYS_clock_settime, CLOCK_PROCESS_CPUTIME_ID, &now));
	CALL(syscall(SYS_clock_settime, CLOCK_THREAD_CPUTIME_ID, &now));
	CALL(syscall(SYS_clock_settime, PROCESS_CLOCK(pid, 2), &now));
	CALL(syscall(SYS_clock_settime, CLOCK_MONOTONIC, &now));
	CALL(syscall(SYS_clock_settime, CLOCK_BOOTTIME, &now));
	CALL(syscall(SYS_clock_settime, 99, &now));
	CALL(snooze(CLOCK_THREAD_CPUTIME_ID, 0, 1));
	CALL(snooze(THREAD_CLOCK(0, 2), 0, 1));
	CALL(snooze(CLOCK_MONOTONIC_RAW, 0, 1));
	CALL(snooze(CLOCK_MONOTONIC_COARSE, 0, 1));
	CALL(snooze(99, 0, 1));
	CALL(snooze(CLOCK_PROCESS_CPUTIME_ID, 0, -1));
	CALL(snooze(CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, 1));
	/* The sum of the threads is the process. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &first);
	for (volatile int i = 0; i < 1000000; i++)
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mine);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
	TRUTH(process.tv_sec > first.tv_sec || process.tv_nsec > first.tv_nsec);
	TRUTH(process.tv_sec > mine.tv_sec || process.tv_nsec >= mine.tv_nsec);
	CALL(clock_getcpuclockid(pid, &other));
	CALL(clock_gettime(other, &now));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CALL(clock_gettime(other, &now));
	stop = 1;
	pthread_join(thread, NULL);
	return 0;
}
