/* What a counter's descriptor can do: read, write, seek, poll, ioctl, and in which order they refuse. */
#include "perf.h"

static int polled(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN | POLLOUT };

	poll(&one, 1, 0);
	return one.revents;
}

static void files(int fd)
{
	char name[64] = "";
	uint64_t words[8] = { 0 };

	readlink("/proc/self/fd/3", name, sizeof(name) - 1);
	show("its name: %s", name);
	said("read of 0 bytes", read(fd, words, 0));
	said("read of 4 bytes", read(fd, words, 4));
	show("read of 8 bytes: %zd", read(fd, words, 8));
	show("read of 64 bytes: %zd", read(fd, words, 64));
	said("read to a bad address", read(fd, (void *)8, 8));
	show("pread at 100: %zd", pread(fd, words, 8, 100));
	said("write", write(fd, words, 8));
	said("lseek", lseek(fd, 0, SEEK_SET));
	said("ftruncate", ftruncate(fd, 0));
	show("poll without a buffer: %#x", polled(fd));
	said("O_NONBLOCK", fcntl(fd, F_SETFL, O_NONBLOCK));
	show("read of 8 bytes with O_NONBLOCK: %zd", read(fd, words, 8));
}

/* Words that read(2) gives for each read format, of an event and of a group of two. */
static void formats(void)
{
	for (unsigned format = 0; format < 32; format++) {
		uint64_t words[16];
		int leader = EVENT(.read_format = format), member = EVENT_ON(0, -1, leader, 0, .read_format = format);

		show("format %#x: %zd bytes, member %zd", format, read(leader, words, sizeof(words)), read(member, words, sizeof(words)));
		if (format == 0xf) {
			uint64_t id = 0, other = 0;

			ioctl(leader, PERF_EVENT_IOC_ID, &id);
			ioctl(member, PERF_EVENT_IOC_ID, &other);
			read(leader, words, sizeof(words));
			show("group of %lu, ids %s, enabled %s running", words[0], words[4] == id && words[6] == other && id != other ? "right" : "wrong",
			     words[1] == words[2] ? "as" : "not as");
			said("read of the leader's part of the group", read(leader, words, 40));
		}
		if (format == 0x17) {
			read(leader, words, sizeof(words));
			show("lost %lu", words[4]);
		}
		close(member);
		close(leader);
	}
}

static void ioctls(int fd)
{
	uint64_t id = 0, zero = 0, ten = 10;
	int other = open("/dev/null", O_RDONLY);

	said("ENABLE", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	said("ENABLE again", ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	said("DISABLE", ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	said("DISABLE of the group", ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	said("ENABLE with flag 2", ioctl(fd, PERF_EVENT_IOC_ENABLE, 2));
	said("RESET", ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	said("REFRESH 0", ioctl(fd, PERF_EVENT_IOC_REFRESH, 0));
	said("REFRESH 1", ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	said("PERIOD 0", ioctl(fd, PERF_EVENT_IOC_PERIOD, &zero));
	said("PERIOD 10", ioctl(fd, PERF_EVENT_IOC_PERIOD, &ten));
	said("PERIOD at a bad address", ioctl(fd, PERF_EVENT_IOC_PERIOD, (void *)8));
	said("ID", ioctl(fd, PERF_EVENT_IOC_ID, &id));
	said("ID to a bad address", ioctl(fd, PERF_EVENT_IOC_ID, (void *)8));
	TRUTH(id > 0);
	said("SET_OUTPUT -1", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L));
	said("SET_OUTPUT to itself", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
	said("SET_OUTPUT to 55", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 55));
	said("SET_OUTPUT to another file", ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other));
	said("SET_FILTER", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 1"));
	said("SET_FILTER at a bad address", ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (void *)8));
	said("SET_BPF of 55", ioctl(fd, PERF_EVENT_IOC_SET_BPF, 55));
	said("PAUSE_OUTPUT without a buffer", ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	said("MODIFY_ATTRIBUTES", ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &ATTR()));
	said("an unknown request of perf", ioctl(fd, _IO('$', 99), 0));
	said("TCGETS", ioctl(fd, 0x5401, &id));
	close(other);
}

static void groups(void)
{
	int leader = EVENT(), member, on_cpu = EVENT_ON(0, 0, -1, 0, ), of_cpu = EVENT_ON(-1, 0, -1, 0, ), of_child;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	of_child = EVENT_ON(child, -1, -1, 0, );
	member = EVENT_ON(0, -1, leader, 0, );
	said("a member", member);
	TRY_ON("a member of a member", 0, -1, member, 0, );
	TRY_ON("a member with another type", 0, -1, leader, 0, .config = PERF_COUNT_SW_TASK_CLOCK);
	TRY_ON("a member that the PMU refuses", 0, -1, leader, 0, .type = PERF_TYPE_HARDWARE);
	TRY_ON("a member that is pinned", 0, -1, leader, 0, .pinned = 1);
	TRY_ON("a member that is exclusive", 0, -1, leader, 0, .exclusive = 1);
	TRY_ON("a member that is inherited, as its leader is not", 0, -1, leader, 0, .inherit = 1);
	TRY_ON("a member with another clock", 0, -1, leader, 0, .use_clockid = 1, .clockid = CLOCK_MONOTONIC);
	TRY_ON("a member on one CPU", 0, 0, leader, 0, );
	TRY_ON("a member on each CPU", 0, -1, on_cpu, 0, );
	TRY_ON("a member of another CPU", 0, 1, on_cpu, 0, );
	TRY_ON("a task in the group of a CPU", 0, 0, of_cpu, 0, );
	TRY_ON("a CPU in the group of a task", -1, 0, on_cpu, 0, );
	TRY_ON("a member in the group of a child", 0, -1, of_child, 0, );
	TRY_ON("a child in the group of its parent", child, -1, leader, 0, );
	TRY_ON("FD_NO_GROUP with a group of a child", 0, -1, of_child, PERF_FLAG_FD_NO_GROUP, );
	TRY_ON("FD_OUTPUT", 0, -1, leader, PERF_FLAG_FD_OUTPUT, );
	close(leader);
	show("a member whose leader is closed: %zd bytes", read(member, (uint64_t[1]){ 0 }, 8));
	TRY_ON("a member of it", 0, -1, member, 0, );
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	show("poll of an event whose task is dead: %#x", polled(of_child));
	show("read of it: %zd bytes", read(of_child, (uint64_t[1]){ 0 }, 8));
	said("ENABLE of it", ioctl(of_child, PERF_EVENT_IOC_ENABLE, 0));
	close(of_child);
	close(member);
	close(on_cpu);
	close(of_cpu);
}

int main(void)
{
	int fd = EVENT(.disabled = 1);

	files(fd);
	ioctls(fd);
	close(fd);
	formats();
	groups();
	return 0;
}
