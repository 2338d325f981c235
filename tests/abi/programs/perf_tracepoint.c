/* Events of tracepoints: which numbers are refused, what a counter and its filter count, who may. */
#include "perf.h"

static int id_getppid, id_enter, id_function, id_print, id_switch;

static int id_of(const char *event)
{
	char path[100];

	snprintf(path, sizeof(path), "t/events/%s/id", event);
	return number_in(path);
}

#define TRACEPOINT(id) .type = PERF_TYPE_TRACEPOINT, .config = (unsigned)(id)

static void call(int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* How many of 10 calls an event counts. */
static long counted(int fd)
{
	long before = count_of(fd);

	call(10);
	return count_of(fd) - before;
}

static void numbers(void)
{
	TRY("the event", TRACEPOINT(id_getppid));
	TRY("number 0", TRACEPOINT(0));
	TRY("number 99999", TRACEPOINT(99999));
	TRY("a number and bit 32", TRACEPOINT(id_getppid) | 1UL << 32);
	TRY("with SAMPLE_RAW", TRACEPOINT(id_getppid), .sample_type = PERF_SAMPLE_RAW);
	TRY("sampled", TRACEPOINT(id_getppid), .sample_period = 1, .sample_type = 0x7ff);
	TRY("sampled, with branches", TRACEPOINT(id_getppid), .sample_period = 1, .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 8);
	TRY("with a frequency", TRACEPOINT(id_getppid), .freq = 1, .sample_freq = 99);
	TRY("inherited", TRACEPOINT(id_getppid), .inherit = 1);
	TRY("exclude_kernel", TRACEPOINT(id_getppid), .exclude_kernel = 1);
	TRY("exclude_user", TRACEPOINT(id_getppid), .exclude_user = 1);
	TRY_ON("on CPU 0", -1, 0, -1, 0, TRACEPOINT(id_getppid));
	TRY("ftrace:function", TRACEPOINT(id_function));
	TRY("ftrace:print", TRACEPOINT(id_print));
}

static void counts(void)
{
	int fd = EVENT(TRACEPOINT(id_getppid)), user = EVENT(TRACEPOINT(id_getppid), .exclude_kernel = 1), off = EVENT(TRACEPOINT(id_getppid), .disabled = 1);
	int kernel = EVENT(TRACEPOINT(id_getppid), .exclude_user = 1), user_enter = EVENT(TRACEPOINT(id_enter), .exclude_kernel = 1);
	int kernel_enter = EVENT(TRACEPOINT(id_enter), .exclude_user = 1);
	int second = EVENT(TRACEPOINT(id_getppid)), inherited = EVENT(TRACEPOINT(id_getppid), .inherit = 1), cpus[2];
	pid_t pid;

	show("10 calls: %ld", counted(fd));
	show("again: %ld", counted(fd));
	/* An event of one system call has the registers of its caller, one of all of them its own. */
	show("exclude_kernel: %ld, exclude_user: %ld", counted(user), counted(kernel));
	show("sys_enter, exclude_kernel: %ld, exclude_user: %s", counted(user_enter), counted(kernel_enter) >= 10 ? "10 or more" : "less");
	show("off: %ld", counted(off));
	show("two events of it: %ld and %ld", count_of(fd) == count_of(second) ? 1L : 0L, counted(second));
	pid = fork();
	if (!pid) {
		call(5);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show("5 calls of a child, with its parent's: %ld", count_of(inherited));
	show("5 calls of a child, without: %ld", count_of(fd));
	for (int cpu = 0; cpu < 2; cpu++)
		cpus[cpu] = EVENT_ON(-1, cpu, -1, 0, TRACEPOINT(id_getppid));
	call(10);
	show("10 calls on two CPUs: %s", count_of(cpus[0]) + count_of(cpus[1]) >= 10 ? "10 or more" : "less");
	for (int i = 3; i < 20; i++)
		close(i);
}

/* How many of 10 calls a new event with this filter counts. An event has one filter for its life. */
static void filtered(const char *filter)
{
	int fd = EVENT(TRACEPOINT(id_enter));

	said(filter, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter));
	show("10 calls of 110: %s", counted(fd) >= 10 ? "10 or more" : "less");
	close(fd);
}

static void filters(void)
{
	int fd = EVENT(TRACEPOINT(id_enter)), inherited = EVENT(TRACEPOINT(id_getppid), .inherit = 1);
	char text[64];
	pid_t pid;

	filtered("id == 110");
	filtered("id == 111");
	filtered("id == 111 || id == 110 && common_pid > 0");
	filtered("nosuch == 1");
	filtered("id ==");
	filtered("");
	filtered("0");
	said("id == 110", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 110"));
	show("10 calls of 110, and reads of the count: %ld", counted(fd));
	said("another filter", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 111"));
	said("half a filter", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id =="));
	said("a bad address", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)8));
	show("10 calls of 110, and reads of the count: %ld", counted(fd));
	snprintf(text, sizeof(text), "common_pid != %d", getpid());
	said("not this task", ioctl(inherited, PERF_EVENT_IOC_SET_FILTER, text));
	show("10 calls of its own: %ld", counted(inherited));
	pid = fork();
	if (!pid) {
		call(10);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show("10 calls of a child, after 90 of its own before it had a filter: %ld", count_of(inherited));
	said("QUERY_BPF", ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &(struct perf_event_query_bpf){ 0 }));
	close(fd);
	close(inherited);
}

/* The record in a sample is the one that tracefs describes: common fields, then the event's. */
static void raw(void)
{
	int fd = EVENT(TRACEPOINT(id_enter), .sample_period = 1, .disabled = 1, .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER);
	struct perf_event_mmap_page *page = map_buffer(fd, 2);
	struct {
		struct perf_event_header header;
		uint64_t id, period;
		uint32_t size;
		struct {
			uint16_t type;
			uint8_t flags, preempt;
			int32_t pid;
			int64_t nr;
			uint64_t args[6];
		} __attribute__((packed)) entry;
	} __attribute__((packed)) *sample = (void *)((char *)page + PAGE);
	uint64_t id = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	said("filter", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 9"));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	syscall(SYS_mmap, 1, 2, 3, 4, 5, 6);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show("bytes %llu, type %u, mode %u, size %u, id %s, period %lu", page->data_head, sample->header.type, sample->header.misc & 7, sample->header.size,
	     sample->id == id ? "own" : "other", sample->period);
	show("raw: size %u, type %s, pid %s, nr %ld, arguments %lu %lu %lu %lu %lu %lu", sample->size, sample->entry.type == id_enter ? "right" : "wrong",
	     sample->entry.pid == getpid() ? "own" : "other", sample->entry.nr, sample->entry.args[0], sample->entry.args[1], sample->entry.args[2],
	     sample->entry.args[3], sample->entry.args[4], sample->entry.args[5]);
	munmap(page, 3 * PAGE);
	close(fd);
}

static void attempts(void)
{
	TRY("a counter", TRACEPOINT(id_getppid));
	TRY("a counter, exclude_kernel", TRACEPOINT(id_getppid), .exclude_kernel = 1);
	TRY("raw, exclude_kernel", TRACEPOINT(id_getppid), .exclude_kernel = 1, .sample_type = PERF_SAMPLE_RAW);
	TRY("sampled, exclude_kernel", TRACEPOINT(id_getppid), .exclude_kernel = 1, .sample_period = 1);
	TRY_ON("CPU 0, exclude_kernel", -1, 0, -1, 0, TRACEPOINT(id_getppid), .exclude_kernel = 1);
	TRY("number 99999, exclude_kernel", TRACEPOINT(99999), .exclude_kernel = 1);
	TRY("sched_switch, raw, exclude_kernel", TRACEPOINT(id_switch), .exclude_kernel = 1, .sample_type = PERF_SAMPLE_RAW);
	TRY("ftrace:function, exclude_kernel", TRACEPOINT(id_function), .exclude_kernel = 1);
}

int main(void)
{
	mount_tracefs();
	id_getppid = id_of("syscalls/sys_enter_getppid");
	id_enter = id_of("raw_syscalls/sys_enter");
	id_function = id_of("ftrace/function");
	id_print = id_of("ftrace/print");
	id_switch = id_of("sched/sched_switch");
	umount_tracefs();
	numbers();
	counts();
	filters();
	raw();
	for (int level = -1; level <= 3; level++) {
		set_sysctl("perf_event_paranoid", level);
		show("user, perf_event_paranoid %d", level);
		as_user(attempts);
	}
	set_sysctl("perf_event_paranoid", 2);
	return 0;
}
