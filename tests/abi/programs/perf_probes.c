/* The kprobe and uprobe PMUs: a probe for as long as its event is open. */
#include "perf.h"

static unsigned kprobe, uprobe;
static char program[] = "/proc/self/exe";

__attribute__((noinline)) long called(long a)
{
	__asm__ volatile("" : "+r"(a));
	return a;
}

/* Where in its file a function of this program is. */
static unsigned long offset_of(void *function)
{
	char line[300];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long at = (unsigned long)function, begin, end, offset, found = 0;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && begin <= at && at < end)
			found = at - begin + offset;
	fclose(maps);
	return found;
}

#define KPROBE(name, at) .type = kprobe, .config = 0, .kprobe_func = (unsigned long)(name), .probe_offset = (at)
#define UPROBE(name, at) .type = uprobe, .config = 0, .uprobe_path = (unsigned long)(name), .probe_offset = (at)

static void kprobes(void)
{
	int fd, ret, zero = open("/dev/zero", O_RDONLY);
	char byte;
	long before;

	TRY("function", KPROBE("vfs_read", 0));
	TRY("return", KPROBE("vfs_read", 0), .config = 1);
	TRY("config 2", KPROBE("vfs_read", 0), .config = 2);
	TRY("no function of that name", KPROBE("no_such_function", 0));
	TRY("an empty name", KPROBE("", 0));
	TRY("a name at a bad address", KPROBE(8, 0));
	TRY("no name and no address", KPROBE(0, 0));
	TRY("an offset inside an instruction", KPROBE("vfs_read", 3));
	TRY("return at an offset", KPROBE("vfs_read", 5), .config = 1);
	TRY("exclude_kernel", KPROBE("vfs_read", 0), .exclude_kernel = 1);
	TRY("branches", KPROBE("vfs_read", 0), .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 8);
	fd = EVENT(KPROBE("vfs_read", 0));
	ret = EVENT(KPROBE("vfs_read", 0), .config = 1);
	before = count_of(fd);
	for (int i = 0; i < 10; i++)
		read(zero, &byte, 1);
	/* The read of the count passes by vfs_read, too. */
	show("10 reads: %ld, returns: %s", count_of(fd) - before - 1, count_of(ret) >= 10 ? "10 or more" : "less");
	said("SET_FILTER", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid == 1"));
	close(fd);
	close(ret);
	close(zero);
}

static void uprobes(void)
{
	unsigned long offset = offset_of(called);
	int fd, ret;

	TRY("uprobe: function", UPROBE(program, offset));
	TRY("uprobe: return", UPROBE(program, offset), .config = 1);
	TRY("uprobe: no file of that name", UPROBE("/no/such/file", offset));
	TRY("uprobe: a directory", UPROBE("/", 0));
	TRY("uprobe: an empty name", UPROBE("", 0));
	TRY("uprobe: no name", UPROBE(0, 0));
	TRY("uprobe: a name at a bad address", UPROBE(8, 0));
	TRY("uprobe: beyond the file", UPROBE(program, 1UL << 40));
	fd = EVENT(UPROBE(program, offset));
	ret = EVENT(UPROBE(program, offset), .config = 1);
	for (int i = 0; i < 7; i++)
		called(i);
	show("7 calls: %ld, returns: %ld", count_of(fd), count_of(ret));
	close(fd);
	close(ret);
	show("after close: %ld", called(3));
}

static void attempts(void)
{
	TRY("user: kprobe", KPROBE("vfs_read", 0));
	TRY("user: kprobe, exclude_kernel", KPROBE("vfs_read", 0), .exclude_kernel = 1);
	TRY("user: uprobe, exclude_kernel", UPROBE(program, offset_of(called)), .exclude_kernel = 1);
}

int main(void)
{
	kprobe = (unsigned)number_in("/sys/bus/event_source/devices/kprobe/type");
	uprobe = (unsigned)number_in("/sys/bus/event_source/devices/uprobe/type");
	TRUTH(kprobe > 5 && kprobe < 100);
	TRUTH(uprobe > 5 && uprobe < 100);
	kprobes();
	uprobes();
	set_sysctl("perf_event_paranoid", 2);
	as_user(attempts);
	set_sysctl("perf_event_paranoid", -1);
	as_user(attempts);
	set_sysctl("perf_event_paranoid", 2);
	return 0;
}
