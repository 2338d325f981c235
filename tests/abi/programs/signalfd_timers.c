/* signalfd takes the signals of POSIX timers, faults sent by tgkill, children that stop and go; with poll and threads. */
#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>

#include "abi.h"

static int fd;
static volatile unsigned taken;

static void *reader(void *arg)
{
	struct signalfd_siginfo got;

	if (read(fd, &got, sizeof(got)) == sizeof(got))
		taken = got.ssi_signo;
	return NULL;
}

static struct signalfd_siginfo got;

static void next(const char *what)
{
	if (read(fd, &got, sizeof(got)) != sizeof(got)) {
		show("%s: nothing", what);
		return;
	}
	show("%s: signal %u code %d status %d int %d", what, got.ssi_signo, got.ssi_code, got.ssi_status,
	     got.ssi_int);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 40, .sigev_value.sival_int = 66 };
	struct itimerspec periodic = { { 0, 10000000 }, { 0, 10000000 } }, off = { { 0, 0 }, { 0, 0 } };
	struct pollfd one;
	pthread_t thread;
	sigset_t set;
	pid_t pid;
	int id;

	sigemptyset(&set);
	sigaddset(&set, 40);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	one = (struct pollfd){ fd, POLLIN, 0 };
	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
	syscall(SYS_timer_settime, id, 0, &periodic, NULL);
	usleep(60000);
	poll(&one, 1, -1);
	next("timer");
	TRUTH(got.ssi_overrun > 0);
	poll(&one, 1, -1);
	syscall(SYS_timer_settime, id, 0, &off, NULL);
	next("timer");
	syscall(SYS_tgkill, getpid(), getpid(), SIGSEGV);
	next("fault");
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	kill(pid, SIGSTOP);
	next("stopped");
	kill(pid, SIGCONT);
	next("continued");
	kill(pid, SIGKILL);
	next("killed");
	waitpid(pid, NULL, 0);
	pthread_create(&thread, NULL, reader, NULL);
	usleep(20000);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	show("taken %u", taken);
	return 0;
}
