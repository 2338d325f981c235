/* Breakpoints by perf_event_open(2): which are refused, what they count, how many a task may have. */
#include "perf.h"

#include <linux/hw_breakpoint.h>

#define BREAKPOINT(kind, address, length) .type = PERF_TYPE_BREAKPOINT, .config = 0, .bp_type = (kind), .bp_addr = (unsigned long)(address), .bp_len = (length)
#define HB_R                              HW_BREAKPOINT_R
#define HB_W                              HW_BREAKPOINT_W
#define HB_RW                             HW_BREAKPOINT_RW
#define HB_X                              HW_BREAKPOINT_X

static volatile uint64_t watched[4];

__attribute__((noinline)) static void called(void)
{
	__asm__ volatile("");
}

static void attempts(void)
{
	TRY("W 4", BREAKPOINT(HB_W, watched, 4));
	TRY("W 1", BREAKPOINT(HB_W, watched, 1));
	TRY("W 2", BREAKPOINT(HB_W, watched, 2));
	TRY("W 8", BREAKPOINT(HB_W, watched, 8));
	TRY("RW 4", BREAKPOINT(HB_RW, watched, 4));
	TRY("R 4", BREAKPOINT(HB_R, watched, 4));
	TRY("X 8", BREAKPOINT(HB_X, called, 8));
	TRY("X 4", BREAKPOINT(HB_X, called, 4));
	TRY("X 1", BREAKPOINT(HB_X, called, 1));
	TRY("W and X", BREAKPOINT(HB_W | HB_X, watched, 8));
	TRY("no type", BREAKPOINT(HW_BREAKPOINT_EMPTY, watched, 4));
	TRY("type 8", BREAKPOINT(8, watched, 4));
	TRY("W 3", BREAKPOINT(HB_W, watched, 3));
	TRY("W 0", BREAKPOINT(HB_W, watched, 0));
	TRY("W 16", BREAKPOINT(HB_W, watched, 16));
	TRY("W 4, not aligned", BREAKPOINT(HB_W, (char *)watched + 2, 4));
	TRY("W 2, not aligned", BREAKPOINT(HB_W, (char *)watched + 1, 2));
	TRY("W 4 at 0", BREAKPOINT(HB_W, 0, 4));
	TRY("W 8 below the end of user space", BREAKPOINT(HB_W, 0x7ffffffffff8, 8));
	TRY("W 8 at a kernel address", BREAKPOINT(HB_W, 0xffff888000000000, 8));
	TRY("W 8 at a kernel address, exclude_kernel", BREAKPOINT(HB_W, 0xffff888000000000, 8), .exclude_kernel = 1);
	TRY("W 8 at an address that is not canonical", BREAKPOINT(HB_W, 0x800000000000, 8));
	TRY("exclude_kernel", BREAKPOINT(HB_W, watched, 4), .exclude_kernel = 1);
	TRY("inherited", BREAKPOINT(HB_W, watched, 4), .inherit = 1);
	TRY("branches", BREAKPOINT(HB_W, watched, 4), .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 8);
	TRY("a period", BREAKPOINT(HB_W, watched, 4), .sample_period = 1);
}

static void counts(void)
{
	int write = EVENT(BREAKPOINT(HB_W, watched, 8), .exclude_kernel = 1), both = EVENT(BREAKPOINT(HB_RW, watched, 8), .exclude_kernel = 1);
	int run = EVENT(BREAKPOINT(HB_X, called, sizeof(long)), .exclude_kernel = 1), fd, zero = open("/dev/zero", O_RDONLY);
	uint64_t value = 0;
	pid_t pid;

	for (int i = 0; i < 3; i++)
		watched[0] = (unsigned)i;
	for (int i = 0; i < 2; i++)
		value += watched[0];
	watched[1] = value;
	for (int i = 0; i < 5; i++)
		called();
	show("3 writes, 2 reads, 5 calls: W %ld, RW %ld, X %ld", count_of(write), count_of(both), count_of(run));
	*((volatile char *)watched + 3) = 1;
	show("a write of a byte in it: %ld", count_of(write));
	close(write);
	close(both);
	close(run);
	fd = EVENT(BREAKPOINT(HB_W, watched, 8));
	show("read(2) to it: %zd bytes", read(zero, (void *)watched, 1));
	show("a write of the kernel: %ld", count_of(fd));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	watched[0] = 1;
	show("off: %ld", count_of(fd));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	watched[0] = 2;
	show("on: %ld", count_of(fd));
	pid = fork();
	if (!pid) {
		watched[0] = 3;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show("after a write of a child: %ld", count_of(fd));
	close(fd);
	fd = EVENT(BREAKPOINT(HB_W, watched, 8), .inherit = 1);
	pid = fork();
	if (!pid) {
		watched[0] = 3;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show("inherited, after a write of a child: %ld", count_of(fd));
	close(fd);
	close(zero);
}

static void modify(void)
{
	int fd = EVENT(BREAKPOINT(HB_W, watched, 8), .exclude_kernel = 1);

	watched[0] = 1;
	watched[1] = 1;
	show("at the first word: %ld", count_of(fd));
	said("MODIFY_ATTRIBUTES: the second word", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR(BREAKPOINT(HB_W, watched + 1, 8), .exclude_kernel = 1)));
	watched[0] = 2;
	watched[1] = 2;
	watched[1] = 3;
	show("then: %ld", count_of(fd));
	said("another type of event", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR()));
	said("another period", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR(BREAKPOINT(HB_W, watched, 8), .exclude_kernel = 1, .sample_period = 5)));
	said("a length of 3", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR(BREAKPOINT(HB_W, watched, 3), .exclude_kernel = 1)));
	said("a bad address", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (void *)8));
	said("disabled", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR(BREAKPOINT(HB_W, watched, 8), .exclude_kernel = 1, .disabled = 1)));
	watched[0] = 4;
	watched[1] = 4;
	show("then: %ld", count_of(fd));
	close(fd);
}

static void slots(void)
{
	int fd[6];

	for (int i = 0; i < 6; i++) {
		char what[20];

		snprintf(what, sizeof(what), "breakpoint %d", i + 1);
		fd[i] = EVENT(BREAKPOINT(HB_W, watched + i % 4, 8));
		said(what, fd[i]);
	}
	close(fd[1]);
	said("after the end of the second", fd[1] = EVENT(BREAKPOINT(HB_W, watched, 8)));
	TRY_ON("a fifth on CPU 0", -1, 0, -1, 0, BREAKPOINT(HB_W, watched, 8));
	for (int i = 0; i < 4; i++)
		close(fd[i]);
	for (int i = 0; i < 3; i++)
		fd[i] = EVENT_ON(-1, 0, -1, 0, BREAKPOINT(HB_W, watched, 8));
	said("a task's beside three of CPU 0", fd[3] = EVENT(BREAKPOINT(HB_W, watched, 8)));
	said("a second", fd[4] = EVENT(BREAKPOINT(HB_W, watched, 8)));
	TRY_ON("a second on CPU 1", 0, 1, -1, 0, BREAKPOINT(HB_W, watched, 8));
	for (int i = 0; i < 5; i++)
		close(fd[i]);
}

static void as_user_attempts(void)
{
	TRY("user: W 4", BREAKPOINT(HB_W, watched, 4));
	TRY("user: W 4, exclude_kernel", BREAKPOINT(HB_W, watched, 4), .exclude_kernel = 1);
	TRY("user: a kernel address", BREAKPOINT(HB_W, 0xffff888000000000, 8));
	TRY("user: a kernel address, exclude_kernel", BREAKPOINT(HB_W, 0xffff888000000000, 8), .exclude_kernel = 1);
	TRY("user: the border of the kernel, exclude_kernel", BREAKPOINT(HB_W, 0x7ffffffff000, 8), .exclude_kernel = 1);
}

static int taken[2], given[2];

/* A program may take all four for itself: then there is none for a CPU, whoever asks. */
static void take_all(void)
{
	char byte = 'x';

	for (int i = 0; i < 4; i++)
		said("user: another one", EVENT(BREAKPOINT(HB_W, watched + i, 8), .exclude_kernel = 1));
	write(taken[1], &byte, 1);
	read(given[0], &byte, 1);
}

static void of_cpu_beside_a_user(void)
{
	char byte = 'x';
	pid_t pid;

	pipe(taken);
	pipe(given);
	pid = fork();
	if (!pid) {
		as_user(take_all);
		_exit(0);
	}
	read(taken[0], &byte, 1);
	TRY_ON("beside a user's four, on CPU 0", -1, 0, -1, 0, BREAKPOINT(HB_W, watched, 8));
	TRY("for this task", BREAKPOINT(HB_W, watched, 8));
	write(given[1], &byte, 1);
	waitpid(pid, NULL, 0);
	TRY_ON("after the user's end, on CPU 0", -1, 0, -1, 0, BREAKPOINT(HB_W, watched, 8));
}

int main(void)
{
	attempts();
	counts();
	modify();
	slots();
	for (int level = 1; level <= 2; level++) {
		set_sysctl("perf_event_paranoid", level);
		as_user(as_user_attempts);
	}
	of_cpu_beside_a_user();
	return 0;
}
