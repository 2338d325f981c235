/* rt_sigqueueinfo(2) and rt_tgsigqueueinfo(2): which codes a program may send to itself and to others. */
#include "abi.h"

static siginfo_t got;
static int count;

static void handler(int sig, siginfo_t *info, void *context)
{
	got = *info;
	count++;
}

static long queue(pid_t pid, int sig, int code)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = code;
	info.si_pid = 77;
	info.si_uid = 88;
	info.si_value.sival_int = 99;
	return syscall(SYS_rt_sigqueueinfo, pid, sig, &info);
}

static void from_child(void)
{
	siginfo_t info;

	for (int code = -8; code <= 1; code++)
		show("parent, code %d: %s", code, queue(getppid(), 0, code) ? error_name(errno) : "ok");
	memset(&info, 0, sizeof(info));
	info.si_code = SI_USER;
	CALL(syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), SIGUSR1, &info));
	info.si_code = SI_QUEUE;
	CALL(syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), 0, &info));
	setuid(65534);
	CALL(queue(getppid(), SIGUSR1, SI_QUEUE));
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int codes[] = { SI_USER, SI_QUEUE, SI_TIMER, SI_MESGQ, SI_ASYNCIO, SI_SIGIO, SI_TKILL, -60, 1, SI_KERNEL };
	siginfo_t info;

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 10; i++) {
		memset(&got, 0, sizeof(got));
		if (queue(getpid(), SIGUSR1, codes[i]))
			show("code %d: %s", codes[i], error_name(errno));
		else
			show("code %d: got %d, pid %d, uid %d, value %d", codes[i], got.si_code, got.si_pid, got.si_uid,
			     got.si_value.sival_int);
	}
	memset(&info, 0, sizeof(info));
	info.si_code = -20;
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
	((char *)&info)[100] = 1;
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
	info.si_code = SI_QUEUE;
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info));
	show("byte 100: %d", ((char *)&got)[100]);
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), 65, &info));
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), -1, &info));
	CALL(syscall(SYS_rt_sigqueueinfo, 0x3fffffff, SIGUSR1, &info));
	CALL(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, 8));
	CALL(syscall(SYS_rt_tgsigqueueinfo, 0, getpid(), SIGUSR1, &info));
	CALL(syscall(SYS_rt_tgsigqueueinfo, 1, getpid(), SIGUSR1, &info));
	CHILD(from_child);
	show("handled %d", count);
	return 0;
}
