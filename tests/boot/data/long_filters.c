/*
 * Programs with thousands of filters of system calls: a filter for all threads (TSYNC) while these have as many different ones, and
 * the end of the last task that has the filters.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT   2000 /* filters of one instruction */
#define LONG    4    /* filters of 4096 instructions */
#define THREADS 64

static pthread_barrier_t end;

static void install(unsigned flags, unsigned length)
{
	static struct sock_filter code[4096];
	struct sock_fprog program = { .len = (unsigned short)length, .filter = code };

	for (unsigned i = 0; i < length; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)) {
		perror("seccomp");
		_exit(1);
	}
}

static void *wait_for_end(void *unused)
{
	pthread_barrier_wait(&end);
	return unused;
}

static int filters_of_this_process(void)
{
	char line[100];
	int n = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), status))
		sscanf(line, "Seccomp_filters: %d", &n);
	fclose(status);
	return n;
}

static int oom_score(void)
{
	int score = 0;
	FILE *file = fopen("/proc/self/oom_score", "r");

	fscanf(file, "%d", &score);
	fclose(file);
	return score;
}

/* Each thread begins with some filters more than the one before. */
static void be_process(void)
{
	pthread_t threads[THREADS];
	pthread_attr_t small;
	int gone[2], score;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (int i = 0; i < LONG; i++)
		install(0, 4096);
	for (int i = 0; i < SHORT; i++) {
		if (i % (SHORT / THREADS) == 0 && i / (SHORT / THREADS) < THREADS)
			pthread_create(&threads[i / (SHORT / THREADS)], &small, wait_for_end, NULL);
		install(0, 1);
	}
	/* Then the threads share one filter, and it counts once. Before they had megabytes. */
	score = oom_score();
	install(SECCOMP_FILTER_FLAG_TSYNC, 1);
	score -= oom_score();
	printf("the OOM killer sees filters: %s\n", score >= 5 ? "yes" : "no");
	printf("%d filters\n", filters_of_this_process());
	fflush(stdout);
	pthread_barrier_wait(&end);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* The child has the last references: it ends when this process has ended. */
	pipe(gone);
	if (!fork()) {
		close(gone[1]);
		read(gone[0], &(char){ 0 }, 1);
	}
	_exit(0);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (!fork())
		be_process();
	while (wait(NULL) > 0)
		;
	puts("ended");
	return 0;
}
