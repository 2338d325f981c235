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
	TRUTH(alarm(50) > 90);
	getitimer(ITIMER_REAL, &old);
	TRUTH(old.it_value.tv_sec > 40 && old.it_value.tv_sec < 50 && !old.it_interval.tv_usec);
	CALL(setitimer(ITIMER_REAL, &value, &old));
	TRUTH(old.it_value.tv_sec > 40 && old.it_value.tv_sec < 50);
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
	CALL(alarm(70) > 0);
	if (!fork()) {
		show("child: %u", alarm(0));
		_exit(0);
	}
	wait(NULL);
	TRUTH(alarm(0) > 60);
	CALL(alarm(1));
	while (!handled)
		usleep(1000);
	show("handled %d", handled);
	return 0;
}
