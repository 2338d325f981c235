/* signalfd: a blocking read is woken by a signal; an open signal interrupts it; epoll; after exec and fork. */
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "abi.h"

static void handler(int sig)
{
}


static void in_a_child(void)
{
	_exit(0);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	struct signalfd_siginfo got;
	struct epoll_event event = { EPOLLIN, { 0 } };
	int fd, ep, status;
	sigset_t set;
	pid_t pid, parent;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR2, &action, NULL);
	fd = signalfd(-1, &set, 0);
	signal_when_asleep(SIGUSR1);
	CALL(read(fd, &got, sizeof(got)));
	show("signal %u", got.ssi_signo);
	wait(NULL);
	signal_when_asleep(SIGUSR2);
	CALL(read(fd, &got, sizeof(got)));
	wait(NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	parent = getpid();
	if (!fork()) {
		until_asleep(parent, parent);
		kill(parent, SIGUSR2);
		until_asleep(parent, parent);
		kill(parent, SIGUSR1);
		_exit(0);
	}
	CALL(read(fd, &got, sizeof(got)));
	while (wait(NULL) > 0)
		;
	ep = epoll_create1(0);
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	CALL(epoll_wait(ep, &event, 1, 0));
	signal_when_asleep(SIGUSR1);
	CALL(epoll_wait(ep, &event, 1, -1));
	CALL(read(fd, &got, sizeof(got)));
	while (wait(NULL) > 0)
		;
	/* A child reads its own signals, not those of its parent. */
	raise(SIGUSR1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	pid = fork();
	if (!pid) {
		CALL(read(fd, &got, sizeof(got)));
		raise(SIGUSR1);
		CALL(read(fd, &got, sizeof(got)));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CALL(read(fd, &got, sizeof(got)));
	/* A child adds it to an epoll, and ends: the queue of its signals goes away. */
	pid = fork();
	if (!pid) {
		epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL);
		CALL(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
		in_a_child();
	}
	waitpid(pid, &status, 0);
	show_status("child", status);
	raise(SIGUSR1);
	CALL(epoll_wait(ep, &event, 1, 0));
	CALL(epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL));
	CALL(close(fd));
	return 0;
}
