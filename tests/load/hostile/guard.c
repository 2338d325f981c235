/*
 * Root's side: what the user does must neither delay a real-time task nor make a call fail.
 *
 * The real-time tasks do what cyclictest does: each sleeps until an absolute time, 1 ms after the last one, and
 * compares the clock with it. They can only be late because a CPU had interrupts or preemption off.
 */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD	 1000000L /* ns */
#define PRIORITY 80

static void note(const char *call, int error)
{
	unsigned long i = shared->n_faults++;

	if (i < MAX_FAULTS)
		shared->faults[i] = (struct fault){ call, error };
}

/* Names the call that has failed. Only root's process that makes calls comes here. */
#define MUST(call)                              \
	({                                      \
		long result_ = (long)(call);    \
		if (result_ < 0)                \
			note(#call, errno);     \
		result_;                        \
	})

static void send_descriptor(void)
{
	int pair[2], fd = (int)MUST(open("/etc/passwd", O_RDONLY));
	char byte = 'x', control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	if (MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) < 0)
		return;
	MUST(sendmsg(pair[0], &message, 0));
	if (MUST(recvmsg(pair[1], &message, 0)) == 1 && (header = CMSG_FIRSTHDR(&message))) {
		int received;

		memcpy(&received, CMSG_DATA(header), sizeof(int));
		close(received);
	}
	close(pair[0]);
	close(pair[1]);
	close(fd);
}

static void use_pipe(void)
{
	static char page[4096];
	int ends[2];

	if (MUST(pipe(ends)) < 0)
		return;
	MUST(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20));
	for (int i = 0; i < 64; i++)
		MUST(write(ends[1], page, sizeof(page)));
	close(ends[0]);
	close(ends[1]);
}

static void watch(void)
{
	int inotify = (int)MUST(inotify_init1(0)), epoll = (int)MUST(epoll_create1(0));
	int timer = (int)MUST(timerfd_create(CLOCK_MONOTONIC, 0));
	struct epoll_event event = { .events = EPOLLIN };

	MUST(inotify_add_watch(inotify, ".", IN_CREATE));
	MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, inotify, &event));
	MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event));
	close(inotify);
	close(epoll);
	close(timer);
}

static void use_files(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };
	int fd = (int)MUST(open("file", O_RDWR | O_CREAT, 0600));

	MUST(fcntl(fd, F_SETLK, &lock));
	MUST(flock(fd, LOCK_EX | LOCK_NB));
	MUST(write(fd, "text", 4));
	close(fd);
	MUST(rename("file", "other"));
	MUST(unlink("other"));
}

static void use_memory(void)
{
	void *area = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	pid_t pid;

	if (area == MAP_FAILED)
		note("mmap", errno);
	else
		munmap(area, 1 << 20);
	pid = (pid_t)MUST(fork());
	if (!pid)
		_exit(3);
	if (pid > 0 && status_of(pid) != 3)
		note("a child of root", 0);
}

static void work(void)
{
	static void (*const steps[])(void) = { send_descriptor, use_pipe, watch, use_files, use_memory };

	while (!shared->stop) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			steps[i]();
		shared->guard_rounds++;
		usleep(1000);
	}
}

static void add_ns(struct timespec *time, long ns)
{
	time->tv_nsec += ns;
	time->tv_sec += time->tv_nsec / 1000000000L;
	time->tv_nsec %= 1000000000L;
}

static void measure(int cpu)
{
	struct sched_param param = { .sched_priority = PRIORITY };
	struct timespec next, now;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setaffinity(0, sizeof(set), &set) ||
	    syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param)) /* musl's own does nothing */
		shared->late_us[cpu] = -1;
	clock_gettime(CLOCK_MONOTONIC, &next);
	add_ns(&next, PERIOD / 16 * cpu);
	while (!shared->stop) {
		long late;

		add_ns(&next, PERIOD);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		late = (now.tv_sec - next.tv_sec) * 1000000L + (now.tv_nsec - next.tv_nsec) / 1000;
		if (late > shared->late_us[cpu])
			shared->late_us[cpu] = late;
		shared->wakeups[cpu]++;
		if (late > 10 * PERIOD / 1000)
			next = now; /* what was missed is one delay, not many */
	}
}

void start_guards(int cpus)
{
	pid_t guard;

	for (int cpu = 0; cpu < cpus; cpu++) {
		if (!fork()) {
			measure(cpu);
			_exit(0);
		}
	}
	mkdir("guard", 0700);
	guard = fork();
	if (!guard) {
		chdir("guard");
		setpriority(PRIO_PROCESS, 0, -20);
		work();
		_exit(0);
	}
	shared->guard = guard;
}
