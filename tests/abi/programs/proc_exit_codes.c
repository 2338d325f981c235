/* _exit(2) and exit_group(2): the status of the process, with threads; the end by each signal. */
#include "abi.h"

#include <pthread.h>

static void *exits(void *code)
{
	usleep(10000);
	syscall((long)code == 300 ? SYS_exit_group : SYS_exit, 3);
	return NULL;
}

static void thread_exit_group(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits, (void *)300L);
	for (;;)
		pause();
}

static void leader_exits_first(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits, (void *)1L);
	syscall(SYS_exit, 9);
}

static void last_thread_exit_group(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits, (void *)300L);
	syscall(SYS_exit, 9);
}

static void *kills(void *unused)
{
	kill(getpid(), SIGTERM);
	return unused;
}

static void killed_with_threads(void)
{
	pthread_t t;

	pthread_create(&t, NULL, kills, NULL);
	for (;;)
		pause();
}

int main(void)
{
	static const int codes[] = { 0, 1, 127, 128, 255, 256, 257, -1 };
	int status;

	/* A process whose group is orphaned is not stopped by a terminal's signals. */
	if (fork()) {
		wait(NULL);
		return 0;
	}
	setsid();

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(codes[i]);
		waitpid(pid, &status, 0);
		show("_exit(%d): %#x", codes[i], (unsigned)status);
	}
	CHILD(thread_exit_group);
	CHILD(leader_exits_first);
	CHILD(last_thread_exit_group);
	CHILD(killed_with_threads);
	for (int signal = 1; signal < 65; signal++) {
		pid_t pid;

		if (signal == 32 || signal == 33)
			continue; /* the C library's own */
		pid = fork();
		if (!pid) {
			setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
			kill(getpid(), signal);
			_exit(77);
		}
		waitpid(pid, &status, WUNTRACED);
		if (WIFSTOPPED(status)) {
			show("signal %d: stopped", signal);
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		} else {
			show("signal %d: %#x", signal, (unsigned)status);
		}
	}
	return 0;
}
