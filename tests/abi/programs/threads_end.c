/* Threads and the end of their process: exit, exec, signals, and the leader that goes first. */
#include "abi.h"
#include <pthread.h>
#include <sys/prctl.h>

static void *sleeps(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void start(void *(*fn)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, NULL))
		show("no thread");
}

static void *exits_with_7(void *arg)
{
	usleep(10000);
	exit(7);
}

static void *ends_alone(void *arg)
{
	return arg;
}

static void *ends_later(void *arg)
{
	usleep(30000);
	return arg;
}

static void *calls_exec(void *arg)
{
	char *args[] = { "again", "after", NULL };

	usleep(10000);
	execv("/proc/self/exe", args);
	return arg;
}

static void *faults(void *arg)
{
	usleep(10000);
	*(volatile int *)8 = 1;
	return arg;
}

static void a_thread_calls_exit(void)
{
	start(sleeps);
	start(exits_with_7);
	sleeps(NULL);
}

static void the_leader_ends_first(void)
{
	start(sleeps);
	start(exits_with_7);
	syscall(SYS_exit, 3);
}

static void the_leader_ends_last_thread_later(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_create(&thread, &attr, ends_later, NULL);
	syscall(SYS_exit, 3);
}

static void a_thread_calls_exec(void)
{
	start(sleeps);
	start(calls_exec);
	sleeps(NULL);
}

static void the_leader_calls_exec(void)
{
	start(sleeps);
	start(sleeps);
	calls_exec(NULL);
}

static void a_thread_faults(void)
{
	start(sleeps);
	start(faults);
	sleeps(NULL);
}

static int orders[2], answers[2];

static void *acts_without_leader(void *arg)
{
	char c;
	pid_t pid;

	while (state_of(getpid(), getpid()) != 'Z')
		usleep(1000);
	signal(SIGCHLD, SIG_IGN); /* so children leave no zombie */
	pid = fork();
	if (!pid)
		_exit(0);
	CALL(waitpid(pid, NULL, 0));
	write(answers[1], "", 1);
	read(orders[0], &c, 1);
	if (!vfork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write(answers[1], "", 1);
		sleeps(NULL);
	}
	return arg;
}

static void signals_of_a_process_without_leader(void)
{
	int status;
	pid_t pid;
	char c;

	pipe(orders);
	pipe(answers);
	pid = fork();
	if (!pid) {
		start(acts_without_leader);
		syscall(SYS_exit, 0);
	}
	read(answers[0], &c, 1);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show_status("SIGSTOP", status);
	kill(pid, SIGCONT);
	waitpid(pid, &status, WCONTINUED);
	TRUTH(WIFCONTINUED(status));
	write(orders[1], "", 1);
	read(answers[0], &c, 1);
	kill(pid, SIGKILL); /* the thread that is left waits in vfork() */
	waitpid(pid, &status, 0);
	show_status("SIGKILL", status);
}

static void ids(void)
{
	TRUTH(getpid() == syscall(SYS_gettid));
	CALL(syscall(SYS_tgkill, getpid(), 999999, 0));
	CALL(syscall(SYS_set_robust_list, 0, 23));
	TRUTH(syscall(SYS_set_tid_address, NULL) == syscall(SYS_gettid));
}

static void many(void)
{
	for (int round = 0; round < 10; round++) {
		pthread_t threads[30];

		for (int i = 0; i < 30; i++)
			pthread_create(&threads[i], NULL, ends_alone, (void *)(long)i);
		for (int i = 0; i < 30; i++) {
			void *result;

			pthread_join(threads[i], &result);
			if (result != (void *)(long)i)
				show("wrong result");
		}
	}
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		TRUTH(getpid() == syscall(SYS_gettid));
		return 5;
	}
	CHILD(ids);
	CHILD(a_thread_calls_exit);
	CHILD(the_leader_ends_first);
	CHILD(the_leader_ends_last_thread_later);
	CHILD(a_thread_calls_exec);
	CHILD(the_leader_calls_exec);
	CHILD(a_thread_faults);
	CHILD(signals_of_a_process_without_leader);
	CHILD(many);
	return 0;
}
