/* What a member of a family does: one random operation after another. */
#include "fuzz_perf.h"

#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define AREAS 8
#define DEPTH 3 /* generations */

__thread int fds[FDS];
__thread unsigned depth;
static __thread struct area {
	struct perf_event_mmap_page *page;
	size_t size;
} areas[AREAS];

static int some_fd(void)
{
	return chance(97) ? fds[below(FDS)] : (int)below(100) - 1;
}

static void remember(int fd)
{
	unsigned i = below(FDS);

	if (fds[i] >= 0)
		close(fds[i]);
	fds[i] = fd;
}

static void op_open(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pid_t pid = chance(60) ? 0 : chance(getuid() ? 5 : 40) ? -1 : shared->tasks[below(TASKS)];
	int cpu = chance(pid == -1 ? 5 : 60) ? -1 : (int)below((unsigned)cpus) + chance(3), fd;

	choose(&attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, chance(75) ? -1 : some_fd(),
			  chance(90) ? 0 : below(16));
	if (fd < 0) {
		shared->refused++;
		return;
	}
	shared->opened++;
	remember(fd);
}

static void op_close(void)
{
	unsigned i = below(FDS);

	if (fds[i] >= 0)
		close(fds[i]);
	fds[i] = -1;
}

static void op_read(void)
{
	char buffer[4096];

	fcntl(some_fd(), F_SETFL, chance(50) ? O_NONBLOCK : O_NONBLOCK | O_ASYNC);
	read(some_fd(), buffer, below(sizeof(buffer)));
}

static void op_ioctl(void)
{
	static const unsigned long commands[] = {
		PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_PERIOD,
		PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER,
		PERF_EVENT_IOC_ID,
		PERF_EVENT_IOC_SET_BPF,
		PERF_EVENT_IOC_PAUSE_OUTPUT,
		PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		0x2400 | 12,
	};
	static const char *const filters[] = {
		"common_pid > 0", "id == 39", "nosuch == 1",
		"id ==",          "0",        "prev_pid == 0 || next_pid == 0"
	};
	unsigned long command = commands[below(ELEMENTS(commands))], argument = below(2);
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_BREAKPOINT,
					.bp_type = HW_BREAKPOINT_W,
					.bp_len = 8 };
	uint64_t number = some_number();

	switch (command) {
	case PERF_EVENT_IOC_REFRESH:
		argument = chance(90) ? below(10) : some_number();
		break;
	case PERF_EVENT_IOC_PERIOD:
	case PERF_EVENT_IOC_ID:
		argument = (unsigned long)&number;
		break;
	case PERF_EVENT_IOC_SET_OUTPUT:
	case PERF_EVENT_IOC_SET_BPF:
		argument = (unsigned long)(chance(20) ? -1L : some_fd());
		break;
	case PERF_EVENT_IOC_SET_FILTER:
		argument = (unsigned long)filters[below(ELEMENTS(filters))];
		break;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		attr.bp_addr = (uint64_t)some_address();
		attr.disabled = chance(30);
		attr.exclude_kernel = chance(50);
		argument = (unsigned long)&attr;
		break;
	case PERF_EVENT_IOC_QUERY_BPF:
		argument = (unsigned long)watched;
	}
	if (chance(3))
		argument = (unsigned long)some_address();
	ioctl(some_fd(), command, argument);
}

static void op_map(void)
{
	struct area *area = &areas[below(AREAS)];
	size_t size = PAGE * (1 + (chance(95) ? 1UL << below(5) : below(40)));
	void *page = mmap(NULL, size, PROT_READ | (chance(80) ? PROT_WRITE : 0),
			  chance(97) ? MAP_SHARED : MAP_PRIVATE, some_fd(),
			  chance(97) ? 0 : PAGE * below(10));

	if (page == MAP_FAILED)
		return;
	shared->areas++;
	if (area->page)
		munmap(area->page, area->size);
	area->page = page;
	area->size = size;
}

static void op_unmap(void)
{
	struct area *area = &areas[below(AREAS)];

	if (!area->page)
		return;
	switch (below(4)) {
	case 0: /* the end of an area, which may refuse it */
		munmap((char *)area->page + PAGE, area->size - PAGE);
		return;
	case 1:
		mprotect(area->page, area->size, below(4));
		return;
	case 2:
		mremap(area->page, area->size, area->size * 2, MREMAP_MAYMOVE);
		return;
	default:
		munmap(area->page, area->size);
		area->page = NULL;
	}
}

/* Lies to the kernel about what has been read, through a pipe, because the page may be gone or read only. */
static void op_scribble(void)
{
	struct area *area = &areas[below(AREAS)];
	uint64_t value = chance(50) ? some_number() : 0;
	size_t offset =
		chance(50) ? offsetof(struct perf_event_mmap_page, data_tail) : 8 * below(PAGE / 8);
	int ends[2];

	if (!area->page || pipe2(ends, O_NONBLOCK))
		return;
	if (chance(70)) /* what a reader does */
		write(ends[1], &area->page->data_head, sizeof(value));
	else
		write(ends[1], &value, sizeof(value));
	read(ends[0], (char *)area->page + offset, sizeof(value));
	close(ends[0]);
	close(ends[1]);
}

static void op_wait(void)
{
	struct pollfd polled[3] = { { some_fd(), POLLIN, 0 },
				    { some_fd(), POLLIN, 0 },
				    { some_fd(), POLLIN, 0 } };
	struct epoll_event event = { .events = POLLIN };
	int epoll;

	if (chance(70)) {
		poll(polled, 3, (int)below(2));
		return;
	}
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0)
		return;
	for (int i = 0; i < 3; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, some_fd(), &event);
	epoll_wait(epoll, &event, 1, (int)below(2));
	close(epoll);
}

/* What events count. */
static void op_work(void)
{
	unsigned times = 1 + below(20);
	volatile char *pages;

	switch (below(6)) {
	case 0:
		pages = mmap(NULL, times * PAGE,
			     PROT_READ | PROT_WRITE | (chance(20) ? PROT_EXEC : 0),
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (unsigned i = 0; pages != MAP_FAILED && i < times; i++)
			pages[i * PAGE] = 1;
		munmap((void *)pages, times * PAGE);
		break;
	case 1:
		while (times--)
			syscall(SYS_getppid);
		break;
	case 2:
		while (times--)
			sched_yield();
		break;
	case 3:
		while (times--) {
			watched[times % ELEMENTS(watched)] = times;
			called();
		}
		break;
	case 4:
		for (unsigned i = 0; i < times * 20000; i++)
			__asm__ volatile("");
		break;
	default:
		prctl(PR_SET_NAME, chance(50) ? "fuzz_a" : "fuzz_b");
	}
}

static void op_signals(void)
{
	struct f_owner_ex owner = { .type = (int)below(3), .pid = getpid() };
	int fd = some_fd();

	fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	if (chance(50))
		fcntl(fd, F_SETSIG, SIGUSR1 + below(2) * (SIGUSR2 - SIGUSR1));
	fcntl(fd, F_SETOWN_EX, &owner);
}

static void op_move(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(below((unsigned)cpus), &set);
	if (chance(30))
		for (int i = 0; i < cpus; i++)
			CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *thread(void *seed)
{
	state = (uint64_t)(uintptr_t)seed | 1;
	memset(fds, -1, sizeof(fds));
	for (int i = 0; i < FDS; i++)
		fds[i] = 3 + i % 40;
	depth = DEPTH;
	shared->tasks[below(TASKS)] = (pid_t)syscall(SYS_gettid);
	live(CALLS / 4);
	return NULL;
}

static void op_thread(void)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 32 * 1024);
	pthread_create(&id, &attr, thread, (void *)(uintptr_t)next());
	pthread_attr_destroy(&attr);
}

static void op_fork(void)
{
	uint64_t seed = next();
	pid_t pid;

	if (depth >= DEPTH) {
		op_thread();
		return;
	}
	pid = fork();
	if (!pid) {
		state = seed | 1;
		depth++;
		shared->tasks[below(TASKS)] = getpid();
		live(CALLS / 2);
		_exit(0);
	}
	if (chance(50))
		waitpid(-1, NULL, chance(50) ? WNOHANG : 0);
}

/* The next program has the descriptors of events, and continues. */
static void op_exec(void)
{
	char text[2][24];

	if (depth >= DEPTH)
		return;
	snprintf(text[0], sizeof(text[0]), "%lu", (unsigned long)next());
	snprintf(text[1], sizeof(text[1]), "%u", depth + 1);
	execl("/proc/self/exe", "fuzz_perf", "-", text[0], text[1], NULL);
}

static void op_kill(void)
{
	pid_t pid = shared->tasks[below(TASKS)];

	/* Not the workers, nor a number that now belongs to someone else: only of the own family. */
	if (pid > 1 && getpgid(pid) == getpgid(0))
		kill(pid, chance(50) ? SIGKILL : SIGUSR1);
}

static void op_prctl(void)
{
	prctl(chance(50) ? PR_TASK_PERF_EVENTS_DISABLE : PR_TASK_PERF_EVENTS_ENABLE);
}

static const struct {
	void (*call)(void);
	unsigned weight;
} operations[] = {
	{ op_open, 30 }, { op_close, 8 },   { op_read, 12 },    { op_ioctl, 25 },
	{ op_map, 8 },   { op_unmap, 5 },   { op_scribble, 6 }, { op_wait, 6 },
	{ op_work, 20 }, { op_signals, 3 }, { op_move, 4 },     { op_thread, 2 },
	{ op_fork, 3 },  { op_exec, 1 },    { op_kill, 1 },     { op_prctl, 1 },
};

void live(unsigned calls)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < ELEMENTS(operations); i++)
		sum += operations[i].weight;
	while (calls--) {
		unsigned at = below(sum), i = 0;

		while (at >= operations[i].weight)
			at -= operations[i++].weight;
		operations[i].call();
	}
}
