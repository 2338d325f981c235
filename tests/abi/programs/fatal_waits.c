/* SIGKILL, SIGSTOP and SIGCONT for a process of several threads, which sleep in all kinds of calls. */
#include "abi.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static int words[2];
static int empty[2], full[2], pair[2], other_lock;

static void in_read(void)
{
	char c;

	read(empty[0], &c, 1);
}

static void in_write(void)
{
	static char much[1 << 20];

	while (write(full[1], much, sizeof(much)) > 0)
		;
}

static void in_recv(void)
{
	char c;

	recv(pair[0], &c, 1, 0);
}

static void in_futex(void)
{
	syscall(SYS_futex, &words[0], FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void in_futex_pi(void)
{
	syscall(SYS_futex, &words[1], FUTEX_LOCK_PI, 0, NULL, NULL, 0);
}

static void in_poll(void)
{
	struct pollfd p = { empty[0], POLLIN, 0 };

	poll(&p, 1, -1);
}

static void in_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(empty[0], &set);
	select(empty[0] + 1, &set, NULL, NULL, NULL);
}

static void in_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(0);

	epoll_ctl(ep, EPOLL_CTL_ADD, empty[0], &event);
	epoll_wait(ep, &event, 1, -1);
}

static void in_eventfd(void)
{
	uint64_t value;
	int fd = eventfd(0, 0);

	read(fd, &value, sizeof(value));
}

static void in_timerfd(void)
{
	uint64_t value;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	read(fd, &value, sizeof(value));
}

static void in_signalfd(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, 0);
	read(fd, &info, sizeof(info));
}

static void in_sigwait(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
}

static void in_nanosleep(void)
{
	sleep(1000);
}

static void in_pause(void)
{
	pause();
}

static void in_fifo(void)
{
	open("fifo", O_RDONLY);
}

static void in_flock(void)
{
	flock(open("locked", O_RDWR), LOCK_EX);
}

static void in_lockf(void)
{
	struct flock lock = { .l_type = F_WRLCK };

	fcntl(other_lock, F_SETLKW, &lock);
}

static void in_wait(void)
{
	wait(NULL);
}

static void (*const calls[])(void) = { in_read, in_write, in_recv, in_futex, in_futex_pi, in_poll, in_select, in_epoll, in_eventfd,
				       in_timerfd, in_signalfd, in_sigwait, in_nanosleep, in_pause, in_fifo, in_flock, in_lockf,
				       in_wait };
#define CALLS (int)(sizeof(calls) / sizeof(calls[0]))

static volatile pid_t tids[CALLS];

static void *runs(void *arg)
{
	tids[(long)arg] = (pid_t)syscall(SYS_gettid);
	do {
		errno = 0;
		calls[(long)arg]();
	} while (errno == EINTR); /* some calls begin again after a stop, others fail: signal(7) */
	_exit(77);
}

static void make_files(void)
{
	struct flock lock = { .l_type = F_WRLCK };
	int fd;

	mkfifo("fifo", 0600);
	fd = open("locked", O_CREAT | O_RDWR, 0600);
	flock(fd, LOCK_EX);
	fd = open("area", O_CREAT | O_RDWR, 0600);
	fcntl(fd, F_SETLK, &lock);
}

/* Has a thread in each call; says so by a byte. */
static void sleeps(int ready)
{
	pthread_t t;

	pipe(empty);
	pipe(full);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	other_lock = open("area", O_RDWR);
	syscall(SYS_futex, &words[1], FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	if (!fork()) {
		while (getppid() != 1)
			pause();
		_exit(0);
	}
	for (long i = 0; i < CALLS; i++) {
		pthread_create(&t, NULL, runs, (void *)i);
		while (!tids[i])
			usleep(1000);
		until_asleep(getpid(), tids[i]);
	}
	write(ready, "r", 1);
	for (;;)
		pause();
}

int main(void)
{
	int status = 0, ready[2];
	pid_t pid;
	char c;

	make_files();
	pipe(ready);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		sleeps(ready[1]);
	}
	read(ready[0], &c, 1);
	for (int i = 0; i < 3; i++) {
		kill(pid, SIGSTOP);
		TRUTH(waitpid(pid, &status, WUNTRACED) == pid);
		show_status("stop", status);
		kill(pid, SIGCONT);
		TRUTH(waitpid(pid, &status, WCONTINUED) == pid);
		show_status("continue", status);
	}
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGKILL);
	TRUTH(waitpid(pid, &status, 0) == pid);
	show_status("end", status);
	kill(-pid, SIGKILL);
	return 0;
}
