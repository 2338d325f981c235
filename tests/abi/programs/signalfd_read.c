/* signalfd: what reads return for signals of kill, sigqueue, children and threads; order; EAGAIN; errors. */
#include <poll.h>
#include <sys/signalfd.h>

#include "abi.h"

static void take(int fd)
{
	struct signalfd_siginfo got[4];
	long n;

	memset(got, 0xaa, sizeof(got));
	n = read(fd, got, sizeof(got));
	if (n < 0) {
		show("read: %s", error_name(errno));
		return;
	}
	show("read: %ld", n);
	for (int i = 0; i < n / 128; i++)
		show("  signal %u code %d pid %s uid %u int %d ptr %llx status %d errno %d", got[i].ssi_signo,
		     got[i].ssi_code, got[i].ssi_pid == (unsigned)getpid() ? "mine" : got[i].ssi_pid ? "other" : "0",
		     got[i].ssi_uid, got[i].ssi_int, (unsigned long long)got[i].ssi_ptr, got[i].ssi_status,
		     got[i].ssi_errno);
}

int main(void)
{
	union sigval value = { .sival_int = 77 };
	struct pollfd one;
	sigset_t set;
	char small[127];
	int fd, p[2];

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, 40);
	sigaddset(&set, SIGKILL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	OK(fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
	CALL(fcntl(fd, F_GETFD));
	one = (struct pollfd){ fd, POLLIN | POLLOUT, 0 };
	take(fd);
	CALL(poll(&one, 1, 0));
	CALL(read(fd, small, sizeof(small)));
	CALL(write(fd, small, 8));
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	CALL(poll(&one, 1, 0));
	show("%x", one.revents);
	take(fd);
	value.sival_int = 77;
	sigqueue(getpid(), 40, value);
	value.sival_int = 78;
	sigqueue(getpid(), 40, value);
	raise(SIGUSR1);
	take(fd);
	if (!fork())
		_exit(5);
	waitpid(-1, NULL, WNOHANG | __WNOTHREAD);
	CALL(poll(&one, 1, -1));
	take(fd);
	wait(NULL);
	/* Another set for the same file. */
	sigdelset(&set, SIGUSR1);
	CALL(signalfd(fd, &set, 0) == fd);
	raise(SIGUSR1);
	CALL(poll(&one, 1, 0));
	take(fd);
	sigaddset(&set, SIGUSR1);
	CALL(signalfd(fd, &set, 0) == fd);
	take(fd);
	pipe(p);
	CALL(signalfd(p[0], &set, 0));
	CALL(signalfd(99, &set, 0));
	CALL(signalfd(-1, &set, 1));
	CALL(syscall(SYS_signalfd4, -1, &set, 4, 0));
	CALL(syscall(SYS_signalfd4, -1, 1, 8, 0));
	CALL(syscall(SYS_signalfd, 99, &set, 8));
	return 0;
}
