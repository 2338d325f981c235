/* timer_create and its kin: errors. RLIMIT_SIGPENDING limits timers. */
#include "abi.h"

static int id;

static long create(clockid_t clock, int notify, int sig)
{
	struct sigevent event = { .sigev_notify = notify, .sigev_signo = sig };

	return syscall(SYS_timer_create, clock, &event, &id);
}

static void limited(void)
{
	struct rlimit limit = { 3, 3 };
	int made = 0;

	setuid(54322); /* the limit counts all signals of a user */
	setrlimit(RLIMIT_SIGPENDING, &limit);
	while (made < 10 && !create(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGALRM))
		made++;
	show("made %d, then %s", made, error_name(errno));
	CALL(syscall(SYS_timer_delete, id));
	CALL(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGALRM));
}

int main(void)
{
	struct itimerspec bad = { { 0, 0 }, { 0, 1000000000 } }, negative = { { 0, -1 }, { 1, 0 } }, good = { { 0, 0 }, { 100, 0 } };

	CHILD(limited); /* Linux counts the timers of a user, so before the others */
	CALL(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, 0));
	CALL(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, 65));
	CALL(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, -1));
	CALL(create(CLOCK_MONOTONIC, 3, SIGALRM));
	CALL(create(CLOCK_MONOTONIC, 99, SIGALRM));
	CALL(create(CLOCK_MONOTONIC, 4, SIGALRM)); /* a thread with number 0 */
	CALL(create(99, SIGEV_SIGNAL, SIGALRM));
	CALL(create(10, SIGEV_SIGNAL, SIGALRM));
	CALL(create(CLOCK_MONOTONIC_RAW, SIGEV_SIGNAL, SIGALRM));
	CALL(create(CLOCK_REALTIME_COARSE, SIGEV_SIGNAL, SIGALRM));
	CALL(create(CLOCK_MONOTONIC_COARSE, SIGEV_SIGNAL, SIGALRM));
	CALL(create(-1, SIGEV_SIGNAL, SIGALRM));
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, 1, &id));
	CALL(syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, 1));
	CALL(create(CLOCK_BOOTTIME, SIGEV_NONE, 0));
	CALL(create(CLOCK_TAI, SIGEV_NONE, 99));
	CALL(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, 64));
	CALL(syscall(SYS_timer_settime, id, 0, &bad, NULL));
	CALL(syscall(SYS_timer_settime, id, 0, &negative, NULL));
	CALL(syscall(SYS_timer_settime, id, 0, NULL, NULL));
	CALL(syscall(SYS_timer_settime, id, 0, 1, NULL));
	CALL(syscall(SYS_timer_settime, id, 0, &good, 1));
	CALL(syscall(SYS_timer_settime, id, 0xff0, &good, NULL));
	CALL(syscall(SYS_timer_settime, 9999, 0, &good, NULL));
	CALL(syscall(SYS_timer_settime, -1, 0, &good, NULL));
	CALL(syscall(SYS_timer_gettime, 9999, &good));
	CALL(syscall(SYS_timer_gettime, id, 1));
	CALL(syscall(SYS_timer_getoverrun, 9999));
	CALL(syscall(SYS_timer_delete, 9999));
	return 0;
}
