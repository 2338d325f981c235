/*
 * One thread gives all threads of the process a filter (TSYNC) while the others make threads and processes. Whoever begins after
 * that has the filter, and keeps it.
 */
#include "abi.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>

#define ROUNDS  8
#define MAKERS  3
#define MADE    20
#define FILTERS 4

static int refused_call[FILTERS] = { SYS_getppid, SYS_getpgrp, SYS_getuid, SYS_geteuid };

struct shared {
	int violations, tasks;
};
static struct shared *shared;
static int installed; /* filters that all threads have */

static bool is_refused(int i)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(refused_call[i]) : "rcx", "r11", "memory");
	return result == -ENOTTY;
}

/* The first n filters hold for the current task. */
static void check(int n)
{
	__atomic_fetch_add(&shared->tasks, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < n; i++)
		if (!is_refused(i))
			__atomic_fetch_add(&shared->violations, 1, __ATOMIC_SEQ_CST);
}

static void *checker(void *n)
{
	check((int)(long)n);
	return NULL;
}

static void *maker(void *number)
{
	for (int i = 0; i < MADE; i++) {
		long n = __atomic_load_n(&installed, __ATOMIC_SEQ_CST);
		pthread_t thread;

		if (i % 4 == (long)number) {
			pid_t pid = fork();

			if (!pid) {
				check((int)n);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		} else if (!pthread_create(&thread, NULL, checker, (void *)n)) {
			pthread_join(thread, NULL);
		}
		check((int)n);
	}
	return NULL;
}

static void install(int i)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused_call[i], 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		show("seccomp: %s", error_name(errno));
	__atomic_fetch_add(&installed, 1, __ATOMIC_SEQ_CST);
}

static void one_process(void)
{
	pthread_t makers[MAKERS];

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (long i = 0; i < MAKERS; i++)
		pthread_create(&makers[i], NULL, maker, (void *)i);
	for (int i = 0; i < FILTERS; i++) {
		usleep(500);
		install(i);
	}
	for (int i = 0; i < MAKERS; i++)
		pthread_join(makers[i], NULL);
	check(FILTERS);
	_exit(0);
}

int main(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pid = fork();

		if (!pid)
			one_process();
		waitpid(pid, NULL, 0);
	}
	show("tasks without a filter that they should have: %d", shared->violations);
	TRUTH(shared->tasks > ROUNDS * MAKERS * MADE);
	return 0;
}
