/* RLIMIT_SIGPENDING: queued real-time signals, standard signals beyond it, and that it counts per user. */
#include "abi.h"

static long queue(int sig)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	return syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
}

static void block(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void other_process(void)
{
	block();
	CALL(queue(41));
	CALL(kill(getpid(), 41));
	CALL(kill(getpid(), SIGUSR1));
}

static void queued(void)
{
	char line[200];
	FILE *f = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "SigQ", 4))
			show("%s", strtok(line, "\n"));
	fclose(f);
}

int main(void)
{
	struct rlimit limit = { 3, 3 };
	siginfo_t info;
	sigset_t set;

	setuid(54321);
	setrlimit(RLIMIT_SIGPENDING, &limit);
	block();
	CALL(queue(40));
	CALL(queue(40));
	queued();
	CHILD(other_process);
	CALL(queue(40));
	CALL(queue(40));
	CALL(queue(SIGUSR1));
	CALL(kill(getpid(), SIGUSR2));
	queued();
	sigemptyset(&set);
	sigaddset(&set, 40);
	CALL(sigwaitinfo(&set, &info));
	CALL(queue(42));
	CALL(queue(42));
	sigaddset(&set, SIGUSR1);
	CALL(sigwaitinfo(&set, &info));
	show("code %d", info.si_code);
	return 0;
}
