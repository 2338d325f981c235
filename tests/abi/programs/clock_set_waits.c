/*
 * When the clock is set, waits for a time of day end earlier or later; those for a duration do not. The clock is as
 * before at the end, as well as a program can set it.
 */
#include "abi.h"
#include <linux/futex.h>
#include <poll.h>
#include <sys/timerfd.h>

#define ALARM 8  /* CLOCK_REALTIME_ALARM */
#define TAI   11 /* CLOCK_TAI */
#define LATER 500

/* Words for futexes. */
static uint32_t *words;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? -1 : t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct timespec in(clockid_t clock, long seconds)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += seconds;
	return t;
}

static void by_settime(long seconds)
{
	struct timespec t = in(CLOCK_REALTIME, seconds);

	if (clock_settime(CLOCK_REALTIME, &t))
		show("clock_settime: %s", error_name(errno));
}

static void by_settimeofday(long seconds)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	now.tv_sec += seconds;
	if (settimeofday(&now, NULL))
		show("settimeofday: %s", error_name(errno));
}

/* ---- the waits: each is the whole work of a process ---- */

static long sleep_on(clockid_t clock, int flags)
{
	struct timespec t = { LATER, 0 };

	if (flags)
		t = in(clock, LATER);
	return syscall(SYS_clock_nanosleep, clock, flags, &t, NULL);
}

static long sleep_real(void)
{
	return sleep_on(CLOCK_REALTIME, TIMER_ABSTIME);
}

static long sleep_tai(void)
{
	return sleep_on(TAI, TIMER_ABSTIME);
}

static long sleep_alarm(void)
{
	return sleep_on(ALARM, TIMER_ABSTIME);
}

static long sleep_monotonic(void)
{
	return sleep_on(CLOCK_MONOTONIC, TIMER_ABSTIME);
}

static long sleep_real_for(void)
{
	return sleep_on(CLOCK_REALTIME, 0);
}

static long sleep_tai_for(void)
{
	return sleep_on(TAI, 0);
}

static long sleep_alarm_for(void)
{
	return sleep_on(ALARM, 0);
}

static long futex(uint32_t *word, int op, uint32_t value, clockid_t clock, uint32_t *word2)
{
	struct timespec t = in(clock, LATER);

	return syscall(SYS_futex, word, op, value, &t, word2, ~0U);
}

static long futex_real(void)
{
	return futex(words, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, CLOCK_REALTIME, NULL);
}

static long futex_monotonic(void)
{
	return futex(words, FUTEX_WAIT_BITSET, 0, CLOCK_MONOTONIC, NULL);
}

static long futex_lock(void)
{
	return futex(words + 1, FUTEX_LOCK_PI, 0, CLOCK_REALTIME, NULL);
}

static long futex_requeue(void)
{
	return futex(words, FUTEX_WAIT_REQUEUE_PI | FUTEX_CLOCK_REALTIME, 0, CLOCK_REALTIME, words + 2);
}

/* Waits for the signal of a timer. */
static long timer(clockid_t clock, int flags)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec at = { { 0, 0 }, { LATER, 0 } };
	sigset_t set;
	int id, sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_timer_create, clock, &event, &id);
	if (flags)
		at.it_value = in(clock, LATER);
	syscall(SYS_timer_settime, id, flags, &at, NULL);
	return sigwait(&set, &sig) ? -1 : sig;
}

static long timer_real(void)
{
	return timer(CLOCK_REALTIME, TIMER_ABSTIME);
}

static long timer_tai(void)
{
	return timer(TAI, TIMER_ABSTIME);
}

static long timer_real_for(void)
{
	return timer(CLOCK_REALTIME, 0);
}

static long timerfd(clockid_t clock, int flags)
{
	struct itimerspec at = { { 0, 0 }, { LATER, 0 } };
	int fd = timerfd_create(clock, 0);
	uint64_t n = 0;

	if (flags)
		at.it_value = in(clock, LATER);
	timerfd_settime(fd, flags, &at, NULL);
	return read(fd, &n, sizeof(n)) == sizeof(n) ? (long)n : -1;
}

static long timerfd_real(void)
{
	return timerfd(CLOCK_REALTIME, TFD_TIMER_ABSTIME);
}

static long timerfd_alarm(void)
{
	return timerfd(ALARM, TFD_TIMER_ABSTIME);
}

static long timerfd_real_for(void)
{
	return timerfd(CLOCK_REALTIME, 0);
}

static long timerfd_cancelled(void)
{
	return timerfd(CLOCK_REALTIME, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET);
}

/* ---- the clock is set while they wait ---- */

static pid_t begin(const char *name, long (*wait_)(void))
{
	pid_t pid = fork();

	if (!pid) {
		errno = 0;
		report(name, wait_());
		_exit(0);
	}
	until_asleep(pid, pid);
	return pid;
}

static void end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		show("a process has failed");
}

/* The time passes that the process waits for. */
static void ends(const char *name, long (*wait_)(void), void (*move)(long))
{
	pid_t pid = begin(name, wait_);

	move(2 * LATER);
	end(pid);
	move(-2 * LATER);
}
#define ENDS(wait_, move) ends(#wait_, wait_, move)

/* Nothing that the process waits for. */
static void sleeps_on(const char *name, long (*wait_)(void), void (*move)(long))
{
	pid_t pid = begin(name, wait_);

	move(2 * LATER);
	let_others_run();
	show("%s: sleeps on: %s", name, state_of(pid, pid) == 'S' ? "yes" : "no");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	move(-2 * LATER);
}
#define SLEEPS_ON(wait_, move) sleeps_on(#wait_, wait_, move)

/* The clock is set back, so that the time comes later. */
static void waits_longer(clockid_t clock)
{
	struct timespec t = in(clock, 1);
	int64_t start = clock_ns(CLOCK_MONOTONIC), slept;
	pid_t pid = fork();

	if (!pid) {
		report("sleep", syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, &t, NULL));
		slept = clock_ns(CLOCK_MONOTONIC) - start;
		show("longer than by the old clock: %s", slept > 1800000000 ? "yes" : "no");
		_exit(0);
	}
	by_settime(-1);
	end(pid);
	by_settime(1);
}

/* ---- timers with an interval keep to the clock ---- */

static long seconds_left(int fd)
{
	struct itimerspec left;

	timerfd_gettime(fd, &left);
	return left.it_value.tv_sec;
}

static void wait_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, -1);
}

static void periodic_timerfd(void)
{
	struct itimerspec at = { { 10, 0 }, in(CLOCK_REALTIME, 10) };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	uint64_t n = 0;

	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
	by_settime(95);
	wait_ready(fd);
	CALL(read(fd, &n, sizeof(n)));
	show("expirations: %ld, less than 5 s left: %s", (long)n, seconds_left(fd) < 5 ? "yes" : "no");
	by_settime(-95);
	show("more than 90 s left: %s", seconds_left(fd) > 90 ? "yes" : "no");
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
	by_settime(15);
	wait_ready(fd);
	by_settime(-15);
	CALL(read(fd, &n, sizeof(n)));
	show("less than 10 s left: %s", seconds_left(fd) < 10 ? "yes" : "no");
	close(fd);
}

static void periodic_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec at = { { 10, 0 }, in(CLOCK_REALTIME, 10) }, left;
	siginfo_t info;
	sigset_t set;
	int id;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	syscall(SYS_timer_create, CLOCK_REALTIME, &event, &id);
	CALL(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &at, NULL));
	by_settime(95);
	sigwaitinfo(&set, &info);
	syscall(SYS_timer_gettime, id, &left);
	show("overrun: %d, less than 5 s left: %s", info.si_overrun, left.it_value.tv_sec < 5 ? "yes" : "no");
	by_settime(-95);
	syscall(SYS_timer_gettime, id, &left);
	show("more than 90 s left: %s", left.it_value.tv_sec > 90 ? "yes" : "no");
	syscall(SYS_timer_delete, id);
}

static void cancelled_read(void)
{
	pid_t pid = begin("timerfd_cancelled", timerfd_cancelled);

	by_settime(1);
	end(pid);
	by_settime(-1);
}

/* A periodic timer that has expired does not go on. */
static void cancelled_interval(void)
{
	struct itimerspec at = { { 10, 0 }, in(CLOCK_REALTIME, 10) }, now;
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	uint64_t n = 0;

	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL));
	by_settime(15);
	let_others_run();
	CALL(read(fd, &n, sizeof(n)));
	CALL(timerfd_gettime(fd, &now));
	show("it is off: %s", !now.it_value.tv_sec && !now.it_value.tv_nsec ? "yes" : "no");
	CALL(read(fd, &n, sizeof(n)));
	by_settime(-15);
	close(fd);
}

/* timerfd_settime(2) fails, too, after the clock was set, but it sets the timer. */
static void cancelled_settime(void)
{
	struct itimerspec at = { { 0, 0 }, in(CLOCK_REALTIME, LATER) }, now;
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK), flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	uint64_t n = 0;

	CALL(timerfd_settime(fd, flags, &at, NULL));
	by_settime(1);
	CALL(timerfd_settime(fd, flags, &at, &now));
	CALL(read(fd, &n, sizeof(n)));
	show("set: %s", seconds_left(fd) > 0 ? "yes" : "no");
	by_settime(-1);
	CALL(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
	CALL(read(fd, &n, sizeof(n)));
	close(fd);
}

int main(void)
{
	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	words[1] = (uint32_t)getpid();

	show("# the time has come");
	ENDS(sleep_real, by_settime);
	ENDS(sleep_real, by_settimeofday);
	ENDS(sleep_tai, by_settime);
	ENDS(sleep_tai_for, by_settime);
	ENDS(sleep_alarm, by_settime);
	ENDS(sleep_alarm_for, by_settime);
	ENDS(futex_real, by_settime);
	ENDS(futex_lock, by_settime);
	ENDS(futex_requeue, by_settime);
	ENDS(timer_real, by_settime);
	ENDS(timer_tai, by_settimeofday);
	ENDS(timerfd_real, by_settime);
	ENDS(timerfd_alarm, by_settime);

	show("# it has not");
	SLEEPS_ON(sleep_real_for, by_settime);
	SLEEPS_ON(sleep_monotonic, by_settime);
	SLEEPS_ON(futex_monotonic, by_settimeofday);
	SLEEPS_ON(timer_real_for, by_settime);
	SLEEPS_ON(timerfd_real_for, by_settime);

	show("# set back");
	waits_longer(CLOCK_REALTIME);
	waits_longer(TAI);

	show("# intervals");
	periodic_timerfd();
	periodic_timer();

	show("# cancelled");
	cancelled_read();
	cancelled_settime();
	cancelled_interval();
	return 0;
}
