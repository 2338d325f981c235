/* alarm and setitimer(ITIMER_REAL): one timer; what is left; periods; fork. */
#include "abi.h"

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

int main(void)
{
	struct itimerval value = { { 0, 10000 }, { 0, 10000 } }, old, off = { { 0, 0 }, { 0, 0 } };
	struct itimerval huge = { { 0, 0 }, { 1L << 40, 0 } };

	signal(SIGALRM, handler);
	CALL(alarm(100));
	CALL(alarm(50));
	getitimer(ITIMER_REAL, &old);
	show("%ld %ld", old.it_value.tv_sec, old.it_interval.tv_usec);
	CALL(setitimer(ITIMER_REAL, &value, &old));
	show("%ld", old.it_value.tv_sec);
	while (handled < 5)
		pause();
	CALL(setitimer(ITIMER_REAL, &off, &old));
	show("handled 5, interval %ld", old.it_interval.tv_usec);
	CALL(alarm(0));
	handled = 0;
	usleep(30000);
	show("handled %d", handled);
	CALL(setitimer(ITIMER_REAL, &huge, NULL));
	getitimer(ITIMER_REAL, &old);
	TRUTH(old.it_value.tv_sec > 1000000000);
	CALL(alarm(7) > 0);
	if (!fork()) {
		show("child: %u", alarm(0));
		_exit(0);
	}
	wait(NULL);
	CALL(alarm(0));
	CALL(alarm(1));
	pause();
	show("handled %d", handled);
	return 0;
}
