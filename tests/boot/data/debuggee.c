/* What the debuggers of test_debuggers.py debug: `debuggee PART` does a part and ends. `spin` ends when go_on is 0. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int watched, counter;
volatile int go_on = 1;

int add(int a, int b)
{
	return a + b;
}

int inner(int value)
{
	int twice = value * 2;
	return add(twice, 1);
}

int outer(int value)
{
	return inner(value + 1);
}

static void *worker(void *name)
{
	for (int i = 0; i < 3; i++) {
		watched = watched + 1;
		counter++;
	}
	return name;
}

static pthread_barrier_t barrier;
static void *spinner(void *name)
{
	pthread_barrier_wait(&barrier);
	while (go_on) {
		usleep(1000);
		counter++;
	}
	return name;
}

static void all_here(void)
{
}

static void on_signal(int signal)
{
	counter += signal;
}

__attribute__((target("avx"))) static void vectors(void)
{
	__m256i ones = _mm256_set_epi64x(4, 3, 2, 1);
	asm volatile("vmovdqa %0, %%ymm0\n.globl ymm_here\nymm_here: nop" : : "m"(ones) : "xmm0");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "calls";
	pthread_t threads[3];
	if (!strcmp(what, "calls")) {
		for (int i = 0; i < 5; i++)
			printf("outer %d\n", outer(i));
		vectors();
	} else if (!strcmp(what, "threads")) {
		for (int i = 0; i < 3; i++) {
			pthread_create(&threads[0], NULL, worker, NULL);
			pthread_join(threads[0], NULL);
		}
		printf("watched %d\n", watched);
	} else if (!strcmp(what, "spin")) {
		pthread_barrier_init(&barrier, NULL, 4);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, spinner, NULL);
		pthread_barrier_wait(&barrier);
		all_here();
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		printf("all joined\n");
	} else if (!strcmp(what, "fork")) {
		pid_t pid = fork();
		if (!pid) {
			add(1, 2);
			execl("/usr/bin/env", "env", "true", NULL);
			_exit(1);
		}
		int status;
		waitpid(pid, &status, 0);
		pid = vfork();
		if (!pid)
			_exit(3);
		waitpid(pid, &status, 0);
		printf("status %d\n", WEXITSTATUS(status));
	} else if (!strcmp(what, "signals")) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
		raise(SIGUSR1);
		printf("counter %d\n", counter);
	} else if (!strcmp(what, "crash")) {
		*(volatile int *)16 = inner(4);
	}
	return 0;
}
