/* setitimer(ITIMER_REAL) with an interval: it starts again when the program takes the signal, and only then. */
#include "abi.h"

#include <pthread.h>

static volatile int handled, go;

static void handler(int sig)
{
	handled++;
}

static void set(long usec, long interval)
{
	struct itimerval new = { { interval / 1000000, interval % 1000000 }, { 0, usec } };

	setitimer(ITIMER_REAL, &new, NULL);
}

static void show_timer(const char *when)
{
	struct itimerval now;

	getitimer(ITIMER_REAL, &now);
	show("%s: %s, interval %ld s %ld us", when, now.it_value.tv_sec || now.it_value.tv_usec ? "runs" : "is off",
	     (long)now.it_interval.tv_sec, (long)now.it_interval.tv_usec);
}

static void until_pending(void)
{
	sigset_t now;

	do
		sigpending(&now);
	while (!sigismember(&now, SIGALRM));
}

static void *set_once(void *unused)
{
	struct itimerval new = { { 0, 0 }, { 1000, 0 } };

	while (!go)
		;
	setitimer(ITIMER_REAL, &new, NULL);
	return unused;
}

/* The first timer of a process, set by two threads at once. */
static void two_threads(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, set_once, NULL);
	usleep(500);
	go = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	sigset_t alarms;
	siginfo_t info;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarms, NULL);
	signal(SIGALRM, handler);

	/* Once a microsecond, but only one signal waits. */
	set(1, 1);
	until_pending();
	show_timer("blocked");
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	while (handled < 3)
		;
	show("handled");
	sigprocmask(SIG_BLOCK, &alarms, NULL);
	until_pending();
	set(0, 0);
	show_timer("off");
	show("signal %d", sigwaitinfo(&alarms, &info));
	show_timer("still");

	/* A long interval goes on from the time at which it was due. */
	set(1000, 900000000);
	until_pending();
	show_timer("waits");
	show("signal %d", sigwaitinfo(&alarms, &info));
	show_timer("taken");

	/* A signal from elsewhere does not change a timer that runs. */
	kill(getpid(), SIGALRM);
	show("signal %d", sigwaitinfo(&alarms, &info));
	show_timer("sent");

	/* An ignored signal is never taken. */
	set(0, 0);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	signal(SIGALRM, SIG_IGN);
	set(1, 1);
	usleep(20000);
	show_timer("ignored");
	handled = 0;
	signal(SIGALRM, handler);
	usleep(20000);
	show("handled %d", handled);

	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			two_threads();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
