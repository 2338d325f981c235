/* Many counters while tasks come, go, call exec, and counters are opened and closed around them: each fault is counted once. */
#include "perf.h"

#include <pthread.h>

#define COUNTERS 24
#define CHILDREN 6
#define ROUNDS   4
#define PAGES    40

static volatile bool stop;

static void *toucher(void *pages)
{
	touch(pages, PAGES);
	return NULL;
}

/* Its own pages, those of a thread, those of a child, and those of the program that it becomes. */
static void child(void)
{
	volatile char *pages = fresh_pages(3 * PAGES);
	pthread_t thread;
	pid_t pid;

	touch(pages, PAGES);
	pthread_create(&thread, NULL, toucher, (void *)(pages + PAGES));
	pid = fork();
	if (!pid) {
		touch(pages + 2 * PAGES, PAGES);
		_exit(0);
	}
	pthread_join(thread, NULL);
	waitpid(pid, NULL, 0);
	execl("/proc/self/exe", "perf_storm", "touch", NULL);
	_exit(99);
}

/* Opens and closes events of all kinds while the others fork, and switches them. */
static void *opener(void *unused)
{
	for (unsigned i = 0; !stop; i++) {
		int leader = EVENT(.inherit = 1, .config = i % 7), member = EVENT_ON(0, -1, leader, 0, .inherit = 1, .exclude_kernel = i % 2);
		int of_cpu = EVENT_ON(-1, i % 2, -1, 0, .config = i % 7), other = EVENT_ON(getpid(), -1, -1, 0, .inherit = 1, .disabled = 1, .enable_on_exec = 1);

		ioctl(leader, PERF_EVENT_IOC_DISABLE, i % 3 ? PERF_IOC_FLAG_GROUP : 0);
		ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
		count_of(member);
		count_of(other);
		close(i % 2 ? leader : member);
		ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
		close(i % 2 ? member : leader);
		close(of_cpu);
		close(other);
	}
	return unused;
}

static void all(const int *counters, unsigned long request)
{
	for (int i = 0; i < COUNTERS; i++)
		ioctl(counters[i], request, 0);
}

int main(int argc, char **argv)
{
	int counters[COUNTERS];
	pthread_t thread;
	long first = 0, equal = 0;
	uint64_t formatted[4];

	if (argc > 1) {
		touch(fresh_pages(PAGES), PAGES);
		return 0;
	}
	/* Odd ones are hit, even ones are read. */
	for (int i = 0; i < COUNTERS; i++)
		counters[i] = EVENT(.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .inherit = 1, .disabled = 1, .exclude_hv = i % 2, .exclude_idle = i % 2);
	/* Once without counting, so that no page is missing between the first and the last one. */
	for (int request = 0; request < 2; request++) {
		all(counters, PERF_EVENT_IOC_ENABLE);
		if (!request)
			all(counters, PERF_EVENT_IOC_DISABLE), all(counters, PERF_EVENT_IOC_RESET);
	}
	pthread_create(&thread, NULL, opener, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CHILDREN; i++)
			if (!fork())
				child();
		/* A reader at any time sees no more than at the end. */
		for (int i = 0; i < COUNTERS; i++)
			first = count_of(counters[i]) > first ? count_of(counters[i]) : first;
		while (waitpid(-1, NULL, 0) > 0)
			;
	}
	stop = true;
	pthread_join(thread, NULL);
	all(counters, PERF_EVENT_IOC_DISABLE);
	TRUTH(count_of(counters[0]) >= ROUNDS * CHILDREN * 4 * PAGES);
	TRUTH(first <= count_of(counters[0]));
	for (int i = 0; i < COUNTERS; i++)
		equal += count_of(counters[i]) == count_of(counters[0]);
	show("counters that agree: %ld", equal);
	for (int i = 0; i < COUNTERS; i++)
		close(counters[i]);
	/* Without the others, and with times: all have ended, so nothing changes any more. */
	counters[0] = EVENT(.config = PERF_COUNT_SW_TASK_CLOCK, .inherit = 1, .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	for (int i = 0; i < CHILDREN; i++)
		if (!fork())
			child();
	while (waitpid(-1, NULL, 0) > 0)
		;
	ioctl(counters[0], PERF_EVENT_IOC_DISABLE, 0);
	read(counters[0], formatted, sizeof(formatted));
	TRUTH(formatted[0] > 0);
	TRUTH(formatted[1] == formatted[2]);
	TRUTH(formatted[0] <= formatted[1]);
	return 0;
}
