/* perf_event_open(2): the attributes of counters that it refuses and accepts, types, sizes, flags, targets. */
#include "perf.h"

static void types(void)
{
	TRY("hardware: cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES);
	TRY("hardware: instructions", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS);
	TRY("hardware: config 99", .type = PERF_TYPE_HARDWARE, .config = 99);
	TRY("cache: L1 data, reads, misses", .type = PERF_TYPE_HW_CACHE, .config = 0x10000);
	TRY("raw", .type = PERF_TYPE_RAW, .config = 0x3c);
	TRY("type 77", .type = 77);
	TRY("the last type", .type = 0xffffffff);
	for (int config = 0; config <= 12; config++) {
		char what[40];

		snprintf(what, sizeof(what), "software: config %d", config);
		TRY(what, .config = (unsigned)config);
	}
	TRY("software: config 1 << 32", .config = 1UL << 32);
}

/* A struct of the given size, whose byte at `dirty` is 1. Says what came of it, and the size that the kernel has left there. */
static void sized(const char *what, uint32_t size, int dirty)
{
	char *bytes = calloc(2, PAGE);
	struct perf_event_attr *attr = (struct perf_event_attr *)bytes;
	int fd;

	*attr = ATTR(.size = size);
	if (dirty)
		bytes[dirty] = 1;
	fd = perf_open(attr, 0, -1, -1, 0);
	show("%s -> %s, size %u", what, fd >= 0 ? "ok" : error_name(errno), attr->size);
	if (fd >= 0)
		close(fd);
	free(bytes);
}

static void sizes(void)
{
	char *read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sized("size 0", 0, 0);
	sized("size 32", 32, 0);
	sized("size 63", 63, 0);
	sized("size 64", 64, 0);
	sized("size 65", 65, 0);
	sized("size 112", 112, 0);
	sized("size 128", 128, 0);
	sized("size 200, the rest zero", 200, 0);
	sized("size 200, a byte behind the known part", 200, 150);
	sized("size 4096", 4096, 0);
	sized("size 4097", 4097, 0);
	sized("size 2^31", 1U << 31, 0);
	sized("size 0, a byte of the newer part", 0, 100);
	tried("attributes at a bad address", perf_open((void *)8, 0, -1, -1, 0));
	tried("attributes that cannot be written, of type 0", perf_open((void *)read_only, 0, -1, -1, 0));
}

static void reserved(void)
{
	TRY("reserved bit of the flags", .__reserved_1 = 1);
	TRY("last reserved bit of the flags", .__reserved_1 = 1UL << 25);
	TRY("reserved field 2", .__reserved_2 = 1);
	TRY("reserved field 3", .__reserved_3 = 1);
	TRY("sample_type bit 25", .sample_type = 1UL << 25);
	TRY("sample_type bit 40", .sample_type = 1UL << 40);
	TRY("sample_type bit 63", .sample_type = 1UL << 63);
	TRY("read_format bit 5", .read_format = 1UL << 5);
	TRY("read_format bit 10", .read_format = 1UL << 10);
	TRY("all read formats", .read_format = 0x1f);
	TRY("FORMAT_LOST", .read_format = PERF_FORMAT_LOST);
}

static void bits(void)
{
	TRY("disabled", .disabled = 1);
	TRY("inherit", .inherit = 1);
	TRY("pinned", .pinned = 1);
	TRY("exclusive", .exclusive = 1);
	TRY("exclude_user", .exclude_user = 1);
	TRY("exclude_kernel", .exclude_kernel = 1);
	TRY("exclude_hv", .exclude_hv = 1);
	TRY("exclude_idle", .exclude_idle = 1);
	TRY("exclude_host", .exclude_host = 1);
	TRY("exclude_guest", .exclude_guest = 1);
	TRY("mmap, comm, task", .mmap = 1, .comm = 1, .task = 1);
	TRY("inherit_stat", .inherit_stat = 1);
	TRY("enable_on_exec", .enable_on_exec = 1);
	TRY("watermark", .watermark = 1);
	TRY("precise_ip 1", .precise_ip = 1);
	TRY("precise_ip 3", .precise_ip = 3);
	TRY("mmap_data, mmap2, comm_exec, sample_id_all", .mmap_data = 1, .mmap2 = 1, .comm_exec = 1, .sample_id_all = 1);
	TRY("exclude_callchain_kernel and _user", .exclude_callchain_kernel = 1, .exclude_callchain_user = 1);
	TRY("use_clockid: realtime", .use_clockid = 1, .clockid = CLOCK_REALTIME);
	TRY("use_clockid: monotonic", .use_clockid = 1, .clockid = CLOCK_MONOTONIC);
	TRY("use_clockid: monotonic raw", .use_clockid = 1, .clockid = CLOCK_MONOTONIC_RAW);
	TRY("use_clockid: boot time", .use_clockid = 1, .clockid = CLOCK_BOOTTIME);
	TRY("use_clockid: TAI", .use_clockid = 1, .clockid = 11);
	TRY("use_clockid: the task's CPU time", .use_clockid = 1, .clockid = CLOCK_THREAD_CPUTIME_ID);
	TRY("use_clockid: 99", .use_clockid = 1, .clockid = 99);
	TRY("use_clockid: -1", .use_clockid = 1, .clockid = -1);
	TRY("clockid 99 without use_clockid", .clockid = 99);
	TRY("context_switch", .context_switch = 1);
	TRY("write_backward", .write_backward = 1);
	TRY("namespaces", .namespaces = 1);
	TRY("ksymbol, bpf_event", .ksymbol = 1, .bpf_event = 1);
	TRY("aux_output", .aux_output = 1);
	TRY("cgroup", .cgroup = 1);
	TRY("text_poke, build_id", .text_poke = 1, .build_id = 1);
	TRY("inherit_thread", .inherit_thread = 1);
	TRY("inherit_thread with inherit", .inherit = 1, .inherit_thread = 1);
	TRY("remove_on_exec", .remove_on_exec = 1);
	TRY("remove_on_exec with enable_on_exec", .remove_on_exec = 1, .enable_on_exec = 1);
	TRY("sigtrap", .sigtrap = 1);
	TRY("sigtrap with remove_on_exec", .sigtrap = 1, .remove_on_exec = 1);
	TRY("inherit with FORMAT_GROUP", .inherit = 1, .read_format = PERF_FORMAT_GROUP);
	TRY("inherit with SAMPLE_READ", .inherit = 1, .sample_type = PERF_SAMPLE_READ);
}

/* What records would hold, of an event that only counts. */
static void samples(void)
{
	TRY("SAMPLE_IP to SAMPLE_RAW", .sample_type = 0x7ff);
	TRY("SAMPLE_IDENTIFIER", .sample_type = PERF_SAMPLE_IDENTIFIER);
	TRY("SAMPLE_PHYS_ADDR", .sample_type = PERF_SAMPLE_PHYS_ADDR);
	TRY("sizes of pages", .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	TRY("BRANCH_STACK without a branch", .sample_type = PERF_SAMPLE_BRANCH_STACK);
	TRY("BRANCH_STACK, any", .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	TRY("BRANCH_STACK, user only", .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = PERF_SAMPLE_BRANCH_USER);
	TRY("BRANCH_STACK, bit 40", .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = 1UL << 40);
	TRY("branch bits without BRANCH_STACK", .branch_sample_type = 1UL << 40);
	TRY("REGS_USER, no register", .sample_type = PERF_SAMPLE_REGS_USER);
	TRY("REGS_USER, all of perf record", .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 0xff0fff);
	TRY("REGS_USER, ds", .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1 << 12);
	TRY("REGS_USER, gs", .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1 << 15);
	TRY("REGS_USER, bit 24", .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1 << 24);
	TRY("REGS_USER, xmm0", .sample_type = PERF_SAMPLE_REGS_USER, .sample_regs_user = 1UL << 32);
	TRY("registers without REGS_USER", .sample_regs_user = 1 << 24);
	TRY("REGS_INTR, ip", .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = 1 << 8);
	TRY("REGS_INTR, no register", .sample_type = PERF_SAMPLE_REGS_INTR);
	TRY("REGS_INTR, xmm0", .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = 1UL << 32);
	TRY("STACK_USER of 8192 bytes", .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 8192);
	TRY("STACK_USER of 0 bytes", .sample_type = PERF_SAMPLE_STACK_USER);
	TRY("STACK_USER of 7 bytes", .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 7);
	TRY("STACK_USER of 65,528 bytes", .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 65528);
	TRY("STACK_USER of 65,536 bytes", .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 65536);
	TRY("CALLCHAIN of 127", .sample_type = PERF_SAMPLE_CALLCHAIN, .sample_max_stack = 127);
	TRY("CALLCHAIN of 128", .sample_type = PERF_SAMPLE_CALLCHAIN, .sample_max_stack = 128);
	TRY("128 without CALLCHAIN", .sample_max_stack = 128);
	TRY("WEIGHT", .sample_type = PERF_SAMPLE_WEIGHT);
	TRY("WEIGHT and WEIGHT_STRUCT", .sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT);
	TRY("aux_sample_size", .aux_sample_size = 8);
}

static void targets(void)
{
	int other = open("/dev/null", O_RDONLY), fd;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	TRY_ON("own PID", getpid(), -1, -1, 0, );
	TRY_ON("own task on CPU 0", 0, 0, -1, 0, );
	TRY_ON("own task on CPU 99", 0, 99, -1, 0, );
	TRY_ON("own task on CPU 100,000", 0, 100000, -1, 0, );
	TRY_ON("own task on CPU -2", 0, -2, -1, 0, );
	TRY_ON("CPU 0", -1, 0, -1, 0, );
	TRY_ON("CPU 1", -1, 1, -1, 0, );
	TRY_ON("CPU 99", -1, 99, -1, 0, );
	TRY_ON("all tasks on all CPUs", -1, -1, -1, 0, );
	TRY_ON("PID 1", 1, -1, -1, 0, );
	TRY_ON("PID 99999", 99999, -1, -1, 0, );
	TRY_ON("PID -2", -2, -1, -1, 0, );
	TRY_ON("a child", child, -1, -1, 0, );
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	TRY_ON("a dead child", child, -1, -1, 0, );
	waitpid(child, NULL, 0);
	TRY_ON("a child that has been waited for", child, -1, -1, 0, );
	TRY_ON("sigtrap on a CPU", -1, 0, -1, 0, .sigtrap = 1, .remove_on_exec = 1);
	TRY_ON("group 55", 0, -1, 55, 0, );
	TRY_ON("a group that is another file", 0, -1, other, 0, );
	TRY_ON("group -2", 0, -1, -2, 0, );
	TRY_ON("flags: CLOEXEC", 0, -1, -1, PERF_FLAG_FD_CLOEXEC, );
	TRY_ON("flags: FD_NO_GROUP", 0, -1, -1, PERF_FLAG_FD_NO_GROUP, );
	TRY_ON("flags: FD_OUTPUT", 0, -1, -1, PERF_FLAG_FD_OUTPUT, );
	TRY_ON("flags: 0x10", 0, -1, -1, 0x10, );
	TRY_ON("flags: 1 << 32", 0, -1, -1, 1UL << 32, );
	TRY_ON("flags: PID_CGROUP with PID -1", -1, 0, -1, PERF_FLAG_PID_CGROUP, );
	TRY_ON("flags: PID_CGROUP on each CPU", 0, -1, -1, PERF_FLAG_PID_CGROUP, );
	fd = EVENT_ON(0, -1, -1, PERF_FLAG_FD_CLOEXEC, );
	show("close on exec with CLOEXEC: %d", fcntl(fd, F_GETFD));
	close(fd);
	fd = EVENT();
	show("close on exec without: %d", fcntl(fd, F_GETFD));
	close(fd);
	close(other);
}

/* The first test that fails decides which error is seen. */
static void order(void)
{
	TRY_ON("flags before attributes", 0, -1, -1, 0x10, .size = 32);
	TRY_ON("size before flags of attributes", 0, -1, -1, 0, .size = 32, .__reserved_1 = 1);
	TRY_ON("flags of attributes before the group", 0, -1, 55, 0, .__reserved_1 = 1);
	TRY_ON("frequency before the group", 0, -1, 55, 0, .freq = 1, .sample_freq = 200000);
	TRY_ON("group before PID", 99999, -1, 55, 0, );
	TRY_ON("PID before type", 99999, -1, -1, 0, .type = 77);
	TRY_ON("PID before CPU", 99999, 99, -1, 0, );
	TRY_ON("CPU before type", 0, 99, -1, 0, .type = 77);
	TRY_ON("type before clock", 0, -1, -1, 0, .type = 77, .use_clockid = 1, .clockid = 99);
	TRY_ON("group before type", 0, -1, 55, 0, .type = 77);
}

int main(void)
{
	types();
	sizes();
	reserved();
	bits();
	samples();
	targets();
	order();
	return 0;
}
