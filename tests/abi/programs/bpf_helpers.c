/*
 * Helpers of eBPF: programs for raw tracepoints that BPF_PROG_TEST_RUN runs. What a program finds out it
 * writes into the value of an array, and this program prints it.
 */
#include "bpf.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/personality.h>

#define R0 BPF_REG_0
#define R1 BPF_REG_1
#define R2 BPF_REG_2
#define R3 BPF_REG_3
#define R4 BPF_REG_4
#define R5 BPF_REG_5
#define R6 BPF_REG_6
#define R7 BPF_REG_7
#define FP BPF_REG_10

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = c, .dst_reg = d, .src_reg = s, .off = o, .imm = i })
#define MOV(dst, src)       INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define ADD(dst, value)     INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define LOAD_MEM(dst, src, off)       INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src)          INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE_IMM(dst, off, value)    INSN(BPF_ST | BPF_MEM | BPF_DW, dst, 0, off, value)
#define JUMP_IF_NOT_0(reg, to)        INSN(BPF_JMP | BPF_JNE | BPF_K, reg, 0, to, 0)
#define HELPER(name)                  INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##name)
#define LD_VALUE(dst, fd, off)        INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, off)
#define RETURN_0()                    MOV64_IMM(R0, 0), EXIT()

/* The array of one value; the program's constants, which are frozen. */
static int results, constants;
static char value[256], texts[256];

/* Runs a program with arguments, and reads the value. Returns what the program returns. */
static int run_code(const char *what, const struct bpf_insn *insns, unsigned count, uint64_t arg0, uint64_t arg1)
{
	static char log[1 << 16];
	uint64_t args[12] = { arg0, arg1 };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = (uintptr_t)insns, .insn_cnt = count, .license = (uintptr_t)"GPL",
				.log_level = 1, .log_size = sizeof(log), .log_buf = (uintptr_t)log };
	union bpf_attr test = { .test = { .ctx_in = (uintptr_t)args, .ctx_size_in = sizeof(args) } };
	int zero = 0, fd;

	memset(value, 0xaa, sizeof(value));
	update(results, &zero, value, 0);
	fd = (int)bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		show("%s: not loaded: %s\n%s", what, error_name(errno), log);
		return -1;
	}
	test.test.prog_fd = fd;
	if (bpf(BPF_PROG_TEST_RUN, &test, sizeof(test)))
		show("%s: not run: %s", what, bpf_error(errno));
	close(fd);
	lookup(results, &zero, value);
	return (int)test.test.retval;
}
#define RUN(what, arg0, arg1, ...)                                                                                                    \
	run_code(what, (struct bpf_insn[]){ __VA_ARGS__ }, sizeof((struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn), (uintptr_t)(arg0), \
		 (uintptr_t)(arg1))

static uint64_t word(int n)
{
	uint64_t w;

	memcpy(&w, value + 8 * n, 8);
	return w;
}

static void make_arrays(void)
{
	int zero = 0;

	results = make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(value), 1, 0);
	constants = make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(texts), 1, BPF_F_RDONLY_PROG);
	strcpy(texts, "%d %llx <%5s|%-5s> %u%%");
	strcpy(texts + 64, "needle");
	strcpy(texts + 96, "%d %q");
	update(constants, &zero, texts, 0);
	said("freeze", BPF(BPF_MAP_FREEZE, .map_fd = constants));
}

/* ---- the current task ---- */

static void task(void)
{
	int n = RUN("task", 0, 0, HELPER(get_current_pid_tgid), LD_VALUE(R6, results, 0), STORE(R6, 0, R0), HELPER(get_current_uid_gid),
		    STORE(R6, 8, R0), MOV(R1, R6), ADD(R1, 16), MOV64_IMM(R2, 24), HELPER(get_current_comm), STORE(R6, 40, R0),
		    MOV(R1, R6), ADD(R1, 48), MOV64_IMM(R2, 4), HELPER(get_current_comm), HELPER(get_current_task), STORE(R6, 56, R0),
		    HELPER(get_smp_processor_id), STORE(R6, 64, R0), HELPER(ktime_get_ns), STORE(R6, 72, R0), HELPER(ktime_get_boot_ns),
		    STORE(R6, 80, R0), HELPER(get_numa_node_id), STORE(R6, 88, R0), HELPER(get_prandom_u32), STORE(R6, 96, R0),
		    HELPER(get_prandom_u32), STORE(R6, 104, R0), HELPER(jiffies64), STORE(R6, 112, R0), RETURN_0());
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	show("task: %d, pid %d, uid %d gid %d", n, word(0) == ((uint64_t)getpid() << 32 | (uint32_t)getpid()), (int)word(1), (int)(word(1) >> 32));
	show("comm: %s, result %d; short: %s", value + 16, (int)word(5), value + 48);
	show("an address of the kernel: %d; a CPU: %d", (int64_t)word(7) < 0, word(8) < 1024);
	show("time: %d %d", (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec - word(9) < 10000000000, word(10) - word(9) < 1000000000000);
	show("node %d, random: %d, jiffies: %d", (int)word(11), word(12) != word(13) && word(12) >> 32 == 0, word(14) > 0);
}

/* ---- memory ---- */

static char string[] = "a string";

static void memory(void)
{
	void *absent = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	RUN("user memory", string, absent, MOV(R7, R1), LD_VALUE(R6, results, 0), MOV(R1, R6), ADD(R1, 64), MOV64_IMM(R2, 16), LOAD_MEM(R3, R7, 0),
	    HELPER(probe_read_user_str), STORE(R6, 0, R0), MOV(R1, R6), ADD(R1, 80), MOV64_IMM(R2, 4), LOAD_MEM(R3, R7, 0),
	    HELPER(probe_read_user_str), STORE(R6, 8, R0), MOV(R1, R6), ADD(R1, 96), MOV64_IMM(R2, 9), LOAD_MEM(R3, R7, 0),
	    HELPER(probe_read_user), STORE(R6, 16, R0), MOV(R1, R6), ADD(R1, 112), MOV64_IMM(R2, 16), LOAD_MEM(R3, R7, 8),
	    HELPER(probe_read_user), STORE(R6, 24, R0), MOV(R1, R6), ADD(R1, 128), MOV64_IMM(R2, 16), LOAD_MEM(R3, R7, 8),
	    HELPER(probe_read_user_str), STORE(R6, 32, R0), MOV(R1, R6), ADD(R1, 144), MOV64_IMM(R2, 9), LOAD_MEM(R3, R7, 0), HELPER(probe_read),
	    STORE(R6, 40, R0), MOV(R1, R6), ADD(R1, 160), MOV64_IMM(R2, 8), LOAD_MEM(R3, R7, 0), HELPER(probe_read_kernel), STORE(R6, 48, R0), RETURN_0());
	show("a string: %d %s; cut: %d %s; bytes: %d %s", (int)word(0), value + 64, (int)word(1), value + 80, (int)word(2), value + 96);
	show("absent: %d, zeros %d; a string: %d, zeros %d", (int)word(3), !word(14) && !word(15), (int)word(4), !word(16) && !word(17));
	show("of either kind: %d %s; of the kernel: %d, zeros %d", (int)word(5), value + 144, (int)word(6), !word(20));
	RUN("kernel memory", 0, 0, HELPER(get_current_task), LD_VALUE(R6, results, 0), MOV(R7, R0), MOV(R1, R6), ADD(R1, 64), MOV64_IMM(R2, 8), MOV(R3, R7),
	    HELPER(probe_read_kernel), STORE(R6, 0, R0), MOV(R1, R6), ADD(R1, 64), MOV64_IMM(R2, 24), MOV(R3, R7), HELPER(probe_read_kernel),
	    STORE(R6, 8, R0), MOV(R1, R6), ADD(R1, 64), MOV64_IMM(R2, 8), MOV(R3, R7), HELPER(probe_read_user), STORE(R6, 16, R0), MOV(R1, R6),
	    ADD(R1, 64), MOV64_IMM(R2, 8), MOV64_IMM(R3, -8), HELPER(probe_read_kernel), STORE(R6, 24, R0), MOV(R1, R6), ADD(R1, 64),
	    MOV64_IMM(R2, 0), MOV64_IMM(R3, -8), HELPER(probe_read_kernel_str), STORE(R6, 32, R0), RETURN_0());
	show("task_struct: %d %d, as user memory: %d; a hole: %d; no bytes: %d", (int)word(0), (int)word(1), (int)word(2), (int)word(3), (int)word(4));
}

static void read_string(const char *what, const char *from)
{
	int n = RUN(what, from, 0, LOAD_MEM(R3, R1, 0), LD_VALUE(R1, results, 0), MOV64_IMM(R2, 64), HELPER(probe_read_user_str), EXIT());

	show("%s: %d %s", what, n, value);
}

/* Without random addresses the program's name is at the end of its memory, 8 bytes before it. */
static void end_of_memory(void)
{
	char *name = (char *)getauxval(AT_EXECFN);

	read_string("the last string", name);
	memset(name + strlen(name), 'x', 9);
	read_string("a string without an end", name);
}

static void run_without_random_addresses(void)
{
	personality(ADDR_NO_RANDOMIZE);
	execl("/proc/self/exe", "bpf_helpers", "end of memory", NULL);
}

/* ---- text ---- */

/* Writes up to 8 characters at off below the frame. */
static struct bpf_insn store_text(int off, const char *text, int half)
{
	int four = 0;

	memcpy(&four, text + 4 * half, strnlen(text + 4 * half, 4));
	return INSN(BPF_ST | BPF_MEM | BPF_W, FP, 0, (int16_t)(off + 4 * half), four);
}

static void number(const char *text, int size, int base)
{
	char padded[9] = "";

	strncpy(padded, text, 8);
	RUN("numbers", 0, 0, store_text(-8, padded, 0), store_text(-8, padded, 1), LD_VALUE(R6, results, 0), MOV(R1, FP), ADD(R1, -8),
	    MOV64_IMM(R2, size), MOV64_IMM(R3, base), MOV(R4, FP), ADD(R4, -16), HELPER(strtol), STORE(R6, 0, R0), LOAD_MEM(R1, FP, -16),
	    STORE(R6, 8, R1), MOV(R1, FP), ADD(R1, -8), MOV64_IMM(R2, size), MOV64_IMM(R3, base), MOV(R4, FP), ADD(R4, -16), HELPER(strtoul),
	    STORE(R6, 16, R0), LOAD_MEM(R1, FP, -16), STORE(R6, 24, R1), RETURN_0());
	show("\"%s\" of %d in base %d: %d %ld; unsigned: %d %ld", text, size, base, (int)word(0), (long)word(1), (int)word(2), (long)word(3));
}

static void text(void)
{
	number("-42x", 8, 10);
	number(" 0x1f", 8, 0);
	number("0x1f", 8, 16);
	number("017", 8, 0);
	number("12", 1, 10);
	number("x", 8, 10);
	number("7", 8, 3);
	number("-", 8, 10);
	number("0x", 8, 16);
	number("9", 8, 8);
	RUN("strncmp", 0, 0, store_text(-8, "needle", 0), store_text(-8, "needle", 1), LD_VALUE(R6, results, 0), MOV(R1, FP), ADD(R1, -8),
	    MOV64_IMM(R2, 8), LD_VALUE(R3, constants, 64), HELPER(strncmp), STORE(R6, 0, R0), MOV(R1, FP), ADD(R1, -8), MOV64_IMM(R2, 3),
	    LD_VALUE(R3, constants, 0), HELPER(strncmp), STORE(R6, 8, R0), RETURN_0());
	show("strncmp: %d; another text: %s", (int)word(0), (int)word(1) > 0 ? "greater" : "not greater");
	for (int size = 0; size <= 48; size += 12) {
		RUN("snprintf", string, 0, LOAD_MEM(R7, R1, 0), LD_VALUE(R6, results, 0), STORE_IMM(FP, -40, -5), STORE_IMM(FP, -32, 0x1234), MOV(R1, R6),
		    ADD(R1, 128), STORE(FP, -24, R1), STORE(FP, -16, R1), STORE_IMM(FP, -8, 7), STORE_IMM(R6, 128, 0x6161), MOV(R1, R6), ADD(R1, 8),
		    MOV64_IMM(R2, size), LD_VALUE(R3, constants, 0), MOV(R4, FP), ADD(R4, -40), MOV64_IMM(R5, 40), HELPER(snprintf), STORE(R6, 0, R0),
		    RETURN_0());
		show("snprintf of %d: %d \"%.*s\"", size, (int)word(0), size, size ? value + 8 : "");
	}
	RUN("printk", 0, 0, LD_VALUE(R6, results, 0), store_text(-8, "%d %", 0), INSN(BPF_ST | BPF_MEM | BPF_W, FP, 0, -4, 's'), MOV(R1, FP), ADD(R1, -8),
	    MOV64_IMM(R2, 8), MOV64_IMM(R3, 42), MOV(R4, R6), MOV64_IMM(R5, 0), HELPER(trace_printk), STORE(R6, 0, R0),
	    store_text(-8, "%q\n", 0), MOV(R1, FP), ADD(R1, -8), MOV64_IMM(R2, 8), MOV64_IMM(R3, 42), HELPER(trace_printk), STORE(R6, 8, R0),
	    store_text(-8, "1234", 0), store_text(-4, "5678", 0), MOV(R1, FP), ADD(R1, -8), MOV64_IMM(R2, 8), HELPER(trace_printk), STORE(R6, 16, R0),
	    RETURN_0());
	show("trace_printk: of a known conversion %d; of an unknown one: %d; without a NUL: %d", (int)word(0) > 0, (int)word(1), (int)word(2));
}

/* ---- a ring buffer ---- */

struct record {
	uint32_t len, owner;
	uint64_t data;
};

static void show_ring(int fd)
{
	volatile uint64_t *reader = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	volatile uint64_t *producer = mmap(NULL, 4096 * 3, PROT_READ, MAP_SHARED, fd, 4096);
	uint64_t position;

	for (position = *reader; position < *producer;) {
		const struct record *record = (const void *)((const char *)producer + 4096 + position % 4096);

		show("record of %u%s: %lx", record->len & ~(3U << 30), record->len & BPF_RINGBUF_DISCARD_BIT ? ", discarded" : "", (long)record->data);
		position += ((record->len & ~(3U << 30)) + 8 + 7) / 8 * 8;
	}
	*reader = position;
	munmap((void *)reader, 4096);
	munmap((void *)producer, 4096 * 3);
}

static void ring(void)
{
	int fd = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
	struct pollfd poller = { .fd = fd, .events = POLLIN };

	tried("ring buffer of 4095", make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4095, 0));
	tried("ring buffer with a key", make_map(BPF_MAP_TYPE_RINGBUF, 4, 0, 4096, 0));
	said("mmap of the producer's page to write", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096) == MAP_FAILED ? -1 : 0);
	said("mmap of two pages to write", mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	said("mmap of too much", mmap(NULL, 4096 * 5, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	said("lookup", lookup(fd, &(int){ 0 }, value));
	said("update", update(fd, &(int){ 0 }, value, 0));
	said("delete", delete(fd, &(int){ 0 }));
	show("poll: %d", poll(&poller, 1, 0));
	RUN("ring", 0, 0, LD_VALUE(R6, results, 0), STORE_IMM(FP, -8, 0x11223344), LD_MAP(R1, fd), MOV(R2, FP), ADD(R2, -8), MOV64_IMM(R3, 8),
	    MOV64_IMM(R4, 0), HELPER(ringbuf_output), STORE(R6, 0, R0), LD_MAP(R1, fd), MOV(R2, FP), ADD(R2, -8), MOV64_IMM(R3, 5), MOV64_IMM(R4, 8),
	    HELPER(ringbuf_output), STORE(R6, 8, R0), LD_MAP(R1, fd), MOV64_IMM(R2, 24), MOV64_IMM(R3, 0), HELPER(ringbuf_reserve),
	    INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 4, 0), STORE_IMM(R0, 0, 0x5555), MOV(R1, R0), MOV64_IMM(R2, 0), HELPER(ringbuf_submit), LD_MAP(R1, fd),
	    MOV64_IMM(R2, 8), MOV64_IMM(R3, 0), HELPER(ringbuf_reserve), INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 4, 0), STORE_IMM(R0, 0, 0x6666),
	    MOV(R1, R0), MOV64_IMM(R2, 0), HELPER(ringbuf_discard), LD_MAP(R1, fd), MOV64_IMM(R2, 4088), MOV64_IMM(R3, 0), HELPER(ringbuf_reserve),
	    STORE_IMM(R6, 16, 0), INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 4, 0), STORE_IMM(R6, 16, 1), MOV(R1, R0), MOV64_IMM(R2, 0),
	    HELPER(ringbuf_discard), LD_MAP(R1, fd), MOV64_IMM(R2, 0), HELPER(ringbuf_query), STORE(R6, 24, R0), LD_MAP(R1, fd), MOV64_IMM(R2, 1),
	    HELPER(ringbuf_query), STORE(R6, 32, R0), LD_MAP(R1, fd), MOV64_IMM(R2, 3), HELPER(ringbuf_query), STORE(R6, 40, R0), LD_MAP(R1, fd),
	    MOV64_IMM(R2, 4), HELPER(ringbuf_query), STORE(R6, 48, R0), RETURN_0());
	show("output: %d, with wrong flags: %d; the whole ring: %d", (int)word(0), (int)word(1), (int)word(2));
	show("query: %d to read, size %d, producer at %d, unknown: %d", (int)word(3), (int)word(4), (int)word(5), (int)word(6));
	show("poll: %d", poll(&poller, 1, 0));
	show_ring(fd);
	show("poll: %d", poll(&poller, 1, 0));
	close(fd);
}

/* A child waits in poll(2) when the program runs. */
static void wakes(const char *what, int fd, void (*run)(const char *what, int map), int map)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	pid_t child = fork();
	int status;

	if (!child)
		_exit(poll(&poller, 1, 20000) == 1 && poller.revents == POLLIN ? 7 : 1);
	until_asleep(child, child);
	run(what, map);
	waitpid(child, &status, 0);
	show("%s: a reader that waits %s", what, WEXITSTATUS(status) == 7 ? "is woken" : "sleeps on");
}

static void submit(const char *what, int map)
{
	RUN(what, 0, 0, LD_MAP(R1, map), MOV64_IMM(R2, 8), MOV64_IMM(R3, 0), HELPER(ringbuf_reserve), INSN(BPF_JMP | BPF_JEQ | BPF_K, R0, 0, 4, 0),
	    STORE_IMM(R0, 0, 1), MOV(R1, R0), MOV64_IMM(R2, 0), HELPER(ringbuf_submit), RETURN_0());
}

static void ring_output(const char *what, int map)
{
	RUN(what, 0, 0, STORE_IMM(FP, -8, 1), LD_MAP(R1, map), MOV(R2, FP), ADD(R2, -8), MOV64_IMM(R3, 8), MOV64_IMM(R4, 0), HELPER(ringbuf_output),
	    RETURN_0());
}

static void ring_wakes(void)
{
	int a = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), b = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);

	wakes("ringbuf_submit", a, submit, a);
	wakes("ringbuf_output", b, ring_output, b);
	close(a);
	close(b);
}

/* ---- a perf event ---- */

static int cpu_of_run(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

static void output(const char *what, int map, int64_t flags, int size)
{
	show("%s: %d", what,
	     RUN(what, 0, 0, STORE_IMM(FP, -8, 0x1234), STORE_IMM(FP, -16, 0x5678), INSN(BPF_LD | BPF_IMM | BPF_DW, R3, 0, 0, (int)flags),
		 INSN(0, 0, 0, 0, (int)(flags >> 32)), LD_MAP(R2, map), MOV(R4, FP), ADD(R4, -16), MOV64_IMM(R5, size), HELPER(perf_event_output), EXIT()));
}

static void perf_output(const char *what, int map)
{
	output(what, map, BPF_F_CURRENT_CPU, 8);
}

static void perf(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_BPF_OUTPUT, .sample_period = 1,
					.sample_type = PERF_SAMPLE_RAW, .wakeup_events = 1 };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(clock), .config = PERF_COUNT_SW_CPU_CLOCK };
	int map = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 4, 0), zero = 0, one = 1, four = 4;
	int event, other;
	struct pollfd poller;
	struct perf_event_mmap_page *page;

	said("pin to CPU 0", cpu_of_run());
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	other = (int)syscall(SYS_perf_event_open, &clock, -1, 0, -1, 0);
	page = mmap(NULL, 4096 * 3, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	poller = (struct pollfd){ .fd = event, .events = POLLIN };
	said("mmap", page == MAP_FAILED ? -1 : 0);
	output("no event", map, BPF_F_CURRENT_CPU, 8);
	said("a map as event", update(map, &zero, &map, 0));
	said("an event that must not be there yet", update(map, &zero, &event, BPF_NOEXIST));
	said("behind the end", update(map, &four, &event, 0));
	said("event", update(map, &zero, &event, 0));
	said("another kind of event", update(map, &one, &other, 0));
	said("lookup", lookup(map, &zero, value));
	show("poll: %d", poll(&poller, 1, 0));
	output("16 bytes", map, BPF_F_CURRENT_CPU, 16);
	show("poll: %d", poll(&poller, 1, 0));
	output("by number", map, 0, 4);
	output("of another kind", map, 1, 8);
	output("an empty place", map, 2, 8);
	output("behind the end", map, 4, 8);
	output("wrong flags", map, 1L << 32, 8);
	output("nothing", map, BPF_F_CURRENT_CPU, 0);
	for (uint64_t at = 0; at < page->data_head;) {
		const struct perf_event_header *header = (const void *)((const char *)page + 4096 + at);
		const uint32_t *words = (const void *)(header + 1);

		show("record type %u of %u: %u bytes, %x", header->type, header->size, words[0], words[1]);
		at += header->size;
	}
	poll(&poller, 1, 0);
	wakes("perf_event_output", event, perf_output, map);
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	output("an event that is off", map, BPF_F_CURRENT_CPU, 8);
	RUN("read", 0, 0, LD_VALUE(R6, results, 0), LD_MAP(R1, map), MOV64_IMM(R2, 1), HELPER(perf_event_read), STORE(R6, 0, R0), LD_MAP(R1, map),
	    MOV64_IMM(R2, 1), MOV(R3, R6), ADD(R3, 16), MOV64_IMM(R4, 24), HELPER(perf_event_read_value), STORE(R6, 8, R0), LD_MAP(R1, map),
	    MOV64_IMM(R2, 1), MOV(R3, R6), ADD(R3, 64), MOV64_IMM(R4, 16), HELPER(perf_event_read_value), STORE(R6, 40, R0), LD_MAP(R1, map),
	    MOV64_IMM(R2, 3), HELPER(perf_event_read), STORE(R6, 48, R0), RETURN_0());
	show("read: a count: %d; with times: %d %d %d; of a wrong size: %d; of no event: %d", (int64_t)word(0) > 0, (int)word(1), word(2) >= word(0),
	     word(3) >= word(4) && word(4) > 0, (int)word(5), (int)word(6));
	said("delete", delete(map, &zero));
	said("delete again", delete(map, &zero));
	output("no event any more", map, BPF_F_CURRENT_CPU, 8);
}

/* ---- stacks ---- */

static void stacks(void)
{
	int map = make_map(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 32, 16, 0), id, next;
	/* Of its own: in one map a stack of the program can take the place of the kernel's, if their hashes are equal. */
	int of_user = make_map(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 32, 16, 0);
	uint64_t ips[32];

	tried("stacks of 12 bytes", make_map(BPF_MAP_TYPE_STACK_TRACE, 4, 12, 16, 0));
	tried("stacks of 128 frames", make_map(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 128, 16, 0));
	id = RUN("stackid", 0, 0, LD_VALUE(R6, results, 0), MOV(R7, R1), LD_MAP(R2, map), MOV64_IMM(R3, BPF_F_REUSE_STACKID), HELPER(get_stackid),
		 STORE(R6, 0, R0), MOV(R1, R7), LD_MAP(R2, of_user), MOV64_IMM(R3, BPF_F_USER_STACK | BPF_F_REUSE_STACKID), HELPER(get_stackid),
		 STORE(R6, 8, R0), MOV(R1, R7), LD_MAP(R2, map), MOV64_IMM(R3, 1 << 12), HELPER(get_stackid), STORE(R6, 16, R0), MOV(R1, R7),
		 LD_MAP(R2, map), MOV64_IMM(R3, 255), HELPER(get_stackid), STORE(R6, 24, R0), MOV(R1, R7), MOV(R2, R6), ADD(R2, 64), MOV64_IMM(R3, 64),
		 MOV64_IMM(R4, 0), HELPER(get_stack), STORE(R6, 32, R0), MOV(R1, R7), MOV(R2, R6), ADD(R2, 128), MOV64_IMM(R3, 12), MOV64_IMM(R4, 0),
		 HELPER(get_stack), STORE(R6, 40, R0), MOV(R1, R7), MOV(R2, R6), ADD(R2, 128), MOV64_IMM(R3, 64), MOV64_IMM(R4, BPF_F_USER_STACK),
		 HELPER(get_stack), STORE(R6, 48, R0), RETURN_0());
	show("ids: %d %d %d; wrong flags: %d; skips too much: %d", id, (int64_t)word(0) >= 0 && word(0) < 16, (int64_t)word(1) >= 0 && word(1) < 16,
	     (int)word(2), (int)word(3));
	show("get_stack: %d, of the kernel %d; of 12 bytes: %d; of the program: %d, its own %d", (int)word(4) > 0 && word(4) % 8 == 0, (int64_t)word(8) < 0, (int)word(5),
	     (int64_t)word(6) > 0, word(16) && word(16) < 1UL << 47);
	id = (int)word(0);
	said("lookup", lookup(map, &id, ips));
	show("a kernel's address: %d", (int64_t)ips[0] < 0);
	said("first key", next_key(map, NULL, &next));
	said("update", update(map, &id, ips, 0));
	said("delete", delete(map, &id));
	said("lookup again", lookup(map, &id, ips));
	id = 16;
	said("delete behind the end", delete(map, &id));
	close(of_user);
	close(map);
}

/* ---- the rest ---- */

static volatile int signals;
static void on_signal(int sig)
{
	signals += sig;
}

static void rest(void)
{
	int cgroups = make_map(BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 1, 0), zero = 0;

	signal(SIGUSR1, on_signal);
	show("send_signal: %d", RUN("signal", 0, 0, MOV64_IMM(R1, SIGUSR1), HELPER(send_signal), EXIT()));
	show("signals: %d", signals);
	show("send_signal_thread: %d", RUN("signal", 0, 0, MOV64_IMM(R1, SIGUSR1), HELPER(send_signal_thread), EXIT()));
	show("signals: %d", signals);
	show("no such signal: %d", RUN("signal", 0, 0, MOV64_IMM(R1, 99), HELPER(send_signal), EXIT()));
	said("a file as cgroup", update(cgroups, &zero, &zero, 0));
	show("under no cgroup: %d", RUN("cgroup", 0, 0, LD_MAP(R1, cgroups), MOV64_IMM(R2, 0), HELPER(current_task_under_cgroup), EXIT()));
	show("behind the end: %d", RUN("cgroup", 0, 0, LD_MAP(R1, cgroups), MOV64_IMM(R2, 1), HELPER(current_task_under_cgroup), EXIT()));
}

int main(int argc, char **argv)
{
	make_arrays();
	if (argc > 1) {
		end_of_memory();
		return 0;
	}
	task();
	memory();
	CHILD(run_without_random_addresses);
	text();
	ring();
	ring_wakes();
	perf();
	stacks();
	rest();
	return 0;
}
