/* TFD_TIMER_CANCEL_ON_SET: a read fails when the clock was set; other timers go on. */
#include "abi.h"

#include <sys/timerfd.h>

#define CANCEL 2

int main(void)
{
	struct itimerspec at = { { 0, 0 }, { 4000000000, 0 } };
	int cancel = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK), plain = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	int mono = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct timespec now;
	uint64_t n;

	CALL(timerfd_settime(cancel, TFD_TIMER_ABSTIME | CANCEL, &at, NULL));
	CALL(timerfd_settime(plain, TFD_TIMER_ABSTIME, &at, NULL));
	CALL(timerfd_settime(mono, TFD_TIMER_ABSTIME | CANCEL, &at, NULL));
	CALL(read(cancel, &n, 8));
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec = now.tv_nsec / 2;
	CALL(clock_settime(CLOCK_REALTIME, &now));
	CALL(read(plain, &n, 8));
	CALL(read(mono, &n, 8));
	errno = 0;
	show("%ld %d", (long)read(cancel, &n, 8), errno);
	CALL(read(cancel, &n, 8));
	CALL(timerfd_settime(cancel, TFD_TIMER_ABSTIME | CANCEL, &at, NULL));
	CALL(read(cancel, &n, 8));
	CALL(clock_settime(CLOCK_REALTIME, &now));
	CALL(timerfd_settime(cancel, TFD_TIMER_ABSTIME | CANCEL, &at, NULL) * 0);
	return 0;
}
