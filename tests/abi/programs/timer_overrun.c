/* Periodic POSIX timers: overruns of a blocked signal, also of a classic one; of an ignored one; setting while one waits. */
#include "abi.h"

#define MS 1000000L

static int id;

static void create(int sig)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig, .sigev_value.sival_int = 5 };

	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
}

static void set(long value_ms, long interval_ms)
{
	struct itimerspec new = { { 0, interval_ms * MS }, { value_ms / 1000, value_ms % 1000 * MS } };

	syscall(SYS_timer_settime, id, 0, &new, NULL);
}

static int take(sigset_t *set, siginfo_t *info)
{
	struct timespec none = { 0, 0 };

	return sigtimedwait(set, info, &none);
}

/* Waits until a blocked signal is pending. */
static void until_pending(int sig)
{
	sigset_t now;

	do
		sigpending(&now);
	while (!sigismember(&now, sig));
}

static void overruns(int sig)
{
	sigset_t set_of;
	siginfo_t info;

	sigemptyset(&set_of);
	sigaddset(&set_of, sig);
	sigprocmask(SIG_BLOCK, &set_of, NULL);
	create(sig);
	set(10, 10);
	usleep(105000);
	until_pending(sig);
	show("signal %d", take(&set_of, &info));
	show("code %d", info.si_code);
	TRUTH(info.si_overrun >= 5 && info.si_overrun <= 6000);
	TRUTH(syscall(SYS_timer_getoverrun, id) == info.si_overrun);
	usleep(35000);
	until_pending(sig);
	show("signal %d", take(&set_of, &info));
	TRUTH(info.si_overrun >= 1 && info.si_overrun <= 6000);
	/* Set again while a signal waits: that one comes, but the old period is over. */
	until_pending(sig);
	set(100000, 0);
	show("signal %d", take(&set_of, &info));
	show("signal %d", take(&set_of, &info));
	/* Deleted while a signal waits. */
	set(1, 0);
	until_pending(sig);
	CALL(syscall(SYS_timer_delete, id));
	show("signal %d", take(&set_of, &info));
}

static volatile int handled;

static void handler(int sig)
{
	handled++;
}

int main(void)
{
	overruns(40);
	overruns(SIGUSR1);
	/* Ignored, then not. */
	signal(41, SIG_IGN);
	create(41);
	set(5, 5);
	usleep(30000);
	show("handled %d", handled);
	signal(41, handler);
	while (handled < 2)
		usleep(1000);
	show("handled again");
	return 0;
}
