/* setitimer: ITIMER_VIRTUAL and ITIMER_PROF count the time of the CPU, not of sleep; errors; getitimer. */
#include "abi.h"

static volatile int virtual, prof;
static struct itimerval ended;

static void on_virtual(int sig)
{
	virtual++;
}

/* Ends the periodic timer at its third signal. The timer of one signal is off then anyway. */
static void on_prof(int sig)
{
	struct itimerval off = { { 0, 0 }, { 0, 0 } };

	if (++prof == 3)
		setitimer(ITIMER_PROF, &off, &ended);
}

static void burn(volatile int *until, int count)
{
	for (long i = 0; *until < count && i < 2000000000; i++)
		;
}

int main(void)
{
	struct itimerval once = { { 0, 0 }, { 0, 50000 } }, old;
	int quiet = 0;
	struct itimerval periodic = { { 0, 10000 }, { 0, 10000 } }, bad = { { 0, 0 }, { 0, 1000000 } }, negative = { { -1, 0 }, { 0, 0 } };

	signal(SIGVTALRM, on_virtual);
	signal(SIGPROF, on_prof);
	CALL(setitimer(3, &once, NULL));
	CALL(setitimer(-1, &once, NULL));
	CALL(setitimer(ITIMER_VIRTUAL, &bad, NULL));
	CALL(setitimer(ITIMER_PROF, &negative, NULL));
	CALL(getitimer(3, &old));
	CALL(syscall(SYS_getitimer, ITIMER_PROF, 1));
	CALL(syscall(SYS_setitimer, ITIMER_PROF, 1, NULL));
	/*
	 * ITIMER_PROF is first: its clock runs whenever that of ITIMER_VIRTUAL does. Set first, it has
	 * expired when the other one has.
	 */
	CALL(setitimer(ITIMER_PROF, &once, NULL));
	CALL(setitimer(ITIMER_VIRTUAL, &once, &old));
	show("%ld %ld", old.it_value.tv_sec, old.it_value.tv_usec);
	/* A machine that stands still looks like a program that computes, but not each time. */
	for (int try = 0; try < 5; try++) {
		virtual = prof = 0;
		setitimer(ITIMER_PROF, &once, NULL);
		setitimer(ITIMER_VIRTUAL, &once, NULL);
		usleep(60000);
		getitimer(ITIMER_VIRTUAL, &old);
		quiet += !virtual && !prof && old.it_value.tv_usec > 0 && old.it_value.tv_usec <= 60000;
	}
	TRUTH(quiet > 0);
	syscall(SYS_setitimer, ITIMER_PROF, NULL, NULL); /* they might expire after the next line */
	syscall(SYS_setitimer, ITIMER_VIRTUAL, NULL, NULL);
	virtual = prof = 0;
	setitimer(ITIMER_PROF, &once, NULL);
	setitimer(ITIMER_VIRTUAL, &once, NULL);
	burn(&virtual, 1);
	show("virtual %d prof %d", virtual, prof);
	getitimer(ITIMER_VIRTUAL, &old);
	show("%ld %ld", old.it_value.tv_sec, old.it_value.tv_usec);
	prof = 0;
	CALL(setitimer(ITIMER_PROF, &periodic, NULL));
	burn(&prof, 3);
	show("prof %d, interval %ld", prof, ended.it_interval.tv_usec);
	TRUTH(ended.it_value.tv_usec > 0);
	CALL(getitimer(ITIMER_PROF, &old));
	show("%ld %ld, interval %ld", old.it_value.tv_sec, old.it_value.tv_usec, old.it_interval.tv_usec);
	/* Without a new value the timer is off. */
	CALL(syscall(SYS_setitimer, ITIMER_VIRTUAL, NULL, &old));
	return 0;
}
