/* What software events count: faults, switches, migrations, time; of children, threads, programs, CPUs, groups. */
#include "perf.h"

#include <pthread.h>
#include <sched.h>

#define MINOR .config = PERF_COUNT_SW_PAGE_FAULTS_MIN
#define MAJOR .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* The faults of ten fresh pages, counted by an event that is switched on only there. */
static long ten_faults(int fd)
{
	volatile char *pages = fresh_pages(10);

	/* Once for the pages of the code and of the stack. */
	for (int i = 0; i < 2; i++) {
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		if (i)
			touch(pages, 10);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	munmap((void *)pages, 10 * PAGE);
	return count_of(fd);
}

static void faults(void)
{
	int all = EVENT(.disabled = 1), minor = EVENT(MINOR, .disabled = 1), major = EVENT(MAJOR, .disabled = 1);
	int user = EVENT(.disabled = 1, .exclude_kernel = 1), kernel = EVENT(.disabled = 1, .exclude_user = 1);
	int dummy = EVENT(.config = PERF_COUNT_SW_DUMMY, .disabled = 1), alignment = EVENT(.config = PERF_COUNT_SW_ALIGNMENT_FAULTS, .disabled = 1);
	int zero = open("/dev/zero", O_RDONLY);
	volatile char *pages;

	show("ten pages: %ld faults, %ld minor, %ld major", ten_faults(all), ten_faults(minor), ten_faults(major));
	show("of user mode %ld, of the kernel %ld", ten_faults(user), ten_faults(kernel));
	show("dummy %ld, alignment faults %ld", ten_faults(dummy), ten_faults(alignment));
	pages = fresh_pages(4);
	ioctl(user, PERF_EVENT_IOC_RESET, 0);
	ioctl(kernel, PERF_EVENT_IOC_RESET, 0);
	ioctl(user, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(kernel, PERF_EVENT_IOC_ENABLE, 0);
	read(zero, (void *)pages, 3 * PAGE);
	ioctl(user, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(kernel, PERF_EVENT_IOC_DISABLE, 0);
	show("three pages that read(2) fills: of user mode %ld, of the kernel %ld", count_of(user), count_of(kernel));
	pages = fresh_pages(5);
	touch(pages, 5);
	show("while it is off: %ld", count_of(kernel));
	ioctl(kernel, PERF_EVENT_IOC_RESET, 0);
	show("after a reset: %ld", count_of(kernel));
	for (int fd = 3; fd < 20; fd++)
		close(fd);
}

static void *toucher(void *pages)
{
	touch(pages, 20);
	return NULL;
}

/* Children and threads add to the event of the task that has inherited it to them. */
static void inherited(void)
{
	volatile char *pages = fresh_pages(60);
	int fd = EVENT(.inherit = 1, .exclude_kernel = 1), own = EVENT(.exclude_kernel = 1);
	long before = count_of(fd), own_before = count_of(own), after;
	pthread_t thread;
	pid_t pid = fork();

	if (!pid) {
		touch(pages, 20);
		/* A copy of the descriptor reads the same event. */
		_exit(count_of(fd) - before >= 20 && !fork() ? (touch(pages + 20 * PAGE, 20), 0) : 0);
	}
	waitpid(pid, NULL, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
	after = count_of(fd);
	show("20 pages of a child: %s", after - before >= 20 ? "counted" : "not counted");
	pthread_create(&thread, NULL, toucher, (void *)pages);
	pthread_join(thread, NULL);
	show("20 pages of a thread: %s", count_of(fd) - after >= 20 ? "counted" : "not counted");
	show("event that is not inherited: %s", count_of(own) - own_before < count_of(fd) - before - 30 ? "less" : "as much");
	close(fd);
	close(own);
}

static void exec_enables(void)
{
	int hold[2], fd;
	long before;
	pid_t pid;

	pipe(hold);
	pid = fork();
	if (!pid) {
		char byte;

		read(hold[0], &byte, 1);
		execl("/proc/self/exe", "perf_counts", "touch", NULL);
		_exit(99);
	}
	fd = EVENT_ON(pid, -1, -1, 0, .disabled = 1, .enable_on_exec = 1, .exclude_kernel = 1);
	before = count_of(fd);
	write(hold[1], "x", 1);
	waitpid(pid, NULL, 0);
	show("before exec %ld, then %s", before, count_of(fd) >= 50 ? "50 or more" : "less than 50");
	close(fd);
	pid = fork();
	if (!pid) {
		char byte;

		read(hold[0], &byte, 1);
		execl("/proc/self/exe", "perf_counts", "touch", NULL);
		_exit(99);
	}
	fd = EVENT_ON(pid, -1, -1, 0, .remove_on_exec = 1, .exclude_kernel = 1);
	write(hold[1], "x", 1);
	waitpid(pid, NULL, 0);
	show("remove_on_exec: %s", count_of(fd) < 50 ? "less than 50" : "50 or more");
	close(fd);
	close(hold[0]);
	close(hold[1]);
}

static void switches(void)
{
	int fd = EVENT(.config = PERF_COUNT_SW_CONTEXT_SWITCHES), to[2], from[2];
	int user = EVENT(.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .exclude_kernel = 1);
	long before;
	pid_t pid;
	char byte;

	pipe(to);
	pipe(from);
	pin(0);
	pid = fork();
	if (!pid) {
		while (read(to[0], &byte, 1) == 1 && byte == 'x')
			write(from[1], &byte, 1);
		_exit(0);
	}
	before = count_of(fd);
	for (int i = 0; i < 100; i++) {
		write(to[1], "x", 1);
		read(from[0], &byte, 1);
	}
	show("100 answers of a child on the same CPU: %s", count_of(fd) - before >= 100 ? "100 switches or more" : "less than 100");
	show("with exclude_kernel: %ld", count_of(user));
	write(to[1], "e", 1);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(to[i]);
		close(from[i]);
	}
	close(fd);
	close(user);
	fd = EVENT(.config = PERF_COUNT_SW_CPU_MIGRATIONS);
	for (int i = 0; i < 3; i++) {
		pin(1);
		pin(0);
	}
	show("three ways to CPU 1 and back: %ld migrations", count_of(fd));
	close(fd);
}

static void cpus(void)
{
	int on0 = EVENT_ON(-1, 0, -1, 0, .exclude_kernel = 1, .disabled = 1), task0 = EVENT_ON(0, 0, -1, 0, .exclude_kernel = 1, .disabled = 1);
	int task1 = EVENT_ON(0, 1, -1, 0, .exclude_kernel = 1, .disabled = 1);

	pin(0);
	show("CPU 0: %s", ten_faults(on0) >= 10 ? "10 or more" : "less");
	show("own task on CPU 0 %ld, on CPU 1 %ld", ten_faults(task0), ten_faults(task1));
	close(on0);
	close(task0);
	close(task1);
}

struct times {
	uint64_t value, enabled, running;
};

/* Reads until the clock has come to a millisecond. A clock that stands still does not hold the program for ever. */
static void read_on(int fd, struct times *times)
{
	for (unsigned i = 0; i < 10000000 && read(fd, times, sizeof(*times)) == sizeof(*times) && times->value < 1000000; i++)
		;
}

static void times(void)
{
	struct times a = { 0 }, b = { 0 };
	const uint64_t format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	int fd = EVENT(.config = PERF_COUNT_SW_TASK_CLOCK, .read_format = format, .disabled = 1);
	int other = EVENT_ON(0, 1, -1, 0, .config = PERF_COUNT_SW_CPU_CLOCK, .read_format = format);

	read(fd, &a, sizeof(a));
	show("before it is on: value %lu, enabled %lu, running %lu", a.value, a.enabled, a.running);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	read_on(fd, &a);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read(fd, &a, sizeof(a));
	show("enabled as running: %s, value at most that: %s", a.enabled == a.running ? "yes" : "no", a.value <= a.enabled ? "yes" : "no");
	read(fd, &b, sizeof(b));
	show("while it is off: %s", a.value == b.value && a.enabled == b.enabled && a.running == b.running ? "the same" : "other");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	read(fd, &b, sizeof(b));
	show("after a reset: value %lu, times %s", b.value, a.enabled == b.enabled && a.running == b.running ? "the same" : "other");
	close(fd);
	/* This task is on CPU 0: an event of CPU 1 waits for it. */
	read(other, &a, sizeof(a));
	show("on the other CPU: value %lu, enabled %s, running %lu", a.value, a.enabled ? "more than 0" : "0", a.running);
	pin(1);
	read_on(other, &b);
	show("there: running %s, less than enabled: %s", b.running >= 1000000 ? "as long" : "not", b.running < b.enabled ? "yes" : "no");
	close(other);
	pin(0);
}

/* The members of a group count only while their leader does. */
static void groups(void)
{
	int leader = EVENT(.config = PERF_COUNT_SW_DUMMY, .disabled = 1), member = EVENT_ON(0, -1, leader, 0, .exclude_kernel = 1);
	int off = EVENT_ON(0, -1, leader, 0, .exclude_kernel = 1, .disabled = 1);
	volatile char *pages = fresh_pages(30);
	long before;

	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	before = count_of(member);
	touch(pages, 10);
	show("leader off: %ld", count_of(member) - before);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages + 10 * PAGE, 10);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	show("leader on: %ld", count_of(member) - before);
	show("a member that is off: %ld", count_of(off));
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	touch(pages + 20 * PAGE, 10);
	ioctl(member, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	show("after ENABLE of the group: %ld and %ld", count_of(member) - before, count_of(off));
	ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	show("after RESET of the group: %ld and %ld", count_of(member), count_of(off));
	close(leader);
	close(member);
	close(off);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		touch(fresh_pages(50), 50);
		return 0;
	}
	faults();
	inherited();
	exec_enables();
	switches();
	cpus();
	times();
	groups();
	return 0;
}
