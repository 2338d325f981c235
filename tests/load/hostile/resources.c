/* Attacks on what all share: the user takes as much of it as it gets, keeps it for a while and takes it again. */
#define _GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How much of a thing to take. More than 1024 are more than a process may have descriptors. */
static int many(int in_soak, int in_rounds)
{
	return shared->soak ? in_soak : in_rounds;
}

/* Takes all the things that the list names, each in a process of its own, which gives back by its end. */
static void take(void (*const *things)(void), size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork_child();

		if (!pid) {
			things[i]();
			usleep(20000);
			_exit(0);
		}
		if (status_of(pid) != 0)
			incomplete();
	}
}

#define TAKE(...)                                                                \
	do {                                                                     \
		static void (*const things_[])(void) = { __VA_ARGS__ };          \
		take(things_, sizeof(things_) / sizeof(things_[0]));             \
	} while (0)

/* Root makes a limit smaller, so that a short try reaches it. */
static void set_limit(const char *name, int value)
{
	FILE *file = fopen(name, "w");

	if (file) {
		fprintf(file, "%d\n", value);
		fclose(file);
	}
}

/* ---- pipes, with all their pages ---- */

#define PIPE_PAGES 1024
#define PIPES	   100

static void limit_pipes(void)
{
	set_limit("/proc/sys/fs/pipe-user-pages-soft", PIPE_PAGES);
}

/* A user who is past the limit gets two pages with each pipe. */
static void fill_pipes(void)
{
	static char pages[1 << 16];
	long all = 0;
	int ends[2];

	for (int i = 0; i < PIPES && !pipe2(ends, O_NONBLOCK); i++) {
		for (int size = 1 << 20; size >= 4096 && fcntl(ends[1], F_SETPIPE_SZ, size) < 0;)
			size /= 2;
		while (write(ends[1], pages, sizeof(pages)) > 0)
			;
		all += fcntl(ends[1], F_GETPIPE_SZ) / 4096;
	}
	if (all > PIPE_PAGES + 2 * PIPES)
		won(all);
}

static void take_pipes(void)
{
	TAKE(fill_pipes);
}

/* ---- mappings ---- */

#define TERABYTE (1UL << 40)
#define AREAS	 500

static void limit_areas(void)
{
	set_limit("/proc/sys/vm/max_map_count", AREAS);
}

static void map_terabytes(void)
{
	for (int i = 0; i < many(10, 2); i++) {
		char *area = mmap(NULL, TERABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		/* Each of these needs three pages: one of its own, and two of tables. */
		for (unsigned long at = 0; area != MAP_FAILED && at < TERABYTE; at += TERABYTE / 64)
			area[at] = 1;
	}
}

static void split_mappings(void)
{
	char *area = mmap(NULL, 2 * AREAS * 4096UL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long areas = 0;

	while (area != MAP_FAILED && areas < 2 * AREAS && !mprotect(area + areas * 4096, 4096, PROT_NONE))
		areas += 2;
	if (areas > AREAS)
		won(1);
}

/* An old length of 0 maps the pages of a shared mapping once more. */
static void duplicate_mappings(void)
{
	char *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	int areas = 0;

	for (; areas < 2 * AREAS && mremap(area, 0, 1 << 20, MREMAP_MAYMOVE) != MAP_FAILED; areas++)
		area[(areas * 4096) & 0xfffff] = 1;
	if (areas > AREAS)
		won(2);
}

static void take_mappings(void)
{
	TAKE(map_terabytes, split_mappings, duplicate_mappings);
}

/* ---- descriptors, watches, timers and locks ---- */

static void open_files(void)
{
	while (open("/etc/passwd", O_RDONLY) >= 0)
		;
	for (int i = many(4, 2); i > 0; i--)
		fork();
}

static void watch_files(void)
{
	while (inotify_init1(O_NONBLOCK) >= 0)
		;
	close(3);
	for (int i = 0, fd = inotify_init1(O_NONBLOCK); i < many(150, 50); i++) {
		char name[40];

		snprintf(name, sizeof(name), "%d", i);
		close(open(name, O_WRONLY | O_CREAT, 0600));
		inotify_add_watch(fd, name, IN_ALL_EVENTS);
		unlink(name);
	}
}

static void watch_descriptors(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ends[2];

	pipe(ends);
	for (int i = 0; i < 30; i++)
		epoll_create1(0);
	for (int n = many(100, 20), fd; n > 0 && (fd = dup(ends[0])) >= 0; n--)
		for (int i = 0; i < 30; i++)
			epoll_ctl(ends[1] + 1 + i, EPOLL_CTL_ADD, fd, &event);
	for (int i = 0; i < 3; i++)
		write(ends[1], "x", 1);
}

/* Layers of epoll files: each watches all of the layer below it. */
static void nest_epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ends[2], below[30], n = 1, wide = many(30, 15);

	pipe(ends);
	below[0] = ends[0];
	for (int layer = 0; layer < 5; layer++) {
		int above[30];

		for (int i = 0; i < wide; i++) {
			above[i] = epoll_create1(0);
			for (int j = 0; j < n; j++)
				epoll_ctl(above[i], EPOLL_CTL_ADD, below[j], &event);
		}
		memcpy(below, above, sizeof(below));
		n = wide;
	}
	for (int i = 0; i < 20; i++)
		write(ends[1], "x", 1);
}

static void lock_ranges(void)
{
	int fd = open("locks", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < many(500, 150); i++) {
		struct flock lock = { .l_type = F_WRLCK, .l_start = 2 * i, .l_len = 1 };

		fcntl(fd, F_SETLK, &lock);
	}
}

static void make_timers(void)
{
	struct itimerspec soon = { { 0, 100000 }, { 0, 100000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 300 && !timer_create(CLOCK_MONOTONIC, &event, &timer); i++)
		timer_settime(timer, 0, &soon, NULL);
	for (int i = 0; i < 300; i++)
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){ 0 });
}

static void take_descriptors(void)
{
	TAKE(open_files, watch_files, watch_descriptors, nest_epolls);
}

static void take_locks(void)
{
	TAKE(lock_ranges, make_timers);
}

/* ---- descriptors in messages, and messages ---- */

static long send_one(int to, int fd)
{
	char byte = 'x', control[CMSG_SPACE(16 * sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(16 * sizeof(int));
	for (int i = 0; i < 16; i++)
		memcpy(CMSG_DATA(header) + i * sizeof(int), &fd, sizeof(int));
	return sendmsg(to, &message, MSG_DONTWAIT);
}

/* Each socket goes into the queue of the next one: only the collector of garbage can free them. */
static void send_descriptors(void)
{
	int pair[2], last = open("/etc/passwd", O_RDONLY), held = 0;

	for (int n = many(100, 20); n > 0 && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair); n--) {
		int sent = 0;

		while (sent < 160 && send_one(pair[0], last) > 0)
			sent += 16;
		held = sent ? held + sent : 0; /* no message holds the last socket, so its close() frees all of them */
		if (held > DESCRIPTORS + 16)
			won(held);
		close(last);
		close(pair[0]);
		last = pair[1];
	}
}

static void fill_sockets(void)
{
	static char page[4096];
	int pair[2];

	for (int i = 0; i < many(20, 5) && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair); i++)
		while (write(pair[0], page, sizeof(page)) > 0)
			;
}

static void take_messages(void)
{
	TAKE(send_descriptors, fill_sockets);
}

const struct attack resource_attacks[] = {
	{ "pipes", "the user has more pages in pipes than it may", limit_pipes, NULL, take_pipes, true },
	{ "mappings", "a process of the user has more areas of memory than it may", limit_areas, NULL, take_mappings, true },
	{ "descriptors", "", NULL, NULL, take_descriptors, true },
	{ "locks", "", NULL, NULL, take_locks, true },
	{ "messages", "the user has more descriptors in messages than it may", NULL, NULL, take_messages, true },
	{ 0 },
};
