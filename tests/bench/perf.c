/*
 * Measures what perf_event_open(2) costs, in instructions: counting, samples, reads, switches, faults, forks. A static program
 * that runs on nop5 and on Linux, on one CPU under QEMU with -icount shift=0, where the TSC counts instructions.
 *
 * Prints a line "NAME INSTRUCTIONS" for each figure, or "NAME -" if the kernel refuses its event. Each figure is the cost
 * of an operation with the event, less that of the same operation without.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operations.h"

#define BUFFER_PAGES 128
#define SAMPLES      1000
#define ID_FILE      "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"
#define CLOCK_PERIOD 100000 /* nanoseconds, and instructions */

#define ATTR(...) (&(struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), __VA_ARGS__ })
#define SYS_ENTER .type = PERF_TYPE_TRACEPOINT, .config = sys_enter_id

static unsigned long sys_enter_id;
static int event = -1; /* of the figure that is measured */

static int open_event(struct perf_event_attr *attr, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
}

static void op_getppid(void)
{
	call4(SYS_getppid, 0, 0, 0, 0);
}

static void op_read(void)
{
	unsigned long words[4];

	expect(call4(SYS_read, event, (long)words, sizeof(words), 0) > 0, "read");
}

static void op_enable(void)
{
	expect(!call4(SYS_ioctl, event, PERF_EVENT_IOC_DISABLE, 0, 0) && !call4(SYS_ioctl, event, PERF_EVENT_IOC_ENABLE, 0, 0), "ioctl");
}

static void op_open(void)
{
	int fd = open_event(ATTR(.config = PERF_COUNT_SW_PAGE_FAULTS), -1);

	expect(fd >= 0 && !close(fd), "perf_event_open");
}

static long faults(void)
{
	return (long)measure_fault(1000);
}

static long switches(void)
{
	return (long)measure_pipe(2000);
}

static long forks(void)
{
	return measure(op_fork, 200);
}

static long calls(void)
{
	return measure(op_getppid, 5000);
}

/* The cost of work() with events of attr, four of them for `count` 4, less that without. */
static long more(long (*work)(void), struct perf_event_attr *attr, int cpu, int count)
{
	long before = work(), with;
	int fd[4];

	for (int i = 0; i < count; i++) {
		fd[i] = open_event(attr, cpu);
		if (fd[i] < 0)
			return -1;
	}
	with = work();
	for (int i = 0; i < count; i++)
		close(fd[i]);
	return with > before ? with - before : 0;
}

static struct perf_event_mmap_page *map_buffer(int fd)
{
	void *page = mmap(NULL, (BUFFER_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* A sample of sys_enter for each getppid. The buffer is large enough for all of them, so nobody is woken and nothing is lost. */
static long sample(struct perf_event_attr *attr)
{
	long before = measure(op_getppid, SAMPLES), with;
	struct perf_event_mmap_page *page;
	int fd;

	attr->sample_period = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = 1U << 30;
	fd = open_event(attr, -1);
	page = fd < 0 ? NULL : map_buffer(fd);
	if (!page)
		return -1;
	with = measure(op_getppid, SAMPLES);
	expect(page->data_head > SAMPLES * 16 && page->data_head < BUFFER_PAGES * PAGE, "samples");
	munmap(page, (BUFFER_PAGES + 1) * PAGE);
	close(fd);
	return with - before;
}

/* Frames for call chains of the program. */
__attribute__((noinline)) static unsigned long spin(unsigned long instructions)
{
	unsigned long begin = __rdtsc();

	for (unsigned long i = 0; i < instructions / 4; i++)
		__asm__ volatile("nop\nnop" ::: "memory");
	return __rdtsc() - begin;
}

/* A sample of cpu-clock in a loop of the program, the timer's interrupt with it. */
static long clock_sample(struct perf_event_attr *attr)
{
	unsigned long work = 100UL * CLOCK_PERIOD, before = spin(work), with, first;
	struct perf_event_mmap_page *page;
	unsigned samples = 0;
	int fd;

	attr->sample_period = CLOCK_PERIOD;
	attr->watermark = 1;
	attr->wakeup_watermark = 1U << 30;
	fd = open_event(attr, -1);
	page = fd < 0 ? NULL : map_buffer(fd);
	if (!page)
		return -1;
	spin(work / 10);
	first = page->data_head;
	with = spin(work);
	for (unsigned long at = first; at < page->data_head; samples++)
		at += ((struct perf_event_header *)((char *)page + PAGE + at % (BUFFER_PAGES * PAGE)))->size;
	munmap(page, (BUFFER_PAGES + 1) * PAGE);
	close(fd);
	expect(samples > 50, "clock samples");
	return (long)(with - before) / samples;
}

static long operation(void (*op)(void), unsigned n)
{
	long each;

	event = open_event(ATTR(.config = PERF_COUNT_SW_PAGE_FAULTS), -1);
	if (event < 0)
		return -1;
	each = measure(op, n);
	close(event);
	return each;
}

static void print(const char *name, long value)
{
	if (value < 0)
		printf("%s -\n", name);
	else
		printf("%s %ld\n", name, value);
	fflush(stdout);
}

#define TIMED (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define RAW   (TIMED | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

int main(void)
{
	char text[32] = "";
	int file = open(ID_FILE, O_RDONLY);

	expect(file >= 0 && read(file, text, sizeof(text) - 1) > 0, ID_FILE);
	close(file);
	sys_enter_id = strtoul(text, NULL, 10);
	print("perf_count", more(calls, ATTR(SYS_ENTER), -1, 1));
	print("perf_count_cpu", more(calls, ATTR(SYS_ENTER), 0, 1));
	print("perf_sample_ip", sample(ATTR(SYS_ENTER, .sample_type = PERF_SAMPLE_IP)));
	print("perf_sample_time", sample(ATTR(SYS_ENTER, .sample_type = TIMED)));
	print("perf_sample_raw", sample(ATTR(SYS_ENTER, .sample_type = RAW)));
	print("perf_sample_chain", sample(ATTR(SYS_ENTER, .sample_type = RAW | PERF_SAMPLE_CALLCHAIN, .exclude_callchain_user = 1)));
	print("perf_clock", clock_sample(ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = TIMED)));
	print("perf_clock_chain", clock_sample(ATTR(.config = PERF_COUNT_SW_CPU_CLOCK, .sample_type = TIMED | PERF_SAMPLE_CALLCHAIN)));
	print("perf_read", operation(op_read, 5000));
	print("perf_enable", operation(op_enable, 2000));
	print("perf_open", operation(op_open, 500));
	print("perf_switch_inherit", more(switches, ATTR(.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .inherit = 1), -1, 4));
	print("perf_switch_own", more(switches, ATTR(.config = PERF_COUNT_SW_CONTEXT_SWITCHES), -1, 1));
	print("perf_fault", more(faults, ATTR(.config = PERF_COUNT_SW_PAGE_FAULTS), -1, 1));
	print("perf_fork", more(forks, ATTR(.config = PERF_COUNT_SW_PAGE_FAULTS, .inherit = 1), -1, 1));
	return 0;
}
