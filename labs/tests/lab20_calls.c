/*
 * A program for the kernel under test: lab20_calls ROUNDS CALL... visits the error paths of system calls. Of each call the first
 * allocation in the kernel fails, then the second, and so on until the call makes no more of them; all this ROUNDS times.
 *
 * Prints what the last round has seen: `CALL N error ERRNO` for each allocation, with -1 if the call was done nevertheless and 0 if
 * it has only said so; then `CALL N ok` for the call without a failure, and `CALL descriptors N` if so many are not free any more.
 * `fork limited`: children that were never born count as processes of the user.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int fds[2], notify, timer;

/* ---- each call, and what undoes it: it gets the result ---- */

static long call_pipe(void)
{
	return syscall(SYS_pipe2, fds, 0);
}

static long call_socketpair(void)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
}

static void undo_both(long result)
{
	(void)result;
	close(fds[0]);
	close(fds[1]);
}

static long call_fork(void)
{
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* without what a C library does around it */

	if (!child)
		_exit(0);
	return child;
}

static void undo_fork(long child)
{
	waitpid((pid_t)child, NULL, 0);
}

static long call_timer_create(void)
{
	return syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer);
}

static void undo_timer_create(long result)
{
	(void)result;
	syscall(SYS_timer_delete, timer);
}

static long call_eventfd(void)
{
	return eventfd(0, 0);
}

static long call_timerfd_create(void)
{
	return timerfd_create(CLOCK_MONOTONIC, 0);
}

static long call_epoll_create(void)
{
	return epoll_create1(0);
}

static long call_inotify_init(void)
{
	return inotify_init1(0);
}

static long call_open(void)
{
	return open("/tmp/lab20", O_CREAT | O_RDWR, 0600);
}

static void undo_one(long fd)
{
	close((int)fd);
	unlink("/tmp/lab20");
}

static long call_inotify_add_watch(void)
{
	return inotify_add_watch(notify, "/proc", IN_CREATE);
}

static void undo_inotify_add_watch(long watch)
{
	char event[64];

	inotify_rm_watch(notify, (int)watch);
	read(notify, event, sizeof(event)); /* that the watch is gone */
}

static long call_mkdir(void)
{
	return mkdir("/tmp/lab20", 0700);
}

static void undo_mkdir(long result)
{
	(void)result;
	rmdir("/tmp/lab20");
}

static long call_mmap(void)
{
	return (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void undo_mmap(long place)
{
	munmap((void *)place, 4096);
}

/* A call that says 0 and has not set the flag is an error that was lost. */
static long call_fcntl(void)
{
	long result = fcntl(notify, F_SETFL, O_ASYNC);

	errno = result ? errno : 0;
	return result || fcntl(notify, F_GETFL) & O_ASYNC ? result : -1;
}

static void undo_fcntl(long result)
{
	(void)result;
	fcntl(notify, F_SETFL, 0);
}

static const struct call {
	const char *name;
	long (*make)(void);
	void (*undo)(long result);
} calls[] = {
	{ "pipe", call_pipe, undo_both },
	{ "fork", call_fork, undo_fork },
	{ "timer_create", call_timer_create, undo_timer_create },
	{ "eventfd", call_eventfd, undo_one },
	{ "timerfd_create", call_timerfd_create, undo_one },
	{ "epoll_create", call_epoll_create, undo_one },
	{ "inotify_init", call_inotify_init, undo_one },
	{ "inotify_add_watch", call_inotify_add_watch, undo_inotify_add_watch },
	{ "socketpair", call_socketpair, undo_both },
	{ "mkdir", call_mkdir, undo_mkdir },
	{ "open", call_open, undo_one },
	{ "mmap", call_mmap, undo_mmap },
	{ "fcntl", call_fcntl, undo_fcntl },
};

/* ---- failures ---- */

static void write_fail_nth(int file, int nth)
{
	char text[16];

	if (write(file, text, (size_t)snprintf(text, sizeof(text), "%d", nth)) < 0) {
		perror("fail-nth");
		exit(2);
	}
}

/* Has these capabilities, and no others. */
static int set_capabilities(unsigned mask)
{
	const unsigned header[2] = { 0x20080522, 0 }, sets[6] = { mask, mask }; /* version 3 of capset(2) */

	return (int)syscall(SYS_capset, header, sets);
}

/* RLIMIT_NPROC does not hold for root. A write to fail-nth needs CAP_SYS_RESOURCE. */
static int become_a_user(void)
{
	return prctl(PR_SET_KEEPCAPS, 1) || setuid(1000) || set_capabilities(1U << 24);
}

/* The failure is still to come: open() allocates the name, so it takes it. */
static int not_yet_failed(void)
{
	int fd = open("/", O_PATH);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

#define PROCESSES 50 /* more than this user has */

/* Whether the user may have one more process, with a limit. */
static int may_have_one_more(void)
{
	const struct rlimit limit = { PROCESSES, PROCESSES };
	int status = 1;
	pid_t child = fork();

	if (!child) {
		set_capabilities(0);
		setrlimit(RLIMIT_NPROC, &limit);
		child = (pid_t)call_fork();
		if (child > 0)
			undo_fork(child);
		_exit(child < 0);
	}
	waitpid(child, &status, 0);
	return !status;
}

/* The errors of pipe(2) that have nothing to do with memory: no descriptor is free, or only one; no place for the numbers. */
static void other_errors_of_pipe(int free)
{
	struct rlimit limit;
	rlim_t before;

	getrlimit(RLIMIT_NOFILE, &limit);
	before = limit.rlim_cur;
	for (int more = 0; more < 2; more++) {
		limit.rlim_cur = (rlim_t)(free + more);
		setrlimit(RLIMIT_NOFILE, &limit);
		if (!call_pipe() || errno != EMFILE)
			printf("pipe 0 error %d\n", errno);
	}
	limit.rlim_cur = before;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!syscall(SYS_pipe2, 8, 0) || errno != EFAULT)
		printf("pipe 0 error %d\n", errno);
}

static void visit(int file, const struct call *call, int print)
{
	int before = lowest_free(), after, nth, error, failed = 1;

	for (nth = 0; failed; nth++) { /* 0: no failure. What the first call of all makes once and keeps is no leak */
		long result;

		write_fail_nth(file, nth);
		result = call->make();
		error = result < 0 ? errno : -1;
		failed = !nth || !not_yet_failed();
		if (result >= 0)
			call->undo(result);
		if (print && nth && failed)
			printf("%s %d error %d\n", call->name, nth, error);
	}
	if (print)
		printf("%s %d %s\n", call->name, nth - 1, error < 0 ? "ok" : "failed");
	if (call->make == call_pipe)
		other_errors_of_pipe(before);
	after = lowest_free();
	if (print && after != before)
		printf("%s descriptors %d\n", call->name, after - before);
	if (print && call->make == call_fork && !may_have_one_more())
		printf("fork limited\n");
}

int main(int argc, char **argv)
{
	int file = open("/proc/self/fail-nth", O_WRONLY);
	long rounds = argc > 2 ? atol(argv[1]) : 0;

	notify = inotify_init1(0);
	if (rounds < 1 || file < 0 || notify < 0 || become_a_user()) {
		fprintf(stderr, "usage: lab20_calls ROUNDS CALL...\n");
		return 2;
	}
	setvbuf(stdout, malloc(65536), _IOFBF, 65536); /* writes between two calls would allocate */
	for (int i = 2; i < argc; i++)
		for (long round = 1; round <= rounds; round++)
			for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++)
				if (!strcmp(calls[c].name, argv[i]))
					visit(file, &calls[c], round == rounds);
	return 0;
}
