/* execve(2) by a thread that is not the leader: the program keeps the PID, all other threads end. */
#include "abi.h"

#include <pthread.h>

static char pid_text[16];

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *execs(void *unused)
{
	show("the thread is not the leader: %d", (int)syscall(SYS_gettid) != getpid());
	execl("/proc/self/exe", "again", pid_text, NULL);
	show("not reached: %s", error_name(errno));
	return unused;
}

static void run(void)
{
	pthread_t t;

	snprintf(pid_text, sizeof(pid_text), "%d", getpid());
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, sleeper, NULL);
	pthread_create(&t, NULL, execs, NULL);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		FILE *status = fopen("/proc/self/status", "r");
		char line[128];

		show("the same PID: %d", atoi(argv[1]) == getpid());
		show("the thread is the leader: %d", (int)syscall(SYS_gettid) == getpid());
		while (fgets(line, sizeof(line), status))
			if (!strncmp(line, "Threads:", 8))
				show("threads: %d", atoi(line + 8));
		return 5;
	}
	CHILD(run);
	return 0;
}
