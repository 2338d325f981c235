/* clock_gettime(2), nanosleep(2), alarm(2), setitimer(2), timer_create(2), utimensat(2), times(2). */
#include <sys/times.h>

#include "abi.h"

static volatile int alarms;

static void on_alarm(int sig)
{
	alarms++;
}

static long ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void times_of(const char *name)
{
	struct stat st;

	stat(name, &st);
	show("%s: access %ld.%ld change %ld.%ld", name, (long)st.st_atim.tv_sec, st.st_atim.tv_nsec, (long)st.st_mtim.tv_sec,
	     st.st_mtim.tv_nsec);
}

static void as_user(void)
{
	struct timespec given[2] = { { 1, 0 }, { 2, 0 } };

	setresuid(1000, 1000, 1000);
	CALL(utimensat(AT_FDCWD, "writable", NULL, 0));
	CALL(utimensat(AT_FDCWD, "writable", given, 0));
	CALL(utimensat(AT_FDCWD, "roots", NULL, 0));
}

int main(void)
{
	struct timespec time = { 0, 30000000 }, left = { 9, 9 }, bad = { 0, 1000000000 }, negative = { -1, 0 };
	struct itimerval timer = { { 0, 10000 }, { 0, 10000 } }, old;
	struct timespec given[2] = { { 1000, 5 }, { 2000, 6 } };
	struct sigaction action = { .sa_handler = on_alarm };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec spec = { { 0, 0 }, { 0, 20000000 } };
	struct timespec res;
	timer_t id;
	long start, before;

	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	start = ms(CLOCK_MONOTONIC);
	CALL(nanosleep(&time, NULL));
	TRUTH(ms(CLOCK_MONOTONIC) - start >= 30);
	TRUTH(ms(CLOCK_REALTIME) > 0);
	TRUTH(ms(CLOCK_BOOTTIME) >= start);
	TRUTH(ms(CLOCK_MONOTONIC_RAW) > 0);
	TRUTH(ms(CLOCK_MONOTONIC_COARSE) >= start);
	CALL(clock_getres(CLOCK_MONOTONIC, &res));
	show("%ld.%ld", (long)res.tv_sec, res.tv_nsec);
	CALL(syscall(SYS_clock_gettime, 999, &time));
	CALL(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, NULL));
	CALL(syscall(SYS_nanosleep, &bad, NULL));
	CALL(syscall(SYS_nanosleep, &negative, NULL));
	CALL(syscall(SYS_nanosleep, NULL, NULL));
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &negative, NULL));
	time = (struct timespec){ 0, 1 };
	CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL));
	CALL(syscall(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &time, NULL));

	CALL(alarm(100));
	TRUTH(alarm(0) > 90);
	CALL(alarm(0));
	CALL(setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 30000 }, { 0, 30000 } }, NULL)); /* one of its signals comes during the sleep */
	time = (struct timespec){ 20, 0 };
	CALL(nanosleep(&time, &left));
	TRUTH(left.tv_sec > 10 && left.tv_sec < 20);
	TRUTH(alarms >= 1);
	alarms = 0;
	CALL(setitimer(ITIMER_REAL, &timer, NULL));
	while (alarms < 5)
		pause();
	memset(&timer, 0, sizeof(timer));
	CALL(setitimer(ITIMER_REAL, &timer, &old));
	show("interval %ld", (long)old.it_interval.tv_usec);
	CALL(setitimer(99, &timer, &old));
	timer.it_value.tv_usec = 1000000;
	CALL(setitimer(ITIMER_REAL, &timer, &old));
	alarms = 0;
	CALL(setitimer(ITIMER_PROF, &(struct itimerval){ { 0, 0 }, { 1000, 0 } }, NULL));
	CALL(getitimer(ITIMER_VIRTUAL, &old));

	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
	CALL(timer_settime(id, 0, &spec, NULL));
	while (!alarms)
		usleep(1000);
	show("alarms %d", alarms);
	CALL(timer_delete(id));

	before = clock();
	while (clock() - before < 20000)
		;
	TRUTH(ms(CLOCK_PROCESS_CPUTIME_ID) >= 20);
	TRUTH(times(NULL) > 0);

	close(open("roots", O_WRONLY | O_CREAT, 0644));
	close(open("writable", O_WRONLY | O_CREAT, 0666));
	chmod("writable", 0666);
	chmod(".", 0755);
	CALL(utimensat(AT_FDCWD, "roots", given, 0));
	times_of("roots");
	given[0].tv_nsec = UTIME_OMIT;
	given[1].tv_sec = 3000;
	CALL(utimensat(AT_FDCWD, "roots", given, 0));
	times_of("roots");
	given[0].tv_nsec = 1000000000;
	CALL(syscall(SYS_utimensat, AT_FDCWD, "roots", given, 0));
	given[0].tv_nsec = UTIME_NOW;
	given[1].tv_nsec = UTIME_OMIT;
	CALL(utimensat(AT_FDCWD, "roots", given, 0));
	CALL(utimensat(AT_FDCWD, "absent", NULL, 0));
	CHILD(as_user);
	return 0;
}
