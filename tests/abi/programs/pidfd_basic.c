/* pidfd_open, pidfd_send_signal, waitid(P_PIDFD), poll of a pidfd. */
#include <poll.h>
#include <sys/epoll.h>

#include "abi.h"

#define P_PIDFD_ 3

static long pidfd_open_(pid_t pid, unsigned flags)
{
	return syscall(434, pid, flags);
}

static long send(int fd, int sig, siginfo_t *info, unsigned flags)
{
	return syscall(424, fd, sig, info, flags);
}

static void polls(const char *what, int fd, int ms)
{
	struct pollfd one = { fd, POLLIN | POLLOUT, 0 };
	int n = poll(&one, 1, ms);

	show("%s: %d %x", what, n, one.revents);
}

/* The lines of /proc/self/fdinfo/FD that only a pidfd has. */
static void number(const char *what, int fd, pid_t pid)
{
	char path[32], text[512], line[32], *at;
	int file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = open(path, O_RDONLY);
	text[read(file, text, sizeof(text) - 1)] = '\0';
	close(file);
	snprintf(line, sizeof(line), "Pid:\t%d\nNSpid:\t%d\n", pid, pid);
	at = strstr(text, "Pid:");
	show("%s: %s", what, at && !strcmp(at, line) ? "its number" : at ? at : "no number");
}

static volatile int code, value;

static void handler(int sig, siginfo_t *info, void *context)
{
	code = info->si_code;
	value = info->si_value.sival_int;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct epoll_event event = { EPOLLIN, { 0 } };
	siginfo_t info;
	int fd, file, self, ep = epoll_create1(0), go[2];
	pid_t pid;

	pid = fork();
	if (!pid) {
		pause();
		_exit(1);
	}
	OK(fd = (int)pidfd_open_(pid, 0));
	show("%x %x", fcntl(fd, F_GETFD), fcntl(fd, F_GETFL));
	CALL(read(fd, &info, 4));
	CALL(pidfd_open_(-1, 0));
	CALL(pidfd_open_(0, 0));
	CALL(pidfd_open_(999999, 0));
	CALL(pidfd_open_(pid, 1));
	polls("alive", fd, 0);
	number("alive", fd, pid);
	CALL(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	CALL(epoll_wait(ep, &event, 1, 0));
	CALL(send(fd, 0, NULL, 0));
	CALL(send(fd, 65, NULL, 0));
	CALL(send(fd, SIGTERM, NULL, 1));
	CALL(send(99, SIGTERM, NULL, 0));
	file = open("f", O_RDWR | O_CREAT, 0600);
	CALL(send(file, SIGTERM, NULL, 0));
	memset(&info, 0, sizeof(info));
	info.si_signo = SIGUSR1;
	info.si_code = SI_USER;
	CALL(send(fd, SIGUSR1, &info, 0));
	CALL(send(fd, SIGUSR2, &info, 0));
	CALL(waitid(P_PIDFD_, (id_t)file, &info, WEXITED));
	CALL(waitid(P_PIDFD_, 99, &info, WEXITED));
	memset(&info, 0, sizeof(info));
	CALL(waitid(P_PIDFD_, (id_t)fd, &info, WEXITED | WNOHANG));
	show("pid %d", info.si_pid);
	CALL(send(fd, SIGTERM, NULL, 0));
	polls("ended", fd, -1);
	number("ended", fd, pid);
	CALL(epoll_wait(ep, &event, 1, 0));
	CALL(send(fd, 0, NULL, 0));
	CALL(waitid(P_PIDFD_, (id_t)fd, &info, WEXITED));
	show("mine %d code %d status %d", info.si_pid == pid, info.si_code, info.si_status);
	CALL(waitid(P_PIDFD_, (id_t)fd, &info, WEXITED));
	CALL(send(fd, 0, NULL, 0));
	polls("reaped", fd, 0);
	number("reaped", fd, -1);
	CALL(pidfd_open_(pid, 0));
	/* Itself. */
	sigaction(SIGUSR1, &action, NULL);
	OK(self = (int)pidfd_open_(getpid(), 0));
	CALL(send(self, SIGUSR1, NULL, 0));
	show("code %d", code);
	memset(&info, 0, sizeof(info));
	info.si_signo = SIGUSR1;
	info.si_code = 5;
	info.si_value.sival_int = 77;
	CALL(send(self, SIGUSR1, &info, 0));
	show("code %d value %d", code, value);
	/* A pidfd that does not wait. */
	pipe(go);
	pid = fork();
	if (!pid) {
		read(go[0], &info, 1);
		_exit(3);
	}
	OK(fd = (int)pidfd_open_(pid, O_NONBLOCK));
	CALL(waitid(P_PIDFD_, (id_t)fd, &info, WEXITED));
	write(go[1], "x", 1);
	polls("waits", fd, -1);
	CALL(waitid(P_PIDFD_, (id_t)fd, &info, WEXITED));
	show("status %d", info.si_status);
	return 0;
}
