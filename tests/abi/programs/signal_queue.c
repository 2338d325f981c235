/* Real-time signals: sigqueue(3), their order and values, sigtimedwait(2), si_code. */
#include "abi.h"

static void handler(int sig, siginfo_t *info, void *context)
{
	show("handler: %d code %d value %d", sig - SIGRTMIN, info->si_code, info->si_value.sival_int);
}

static void child_exits(void)
{
	_exit(3);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct timespec none = { 0, 0 }, some = { 0, 20000000 };
	union sigval value;
	sigset_t set, all;
	siginfo_t info;
	pid_t pid;

	sigemptyset(&action.sa_mask);
	sigemptyset(&set);
	for (int i = 0; i < 3; i++) {
		sigaddset(&set, SIGRTMIN + i);
		sigaction(SIGRTMIN + i, &action, NULL);
	}
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	CALL(sigprocmask(SIG_BLOCK, &set, NULL));
	for (int i = 0; i < 6; i++) {
		value.sival_int = i;
		CALL(sigqueue(getpid(), SIGRTMIN + 2 - i % 3, value));
	}
	value.sival_int = 77;
	CALL(sigqueue(getpid(), SIGUSR1, value));
	value.sival_int = 78;
	CALL(sigqueue(getpid(), SIGUSR1, value));
	CALL(kill(getpid(), SIGRTMIN));
	CALL(sigqueue(getpid(), 65, value));
	CALL(sigqueue(0x3fffffff, SIGUSR1, value));
	CALL(sigqueue(getpid(), 0, value));

	CALL(sigtimedwait(&set, &info, &none));
	show("code %d value %d", info.si_code, info.si_value.sival_int);
	TRUTH(info.si_pid == getpid());
	memset(&info, 0, sizeof(info));
	show("%d", sigtimedwait(&set, &info, &none) - SIGRTMIN);
	show("code %d value %d", info.si_code, info.si_value.sival_int);
	sigfillset(&all);
	CALL(sigprocmask(SIG_UNBLOCK, &set, NULL));

	CALL(sigprocmask(SIG_BLOCK, &set, NULL));
	CALL(sigtimedwait(&set, &info, &none));
	CALL(sigtimedwait(&set, &info, &some));
	some.tv_nsec = 1000000000;
	CALL(sigtimedwait(&set, &info, &some));
	CALL(syscall(SYS_rt_sigtimedwait, &set, &info, NULL, 4));
	pid = fork();
	if (!pid)
		child_exits();
	CALL(sigwaitinfo(&set, &info));
	show("code %d status %d", info.si_code, info.si_status);
	TRUTH(info.si_pid == pid);
	waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid) {
		usleep(30000);
		value.sival_int = 5;
		sigqueue(getppid(), SIGRTMIN + 1, value);
		_exit(0);
	}
	sigdelset(&set, SIGCHLD);
	show("%d", sigwaitinfo(&set, &info) - SIGRTMIN);
	show("code %d value %d", info.si_code, info.si_value.sival_int);
	TRUTH(info.si_pid == pid);
	waitpid(pid, NULL, 0);
	CALL(syscall(SYS_tgkill, getpid(), getpid(), 0));
	CALL(syscall(SYS_tgkill, 1, getpid(), 0));
	CALL(syscall(SYS_tgkill, -1, getpid(), 0));
	CALL(syscall(SYS_tkill, getpid(), SIGUSR1));
	CALL(syscall(SYS_rt_sigtimedwait, &set, &info, NULL, 8));
	show("code %d", info.si_code);
	return 0;
}
