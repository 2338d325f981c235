/* Samples of cpu-clock and task-clock: periods, frequencies, where they land. */
#include "perf.h"

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t period;
};

/* The program spins here and calls nothing, until the kernel has written enough, or it is sure that it never will. */
__attribute__((noinline)) static void spin(volatile struct perf_event_mmap_page *page, uint64_t bytes)
{
	for (uint64_t i = 0; page->data_head < bytes && i < 1UL << 32; i++)
		;
}

/* Ten samples of an event, while the task spins. */
static void sampled(const char *what, struct perf_event_attr attr)
{
	const unsigned samples = 10;
	struct perf_event_mmap_page *page;
	unsigned user = 0, own = 0, sized = 0;
	uint64_t periods[2] = { ~0UL, 0 };
	int fd;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (said(what, fd) < 0)
		return;
	page = map_buffer(fd, 8);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(page, samples * sizeof(struct sample));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned i = 0; i < samples; i++) {
		struct sample *sample = (struct sample *)((char *)page + PAGE) + i;

		sized += sample->header.type == PERF_RECORD_SAMPLE && sample->header.size == sizeof(*sample);
		user += (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER && sample->ip >> 47 == 0;
		own += sample->pid == (uint32_t)getpid();
		periods[0] = sample->period < periods[0] ? sample->period : periods[0];
		periods[1] = sample->period > periods[1] ? sample->period : periods[1];
	}
	show("samples %u, in user mode %u, own %u, periods %lu to %lu", sized, user, own, periods[0], periods[1]);
	munmap(page, 9 * PAGE);
	close(fd);
}

int main(void)
{
	sampled("cpu-clock each ms", ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000));
	sampled("task-clock each ms", ATTR(.config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000));
	sampled("cpu-clock 1,000 times a second", ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = 1000));
	sampled("cpu-clock 4,000 times a second", ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = 4000));
	sampled("cpu-clock with precise_ip", ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = 1000, .precise_ip = 3));
	return 0;
}
