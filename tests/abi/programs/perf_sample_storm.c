/*
 * Samples while everything goes away: a hostile data_tail, records longer than the buffer, events that are closed while they are mapped, tasks
 * that end, move and call exec, other outputs, epoll against munmap. Nothing is said but that all of it has ended.
 */
#include "perf.h"

#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>

#define PERIODS 5

static volatile int stop;

static struct perf_event_mmap_page *map(int fd, int data_pages, int prot)
{
	void *page = mmap(NULL, (size_t)(data_pages + 1) * PAGE, prot, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* Walks the records from data_tail to data_head. Returns how many were not as they must be. */
static unsigned long read_records(struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + PAGE;
	uint64_t size = page->data_size, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	unsigned long bad = 0;

	while (tail < head) {
		const struct perf_event_header *header = (const void *)(data + tail % size);

		if (header->size < 8 || header->size % 8 || header->type > PERF_RECORD_MAX || head - tail < header->size) {
			bad++;
			break;
		}
		tail += header->size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return bad;
}

static void work(void)
{
	volatile char *pages = fresh_pages(8);
	cpu_set_t set;

	touch(pages, 8);
	munmap((void *)pages, 8 * PAGE);
	CPU_ZERO(&set);
	CPU_SET(rand() % 2, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_yield();
	if (!fork())
		_exit(0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void *worker(void *unused)
{
	while (!stop)
		work();
	return unused;
}

/* Writes nonsense into the page that the kernel shares. */
static void *vandal(void *page)
{
	struct perf_event_mmap_page *shared = page;
	uint64_t n = 1;

	while (!stop) {
		n = n * 6364136223846793005UL + 1442695040888963407UL;
		shared->data_tail = n % 3 ? shared->data_head + (n >> 40) : n;
		if (n % 5 == 0)
			memset((char *)page + PAGE - 16, (int)n, 16);
		shared->data_head = n % 7 ? shared->data_head : n;
		shared->data_size = n;
	}
	return NULL;
}

static const uint64_t types[] = {
	PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE,
	PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_IDENTIFIER,
	PERF_SAMPLE_READ | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CALLCHAIN,
};
static const unsigned configs[] = { PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
				    PERF_COUNT_SW_CPU_MIGRATIONS };

static int sampler(int i, pid_t pid, int cpu, bool inherit)
{
	unsigned config = configs[i % 5];
	bool clock = config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK;
	uint64_t type = types[i % 4];

	return EVENT_ON(pid, cpu, -1, 0, .config = config, .sample_type = type, .sample_period = clock ? 50000 : 1 + i % 3,
			.inherit = inherit && !(type & PERF_SAMPLE_READ), .sample_regs_user = 0xff0fff, .sample_stack_user = 32768,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST,
			.sample_id_all = i % 2, .wakeup_events = 1, .write_backward = i % 7 == 3);
}

/* epoll waits for an event whose last reference its area is. */
static void epoll_and_munmap(void)
{
	int ep = epoll_create1(0), fd = sampler(0, 0, -1, false);
	struct perf_event_mmap_page *page = map(fd, 1, PROT_READ | PROT_WRITE);
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	close(fd);
	work();
	epoll_wait(ep, &event, 1, 0);
	munmap(page, 2 * PAGE);
	epoll_wait(ep, &event, 1, 0);
	close(ep);
}

/* One period: opens, maps, lets the others run, and takes all of it down in another order each time. */
static unsigned long period(int i, pid_t other)
{
	int fd = sampler(i, 0, i % 2 ? 0 : -1, false), of_cpu = sampler(i + 1, -1, i % 2, false), inherited = sampler(i + 2, 0, 1, true);
	int of_other = sampler(i + 3, other, -1, false), redirected = sampler(i, 0, i % 2 ? 0 : -1, false);
	struct perf_event_mmap_page *page = map(fd, 1 << i % 3, PROT_READ | PROT_WRITE), *shared = map(of_cpu, 1, PROT_READ | PROT_WRITE);
	struct perf_event_mmap_page *third = map(inherited, 2, PROT_READ | PROT_WRITE), *fourth = map(of_other, 4, PROT_READ);
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	pthread_t thread;
	unsigned long bad = 0;

	stop = 0;
	ioctl(redirected, PERF_EVENT_IOC_SET_OUTPUT, fd);
	pthread_create(&thread, NULL, vandal, shared);
	for (int n = 0; n < 6; n++) {
		uint64_t next = 1 + (unsigned)n % 3;

		work();
		poll(&polled, 1, 0);
		if (page && i % 7 != 3)
			bad += read_records(page);
		ioctl(fd, n % 2 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &next);
		ioctl(redirected, PERF_EVENT_IOC_SET_OUTPUT, n % 3 ? (long)fd : -1L);
		ioctl(inherited, PERF_EVENT_IOC_PAUSE_OUTPUT, n % 2);
	}
	if (i % 3 == 0)
		munmap(page, (size_t)((1 << i % 3) + 1) * PAGE);
	close(fd);
	close(inherited);
	work();
	if (i % 3)
		munmap(page, (size_t)((1 << i % 3) + 1) * PAGE);
	close(of_cpu);
	work();
	stop = 1;
	pthread_join(thread, NULL);
	munmap(shared, 2 * PAGE);
	munmap(third, 3 * PAGE);
	close(redirected);
	work();
	munmap(fourth, 5 * PAGE);
	close(of_other);
	epoll_and_munmap();
	return bad;
}

int main(int argc, char **argv)
{
	unsigned long bad = 0;
	pid_t pid;

	if (argc > 1)
		return 0;
	pid = fork();
	if (!pid) {
		pthread_t threads[3];

		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, worker, NULL);
		for (;;) {
			work();
			if (!vfork()) {
				execl("/proc/self/exe", "perf_sample_storm", "end", NULL);
				_exit(1);
			}
		}
	}
	for (int i = 0; i < PERIODS; i++)
		bad += period(i, pid);
	kill(pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	show("records that were not whole: %lu", bad);
	return 0;
}
