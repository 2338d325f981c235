/* settimeofday(2) and clock_settime(2): refused values and users. No call changes the clock. */
#include "abi.h"

static void nobody(void)
{
	struct timeval tv = { 1000000000, 0 };
	struct timespec ts = { 1000000000, 0 };

	setuid(65534);
	CALL(settimeofday(&tv, NULL));
	CALL(clock_settime(CLOCK_REALTIME, &ts));
	CALL(clock_settime(CLOCK_MONOTONIC, &ts));
}

int main(void)
{
	struct timeval bad = { 1000000000, 1000000 }, negative = { -1, 0 }, less = { 1000000000, -1 };
	struct timespec nano = { 1000000000, 1000000000 }, before = { -1, 0 };
	struct timezone zone = { 0, 0 }, far = { 10000, 0 };

	CALL(syscall(SYS_settimeofday, &bad, NULL));
	CALL(syscall(SYS_settimeofday, &less, NULL));
	CALL(syscall(SYS_settimeofday, &negative, NULL));
	CALL(syscall(SYS_settimeofday, 8, NULL));
	CALL(syscall(SYS_settimeofday, NULL, 8));
	CALL(syscall(SYS_settimeofday, NULL, &far));
	CALL(syscall(SYS_settimeofday, NULL, &zone));
	CALL(syscall(SYS_settimeofday, NULL, NULL));
	CALL(syscall(SYS_clock_settime, CLOCK_REALTIME, &nano));
	CALL(syscall(SYS_clock_settime, CLOCK_REALTIME, &before));
	CALL(syscall(SYS_clock_settime, CLOCK_REALTIME, 8));
	CALL(syscall(SYS_clock_settime, CLOCK_MONOTONIC, &before));
	CALL(syscall(SYS_clock_settime, CLOCK_BOOTTIME, &before));
	CALL(syscall(SYS_clock_settime, CLOCK_PROCESS_CPUTIME_ID, &before));
	CALL(syscall(SYS_clock_settime, 99, &before));
	CHILD(nobody);
	return 0;
}
