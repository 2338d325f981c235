/* clock_getres(2) and clock_gettime(2): which clocks there are, their order, and bad numbers. */
#include "abi.h"

static int64_t ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? -1 : t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	struct timespec res;
	int64_t a, b;

	for (int clock = 0; clock < 13; clock++) {
		errno = 0;
		show("clock %d: %ld %s", clock, syscall(SYS_clock_gettime, clock, &res), errno ? error_name(errno) : "");
	}
	for (int clock = 0; clock < 8; clock++) {
		syscall(SYS_clock_getres, clock, &res);
		show("resolution %d: %ld.%09ld", clock, (long)res.tv_sec, res.tv_nsec);
	}
	a = ns(CLOCK_MONOTONIC);
	b = ns(CLOCK_MONOTONIC);
	TRUTH(a > 0 && b >= a);
	TRUTH(ns(CLOCK_BOOTTIME) >= a);
	a = ns(CLOCK_REALTIME_COARSE);
	TRUTH(a <= ns(CLOCK_REALTIME));
	CALL(syscall(SYS_clock_getres, CLOCK_MONOTONIC, NULL));
	CALL(syscall(SYS_clock_getres, 99, NULL));
	CALL(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, 8));
	CALL(syscall(SYS_clock_gettime, -1, &res));
	return 0;
}
