/* chrt: runs a command with a scheduling policy, or shows the policy of a task, as util-linux's chrt(1). */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const names[] = { "SCHED_OTHER", "SCHED_FIFO", "SCHED_RR", "SCHED_BATCH" };

/* musl's functions of these names only return ENOSYS. */
static int set_policy(pid_t pid, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return (int)syscall(SYS_sched_setscheduler, pid, policy, &param);
}

static int show(pid_t pid)
{
	long policy = syscall(SYS_sched_getscheduler, pid);
	struct sched_param param;

	if (policy < 0 || syscall(SYS_sched_getparam, pid, &param)) {
		fprintf(stderr, "chrt: failed to get pid %d's policy: %s\n", pid, strerror(errno));
		return 1;
	}
	printf("pid %d's current scheduling policy: %s\n", pid, policy < 4 ? names[policy] : "unknown");
	printf("pid %d's current scheduling priority: %d\n", pid, param.sched_priority);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "Usage: chrt [-f|-r|-o|-b] PRIORITY COMMAND [ARGUMENT...]\n"
			"       chrt [-f|-r|-o|-b] -p PRIORITY PID\n"
			"       chrt -p PID\n");
	return 1;
}

int main(int argc, char **argv)
{
	int option, policy = SCHED_RR, priority, of_pid = 0;
	pid_t pid = 0;

	while ((option = getopt(argc, argv, "+frobp")) > 0) {
		if (option == '?')
			return usage();
		if (option == 'p')
			of_pid = 1;
		else
			policy = option == 'f' ? SCHED_FIFO : option == 'r' ? SCHED_RR : option == 'o' ? SCHED_OTHER : SCHED_BATCH;
	}
	argv += optind;
	if (of_pid && argc == optind + 1)
		return show((pid_t)atoi(argv[0]));
	if (argc < optind + 2)
		return usage();
	priority = atoi(argv[0]);
	if (of_pid)
		pid = (pid_t)atoi(argv[1]);
	if (set_policy(pid, policy, priority)) {
		fprintf(stderr, "chrt: failed to set pid %d's policy: %s\n", pid, strerror(errno));
		return 1;
	}
	if (of_pid)
		return 0;
	execvp(argv[1], argv + 1);
	fprintf(stderr, "chrt: failed to execute %s: %s\n", argv[1], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
