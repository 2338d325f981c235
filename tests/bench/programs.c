/*
 * Measures system calls, faults, processes and switches as a program sees them: instructions for
 * each operation. A static program that runs on nop5 and on Linux, on one CPU under QEMU with
 * -icount shift=0, where the TSC counts instructions. `programs` prints a line "NAME INSTRUCTIONS"
 * for each figure; `programs NAME...` prints these only; `programs tsc` prints the instructions
 * since the reset.
 *
 * Each figure is the mean of many operations after some that warm up. The cost of the loop, about
 * three instructions, is part of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "operations.h"

#define PIPES 10
/* Of futex(2): musl has no header for them. */
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129
#define FILE_NAME          "/tmp/bench_file"
#define SELF               "/proc/self/exe"

static int zero, null, file, timer;
static struct pollfd polled[PIPES];
static char buffer[PAGE];
static pid_t own_pid;

static void op_getppid(void)
{
	call4(SYS_getppid, 0, 0, 0, 0);
}

static void op_read_zero(void)
{
	expect(call4(SYS_read, zero, (long)buffer, 1, 0) == 1, "read");
}

static void op_write_null(void)
{
	expect(call4(SYS_write, null, (long)buffer, 1, 0) == 1, "write");
}

static void op_open_close(void)
{
	long fd = call4(SYS_open, (long)FILE_NAME, O_RDONLY, 0, 0);

	expect(fd >= 0 && !call4(SYS_close, fd, 0, 0, 0), "open");
}

static void op_stat(void)
{
	struct stat st;

	expect(!call4(SYS_stat, (long)FILE_NAME, (long)&st, 0, 0), "stat");
}

static void op_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
}

static void on_signal(int signal)
{
	(void)signal;
}

static void op_signal(void)
{
	call4(SYS_kill, own_pid, SIGUSR1, 0, 0);
}

static void op_poll(void)
{
	expect(call4(SYS_poll, (long)polled, PIPES, 0, 0) == 0, "poll");
}

/* Starts a timer and cancels it. A sleep would count its time, which passes without instructions. */
static void op_timer(void)
{
	static const struct itimerspec hour = { .it_value = { .tv_sec = 3600 } }, off;

	expect(!call4(SYS_timerfd_settime, timer, 0, (long)&hour, 0) &&
		       !call4(SYS_timerfd_settime, timer, 0, (long)&off, 0),
	       "timerfd_settime");
}

static void op_mmap(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(page != MAP_FAILED && !munmap(page, PAGE), "mmap");
}

static void op_exec(void)
{
	char *arguments[] = { (char *)SELF, (char *)"exit", NULL };
	pid_t pid = vfork();

	if (!pid) {
		execv(SELF, arguments);
		_exit(1);
	}
	expect(pid > 0 && waitpid(pid, NULL, 0) == pid, "vfork");
}

static void op_file(void)
{
	expect(pwrite(file, buffer, PAGE, 0) == PAGE && pread(file, buffer, PAGE, 0) == PAGE,
	       "file");
}

static int turn;

static void wait_turn(int value)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != value)
		call4(SYS_futex, (long)&turn, FUTEX_WAIT_PRIVATE, !value, 0);
}

static void give_turn(int value)
{
	__atomic_store_n(&turn, value, __ATOMIC_RELEASE);
	call4(SYS_futex, (long)&turn, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void *futex_thread(void *rounds)
{
	for (unsigned long i = 0; i < (unsigned long)rounds; i++) {
		wait_turn(1);
		give_turn(0);
	}
	return NULL;
}

/* Two threads wake each other in turn. Each round is two switches. */
static unsigned long measure_futex(unsigned n)
{
	unsigned long begin = 0;
	pthread_t thread;

	expect(!pthread_create(&thread, NULL, futex_thread, (void *)(unsigned long)(n + n / 10)),
	       "pthread_create");
	for (unsigned i = 0; i < n + n / 10; i++) {
		if (i == n / 10)
			begin = __rdtsc();
		give_turn(1);
		wait_turn(0);
	}
	begin = __rdtsc() - begin;
	pthread_join(thread, NULL);
	return begin / (2 * n);
}

/* What a filter as strace --seccomp-bpf installs it adds to a call that it lets pass. */
static unsigned long measure_filtered(unsigned n)
{
	/* struct sock_filter: musl has no header for it. */
	struct {
		unsigned short code;
		unsigned char jt, jf;
		unsigned k;
	} code[] = {
		{ 0x20, 0, 0, 4 },          /* the architecture */
		{ 0x15, 0, 3, 0xc000003e }, /* another one: allow */
		{ 0x20, 0, 0, 0 },          /* the number */
		{ 0x15, 0, 1, SYS_write },
		{ 0x06, 0, 0, 0x7ff00000 }, /* SECCOMP_RET_TRACE */
		{ 0x06, 0, 0, 0x7fff0000 }, /* SECCOMP_RET_ALLOW */
	};
	struct {
		unsigned short length;
		void *code;
	} filter = { sizeof(code) / sizeof(code[0]), code };
	unsigned long *each = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				   -1, 0);
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		expect(!prctl(PR_SET_SECCOMP, 2, &filter), "seccomp");
		*each = measure(op_getppid, n);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return *each - measure(op_getppid, n);
}

static void go_on_and_look(pid_t pid)
{
	char info[88];
	int status;

	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	waitpid(pid, &status, __WALL);
	call4(SYS_ptrace, 0x420e /* PTRACE_GET_SYSCALL_INFO */, pid, sizeof(info), (long)info);
}

/* What a tracer adds to a call whose two ends it looks at. */
static unsigned long measure_traced(unsigned n)
{
	unsigned long begin = 0;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (;;)
			op_getppid();
	}
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, 1 /* PTRACE_O_TRACESYSGOOD */);
	for (unsigned i = 0; i < 2 * (n + n / 10); i++) {
		if (i == 2 * (n / 10))
			begin = __rdtsc();
		go_on_and_look(pid);
	}
	begin = __rdtsc() - begin;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return begin / n - measure(op_getppid, n);
}

static const struct {
	const char *name;
	void (*op)(void);
	unsigned long (*special)(unsigned n);
	unsigned n;
} figures[] = {
	{ "getppid", op_getppid, NULL, 10000 },
	{ "read_zero", op_read_zero, NULL, 10000 },
	{ "write_null", op_write_null, NULL, 10000 },
	{ "open_close", op_open_close, NULL, 5000 },
	{ "stat", op_stat, NULL, 5000 },
	{ "clock_gettime", op_clock, NULL, 10000 },
	{ "signal", op_signal, NULL, 5000 },
	{ "poll", op_poll, NULL, 5000 },
	{ "timer", op_timer, NULL, 5000 },
	{ "fault", NULL, measure_fault, 5000 },
	{ "mmap", op_mmap, NULL, 5000 },
	{ "fork", op_fork, NULL, 500 },
	{ "exec", op_exec, NULL, 200 },
	{ "pipe_program", NULL, measure_pipe, 10000 },
	{ "futex", NULL, measure_futex, 10000 },
	{ "file", op_file, NULL, 5000 },
	{ "filtered", NULL, measure_filtered, 10000 },
	{ "traced", NULL, measure_traced, 2000 },
};

static void prepare(void)
{
	int pair[2];

	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	file = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	expect(zero >= 0 && null >= 0 && file >= 0 && timer >= 0, "open");
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < PIPES; i++) {
		expect(!pipe(pair), "pipe");
		polled[i] = (struct pollfd){ .fd = pair[0], .events = POLLIN };
	}
	own_pid = getpid();
}

static int wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return 1;
	return argc == 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "exit"))
		return 0;
	if (argc == 2 && !strcmp(argv[1], "tsc"))
		return printf("since_reset %llu\n", __rdtsc()) < 0;
	prepare();
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		unsigned long each;

		if (!wanted(figures[i].name, argc, argv))
			continue;
		each = figures[i].op ? measure(figures[i].op, figures[i].n)
				     : figures[i].special(figures[i].n);
		printf("%s %lu\n", figures[i].name, each);
		fflush(stdout);
	}
	unlink(FILE_NAME);
	return 0;
}
