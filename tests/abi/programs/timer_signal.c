/* timer_create with SIGEV_SIGNAL: siginfo, ids, the time that is left, one expiration, deletion. */
#include "abi.h"

#define MS 1000000L

static volatile int handled, code, is_id, value;
static int id;

static void handler(int sig, siginfo_t *info, void *context)
{
	handled++;
	code = info->si_code;
	value = info->si_value.sival_int;
	is_id = info->si_timerid == id;
}

/* Waits until the handler has run so often. */
static void until_handled(int count)
{
	while (handled < count)
		usleep(1000);
}

static long create(clockid_t clock, struct sigevent *event)
{
	return syscall(SYS_timer_create, clock, event, &id);
}

static long set(int flags, long value_ms, long interval_ms, struct itimerspec *old)
{
	struct itimerspec new = { { interval_ms / 1000, interval_ms % 1000 * MS }, { value_ms / 1000, value_ms % 1000 * MS } };

	return syscall(SYS_timer_settime, id, flags, &new, old);
}

static void left(void)
{
	struct itimerspec now;

	if (syscall(SYS_timer_gettime, id, &now))
		show("gettime: %s", error_name(errno));
	else
		show("left: %s, interval %ld ms", now.it_value.tv_sec || now.it_value.tv_nsec ? "some" : "none",
		     now.it_interval.tv_sec * 1000 + now.it_interval.tv_nsec / MS);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 40, .sigev_value.sival_int = 1234 };
	struct itimerspec old;

	sigaction(40, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	CALL(create(CLOCK_MONOTONIC, &event));
	show("id %d", id);
	left();
	CALL(set(0, 100000, 0, &old));
	show("old %ld %ld", (long)old.it_value.tv_sec, old.it_value.tv_nsec);
	left();
	CALL(set(0, 20, 0, NULL));
	until_handled(1);
	show("handled %d code %d value %d id %d", handled, code, value, is_id);
	left();
	CALL(syscall(SYS_timer_getoverrun, id));
	CALL(set(0, 100000, 7, NULL));
	left();
	CALL(set(0, 0, 7, &old));
	show("old %d %ld", old.it_value.tv_sec >= 99, old.it_interval.tv_nsec);
	left();
	CALL(syscall(SYS_timer_delete, id));
	CALL(syscall(SYS_timer_delete, id));
	left();
	CALL(create(CLOCK_REALTIME, NULL));
	TRUTH(id > 0);
	CALL(set(0, 10, 0, NULL));
	until_handled(2);
	show("handled %d code %d id %d, value is the id: %d", handled, code, is_id, value == id);
	clock_gettime(CLOCK_REALTIME, &old.it_value);
	old.it_interval = (struct timespec){ 0, 0 };
	CALL(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &old, NULL));
	until_handled(3);
	show("handled %d", handled);
	old.it_value = (struct timespec){ 1, 0 };
	CALL(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &old, NULL));
	until_handled(4);
	show("handled %d", handled);
	return 0;
}
