/*
 * Loads of processes, for tests of the kernel's life under them. Prints a line when it is done.
 *
 *     processes many N          N processes at once; each waits until all are there, then ends
 *     processes bomb SECONDS    a fork bomb of the user nobody, under RLIMIT_NPROC 100
 *     processes exec N          N programs, one replaces the other
 *     processes churn SECONDS   on each CPU: fork, threads, memory, pipes and exec, all mixed
 *     processes hog MIB         fills MIB of memory, says so, and waits; SIGTERM ends it
 *     processes lock MIB        locks MIB of memory, and says how that ended
 *     processes populate MIB    the same with MADV_POPULATE_WRITE
 *     processes bystanders N    N processes in turn take all memory, beside small ones, which it counts when they die
 *     processes faults THREADS  each thread faults 5,000 pages of one address space
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE 4096

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int many(int n)
{
	int ready[2], gate[2], started = 0, status, bad = 0;
	char c = 'x';

	if (pipe(ready) || pipe(gate))
		return fail("pipe");
	for (; started < n; started++) {
		pid_t pid = fork();

		if (pid < 0)
			return fail("fork");
		if (!pid) {
			close(gate[1]);
			write(ready[1], &c, 1);
			_exit(read(gate[0], &c, 1) != 0); /* end of file: the parent has closed it */
		}
	}
	for (int i = 0; i < n; i++)
		if (read(ready[0], &c, 1) != 1)
			return fail("read");
	printf("%d processes at once\n", n);
	close(gate[1]);
	for (int i = 0; i < n; i++)
		bad += wait(&status) < 0 || status;
	printf("%d ended badly\n", bad);
	return bad != 0;
}

static int bomb(int seconds)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		time_t end = time(NULL) + seconds;

		setsid();
		setrlimit(RLIMIT_NPROC, &(struct rlimit){ 100, 100 });
		if (setuid(65534))
			_exit(1);
		while (time(NULL) < end)
			if (fork() < 0)
				usleep(1000);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	printf("bomb: %d\n", status);
	return status;
}

static int exec_loop(int n, char *self)
{
	char left[16];

	if (!n) {
		printf("all programs ran\n");
		return 0;
	}
	snprintf(left, sizeof(left), "%d", n - 1);
	execl(self, self, "exec", left, NULL);
	return fail("exec");
}

static void *thread(void *memory)
{
	char *p = memory;

	for (int i = 0; i < 32; i++)
		p[i * PAGE]++;
	sched_yield();
	return NULL;
}

/* One round of the mix. Returns 0 if everything held. */
static int round_of(unsigned n, char *self)
{
	char *p = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[4];
	int pipes[2], status;
	char c;
	pid_t pid;

	if (p == MAP_FAILED || pipe(pipes))
		return fail("mmap");
	memset(p, (int)n, 64 * PAGE);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, thread, p);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		munmap(p + 8 * PAGE, 8 * PAGE);
		mprotect(p + 40 * PAGE, 8 * PAGE, PROT_READ);
		write(pipes[1], p + 63 * PAGE, 1);
		if (n % 4 == 0)
			execl(self, self, "exec", "0", NULL);
		if (n % 4 == 1)
			raise(SIGKILL);
		_exit(n % 4 == 2 ? 7 : 0);
	}
	if (pid < 0)
		return fail("fork");
	p[63 * PAGE] = (char)(n + 1); /* the child has its own */
	if (read(pipes[0], &c, 1) != 1 || c != (char)n)
		return fail("read");
	if (waitpid(pid, &status, 0) != pid)
		return fail("waitpid");
	close(pipes[0]);
	close(pipes[1]);
	for (int i = 0; i < 63; i++)
		if (p[i * PAGE] != (char)n)
			return fail("the child has changed the parent's page");
	munmap(p, 64 * PAGE);
	return n % 4 == 1 ? status != SIGKILL : status != (n % 4 == 2 ? 7 << 8 : 0);
}

static int churn(int seconds, char *self)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), status, bad = 0;

	fflush(stdout);
	for (int i = 0; i < cpus * 2; i++) {
		if (!fork()) {
			time_t end = time(NULL) + seconds;

			freopen("/dev/null", "w", stdout);
			for (unsigned n = 0; time(NULL) < end; n++)
				if (round_of(n, self))
					_exit(1);
			_exit(0);
		}
	}
	for (int i = 0; i < cpus * 2; i++)
		bad += wait(&status) < 0 || status;
	printf("churn: %d bad\n", bad);
	return bad != 0;
}

static int hog(unsigned long mib)
{
	char *p = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return fail("mmap");
	for (unsigned long i = 0; i < mib << 20; i += PAGE)
		p[i] = 1;
	printf("hog: %lu MiB\n", mib);
	fflush(stdout);
	pause();
	return 0;
}

/* how: "lock" or "populate". */
static int take(const char *how, unsigned long mib)
{
	char *p = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return fail("mmap");
	if (strcmp(how, "lock") ? madvise(p, mib << 20, MADV_POPULATE_WRITE) : mlock(p, mib << 20))
		return fail(how);
	printf("%s: %lu MiB\n", how, mib);
	return 0;
}

#define BYSTANDERS 6
#define MIB        (1UL << 20)

/* Takes a MiB again and again; all: keeps what it has taken. */
static pid_t start_taker(bool all)
{
	pid_t pid = fork();

	while (!pid) {
		char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		memset(p, 1, MIB);
		if (!all)
			munmap(p, MIB);
	}
	return pid;
}

static int bystanders(int rounds)
{
	pid_t pids[BYSTANDERS];
	int killed = 0;

	for (int i = 0; i < BYSTANDERS; i++)
		pids[i] = start_taker(false);
	while (rounds--) {
		pid_t all = start_taker(true), dead;

		while ((dead = wait(NULL)) != all)
			for (int i = 0; i < BYSTANDERS; i++)
				if (pids[i] == dead) {
					killed++;
					pids[i] = start_taker(false);
				}
	}
	for (int i = 0; i < BYSTANDERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("bystanders: %d killed\n", killed);
	return 0;
}

#define FAULTS 5000

static void *faults_thread(void *memory)
{
	for (size_t i = 0; i < FAULTS; i++)
		((char *)memory)[i * PAGE] = 1;
	return NULL;
}

static int faults(int n)
{
	size_t size = (size_t)FAULTS * PAGE;
	struct timespec begin, end;
	pthread_t threads[16];
	char *p = mmap(NULL, size * (size_t)n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || n > 16)
		return fail("mmap");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, faults_thread, p + (size_t)i * size);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("faults: %ld ns each\n", ((end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec) / (FAULTS * n));
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "many"))
		return many(n);
	if (!strcmp(argv[1], "bomb"))
		return bomb(n);
	if (!strcmp(argv[1], "exec"))
		return exec_loop(n, "/proc/self/exe");
	if (!strcmp(argv[1], "churn"))
		return churn(n, "/proc/self/exe");
	if (!strcmp(argv[1], "hog"))
		return hog((unsigned long)n);
	if (!strcmp(argv[1], "lock") || !strcmp(argv[1], "populate"))
		return take(argv[1], (unsigned long)n);
	if (!strcmp(argv[1], "bystanders"))
		return bystanders(n);
	return strcmp(argv[1], "faults") ? 2 : faults(n);
}
