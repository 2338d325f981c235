/*
 * A storm of ptrace(2), for tests of the kernel's life under it:
 *
 *     tracers TURNS SEED
 *
 * For each CPU there are a tracer and three victims. Victims fork, make threads, call exec, get signals, stop in groups, and end, all
 * at random. Tracers attach to any of them, make random requests with random arguments, wait, let go, or die; a few trace the
 * tracers. Half of all are root's and half a user's, and victims execute a program that acts for root: a tracee of the user that
 * does so is a breach. At the end all are told to end, and what a dead tracer has left in a stop would stay: the program waits until no
 * descendant is left, and prints how often the tracers have attached and seen a stop, and the breaches.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS    32 /* PIDs and TIDs that tracers know */
#define WALL     0x40000000
#define ATTACH   16
#define DETACH   17
#define SEIZE    0x4206
#define EXITKILL (1 << 20)
#define USER     65534

static struct shared {
	pid_t tasks[TASKS];
	volatile int stop;
	long attached, stops, requests, breaches;
} *shared;

static const char self[] = "/proc/self/exe", setuid_copy[] = "/tmp/tracers_setuid";
static __thread unsigned long long state;

static unsigned roll(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % n;
}

static void count(long *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* ---- victims ---- */

static void note_task(void)
{
	shared->tasks[roll(TASKS)] = (pid_t)syscall(SYS_gettid);
}

/* A signal for one of the tasks. */
static void send(int sig)
{
	pid_t pid = shared->tasks[roll(TASKS)];

	if (pid)
		kill(pid, sig);
}

static void nothing(int sig __attribute__((unused)))
{
}

static void victim(int depth);

/* Another program, perhaps one that acts for root. */
static void again(void)
{
	const char *path = roll(2) ? self : setuid_copy;

	execl(path, path, "again", NULL);
}

static void *thread(void *arg)
{
	state = (unsigned long)arg;
	note_task();
	for (unsigned i = roll(20); i && !shared->stop; i--)
		usleep(roll(200));
	if (!roll(8))
		again();
	if (!roll(8))
		_exit(1);
	return NULL;
}

/* Children that end by themselves. */
static void forks(int depth)
{
	pid_t pid = roll(2) || depth > 3 ? vfork() : fork();

	if (pid)
		return;
	if (depth > 3)
		_exit(0);
	if (!roll(3))
		again();
	_exit(0);
}

static void step(int depth)
{
	pthread_t t;

	switch (roll(9)) {
	case 0:
		forks(depth);
		break;
	case 1:
		if (depth < 2 && !fork()) {
			state += (unsigned)getpid();
			victim(depth + 1);
			_exit(0);
		}
		break;
	case 2:
		if (!pthread_create(&t, NULL, thread, (void *)(unsigned long)(state >> 7)))
			pthread_detach(t);
		break;
	case 3:
		kill(getpid(), (int[]){ SIGUSR1, SIGCHLD, SIGCONT, SIGWINCH }[roll(4)]);
		break;
	case 4:
		if (!roll(10))
			send((int[]){ SIGSTOP, SIGTSTP, SIGKILL, SIGUSR1 }[roll(4)]);
		break;
	case 5:
		send(SIGCONT);
		break;
	case 6:
		if (!roll(20))
			syscall(SYS_ptrace, 0, 0, 0, 0); /* TRACEME */
		break;
	case 7:
		usleep(roll(300));
		break;
	default:
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static void victim(int depth)
{
	signal(SIGUSR1, nothing);
	note_task();
	for (unsigned i = 100 + roll(400); i && !shared->stop; i--) {
		if (!roll(4))
			note_task();
		step(depth);
	}
}

/* ---- tracers ---- */

static const int requests[] = { 1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 9, 9, 12, 13, 14, 15, 17, 24, 24, 24, 30, 0x4200, 0x4201, 0x4202, 0x4203, 0x4204,
				0x4205, 0x4207, 0x4208, 0x420a, 0x420b, 0x420e, 33, 99 };

static union {
	unsigned char bytes[8192];
	unsigned long words[1024];
	struct iovec iov;
} area;

static void random_request(pid_t pid)
{
	int request = requests[roll(sizeof(requests) / sizeof(requests[0]))];
	unsigned long addr = roll(3) ? roll(1000) & ~7UL : (unsigned long)&shared->stop, data = (unsigned long)&area;

	if (request == 0x4204 || request == 0x4205) {
		addr = (unsigned long[]){ 1, 2, 0x202, 7 }[roll(4)];
		area.iov = (struct iovec){ area.bytes + 64, roll(2) ? 4096 : roll(4096) };
	}
	if (request == 0x420a || request == 0x420b)
		addr = 8;
	if (request == 0x4200)
		data = roll(2) ? 0x7f : roll(256) | (roll(2) ? EXITKILL : 0);
	if (request == 7 || request == 9 || request == 17 || request == 24)
		data = roll(4) ? 0 : roll(40);
	if (request == 4 || request == 5) /* the victim's own memory, or none: not the shared flag */
		addr = roll(2) ? (unsigned long)area.words : roll(1000);
	if (request == 6)
		data = roll(2) ? roll(400) : ~0UL << roll(64);
	if ((request == 13 || request == 15) && roll(4))
		syscall(SYS_ptrace, request - 1, pid, 0, area.bytes); /* what it has, with one change */
	if (request == 13)
		area.words[roll(27)] ^= 1UL << roll(64);
	count(&shared->requests);
	syscall(SYS_ptrace, request, pid, addr, data);
}

/* The number that follows the name in /proc/PID/status, or the one after that. -1: there is none. */
static long status_of(pid_t pid, const char *format)
{
	char path[32], line[128];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, format, &value);
	if (file)
		fclose(file);
	return value;
}

/* If a thread that nobody traces calls exec, its PID is that of the leader, which may have been the tracee. So the tracer comes last. */
static bool is_tracee_that_acts_for_root(pid_t pid)
{
	return !status_of(pid, "Uid: %*u %ld") && status_of(pid, "TracerPid: %ld") == getpid();
}

static void attach_one(void)
{
	pid_t pid;
	long ret;
	int tries = 0;

	do
		pid = shared->tasks[roll(TASKS)];
	while (kill(pid, 0) && ++tries < 8);
	if (!pid || pid == getpid())
		return;
	ret = roll(2) ? syscall(SYS_ptrace, SEIZE, pid, 0, roll(2) ? 0x7f : roll(128) | (roll(4) ? 0 : EXITKILL))
		      : syscall(SYS_ptrace, ATTACH, pid, 0, 0);
	if (ret)
		return;
	count(&shared->attached);
	if (getuid() && is_tracee_that_acts_for_root(pid))
		count(&shared->breaches);
}

static void tracer(void)
{
	if (!roll(4))
		note_task(); /* others trace it */
	while (!shared->stop) {
		pid_t pid;
		int status;

		if (!roll(4))
			attach_one();
		while ((pid = waitpid(-1, &status, WNOHANG | WALL)) > 0) {
			if (!WIFSTOPPED(status))
				continue;
			count(&shared->stops);
			for (unsigned n = roll(6); n; n--)
				random_request(pid);
			/* Mostly it goes on, with or without its signal. */
			syscall(SYS_ptrace, (int[]){ 7, 24, 9, DETACH, 7 }[roll(5)], pid, 0, roll(2) ? (status >> 8 & 0x7f) % 64 : 0);
		}
		if (!roll(3))
			random_request(shared->tasks[roll(TASKS)]);
		if (!roll(16))
			usleep(roll(500));
		if (!roll(3000))
			kill(getpid(), SIGKILL);
	}
}

/* ---- the storm ---- */

static pid_t group; /* of all descendants */

static pid_t start(bool trace, unsigned long long seed)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, group);
	state = seed;
	roll(1);
	if (roll(2)) {
		setresgid(USER, USER, USER);
		setresuid(USER, USER, USER);
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* users trace each other */
	}
	if (trace)
		tracer();
	else
		victim(0);
	_exit(0);
}

static void make_setuid_copy(void)
{
	int from = open(self, O_RDONLY), to = open(setuid_copy, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	char buf[65536];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		write(to, buf, (size_t)n);
	fchmod(to, 04755);
	close(to);
	close(from);
}

/* A process that keeps the group. */
static void start_group(void)
{
	group = fork();
	if (!group)
		for (;;)
			pause();
	setpgid(group, group);
}

/* Ends all descendants: orphans become children of this process. */
static void end_all(void)
{
	pid_t pid;

	shared->stop = 1;
	while ((pid = waitpid(-1, NULL, WNOHANG | WALL)) >= 0) {
		if (pid)
			continue;
		kill(-group, SIGKILL);
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), tracers = 0, victims = 0;
	unsigned long long seed;

	if (argc == 2) { /* exec of a victim */
		usleep(100);
		return 0;
	}
	if (argc != 3)
		return 2;
	seed = strtoull(argv[2], NULL, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	make_setuid_copy();
	start_group();
	for (int turns = atoi(argv[1]); turns > 0; turns--) {
		int status = 0;
		pid_t pid;

		for (; tracers < cpus; tracers++)
			start(true, ++seed * 0x9e3779b97f4a7c15ULL);
		for (; victims < 3 * cpus; victims++)
			start(false, ++seed * 0x9e3779b97f4a7c15ULL);
		pid = waitpid(-1, &status, WALL | WNOHANG);
		if (pid <= 0) {
			usleep(1000);
		} else if (WIFSTOPPED(status)) {
			syscall(SYS_ptrace, roll(4) ? 7 : DETACH, pid, 0, 0); /* it has called TRACEME */
		} else if (WTERMSIG(status) == SIGKILL && roll(2)) {
			tracers--;
		} else if (victims) {
			victims--;
		}
	}
	end_all();
	unlink(setuid_copy);
	printf("attached %ld, stops %ld, requests %ld, breaches %ld\n", shared->attached, shared->stops, shared->requests, shared->breaches);
	return 0;
}
