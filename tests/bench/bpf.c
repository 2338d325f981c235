/*
 * Measures what programs of eBPF cost, in instructions for each event beyond the same call without a program: a static program
 * that runs on nop5 and on Linux, on one CPU under QEMU with -icount shift=0, where the TSC counts instructions.
 *
 * The programs do what bpftrace's do: `@[comm] = count()` adds to an element, `@ = hist(x)` writes it anew.
 * Prints a line "NAME INSTRUCTIONS" for each figure, or "NAME -" if the kernel refuses.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../abi/btf.h"
#include "operations.h"

#define PROBED   "__x64_sys_getppid" /* of probes */
#define FUNCTION "vfs_read"          /* of fentry and fexit: nop5 has no types of system calls */
#define CALLS    4000

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define INSN(code_, dst, src, off_, imm_)                                                          \
	((struct bpf_insn){ .code = (code_), .dst_reg = (dst), .src_reg = (src), .off = (off_), .imm = (imm_) })
#define MOV(dst, src)         INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOV_K(dst, imm)       INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD_K(dst, imm)       INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define ADD(dst, src)         INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define RSH(dst, src)         INSN(BPF_ALU64 | BPF_RSH | BPF_X, dst, src, 0, 0)
#define LSH_K(dst, imm)       INSN(BPF_ALU64 | BPF_LSH | BPF_K, dst, 0, 0, imm)
#define JGE_K(dst, imm, off)  INSN(BPF_JMP | BPF_JGE | BPF_K, dst, 0, off, imm)
#define JEQ_K(dst, imm, off)  INSN(BPF_JMP | BPF_JEQ | BPF_K, dst, 0, off, imm)
#define JA(off)               INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define LOAD(dst, src, off)   INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src)  INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE_K(dst, off, k)  INSN(BPF_ST | BPF_MEM | BPF_DW, dst, 0, off, k)
#define MAP(dst, fd)          INSN(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define CALL(id)              INSN(BPF_JMP | BPF_CALL, 0, 0, 0, id)
#define EXIT                  MOV_K(0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int create_map(u32 type, u32 key, u32 value, u32 entries)
{
	union bpf_attr attr = { .map_type = type, .key_size = key, .value_size = value, .max_entries = entries };

	return (int)bpf(BPF_MAP_CREATE, &attr);
}

/* ---- what is measured ---- */

static long cycles(void (*op)(void))
{
	unsigned long begin;

	for (unsigned i = 0; i < CALLS / 10; i++)
		op();
	begin = __rdtsc();
	for (unsigned i = 0; i < CALLS; i++)
		op();
	return (long)((__rdtsc() - begin) / CALLS);
}

static void op_getppid(void)
{
	call4(SYS_getppid, 0, 0, 0, 0);
}

static int dev_null;
static void op_read(void)
{
	char byte;

	call4(SYS_read, dev_null, (long)&byte, 1, 0);
}

__attribute__((noinline, aligned(16))) static void function(void)
{
	__asm__ volatile("nop");
}

/* ---- attachments: a descriptor, or -1 ---- */

static int load(u32 type, u32 attach, const struct bpf_insn *insns, u32 len)
{
	static u32 btf_id;
	union bpf_attr attr = { .prog_type = type, .insns = (u64)insns, .insn_cnt = len, .license = (u64) "GPL",
				.expected_attach_type = attach };

	if (type == BPF_PROG_TYPE_TRACING) {
		if (!btf_id)
			btf_id = kernel_function_id(FUNCTION);
		attr.attach_btf_id = btf_id;
	}
	return (int)bpf(BPF_PROG_LOAD, &attr);
}

static unsigned long number_in(const char *path)
{
	unsigned long number = 0;
	FILE *file = fopen(path, "r");

	if (file) {
		fscanf(file, "%lu", &number);
		fclose(file);
	}
	return number;
}

static int perf_event(struct perf_event_attr *attr, int prog)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->wakeup_events = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int attach_probe(const char *device, const void *name, u64 offset, u64 config, int prog)
{
	char path[80];
	struct perf_event_attr attr = { .config = config, .config1 = (u64)name, .config2 = offset };

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", device);
	attr.type = (u32)number_in(path);
	return perf_event(&attr, prog);
}

static int attach_kprobe(int prog)
{
	return attach_probe("kprobe", PROBED, 0, 0, prog);
}

/* A jump replaces the breakpoint later: on Linux a grace period of RCU-tasks can take a second. */
static int attach_kprobe_inside(int prog)
{
	int event = attach_probe("kprobe", PROBED, 5, 0, prog);

	sleep(3);
	return event;
}

static int attach_kretprobe(int prog)
{
	return attach_probe("kprobe", PROBED, 0, 1, prog);
}

/* The program is not at a random address, and its first page is that of the file. */
extern char __executable_start[];
static int attach_uprobe(int prog)
{
	return attach_probe("uprobe", "/proc/self/exe", (u64)((char *)function - __executable_start), 0, prog);
}

static int attach_tracepoint(const char *id_file, int prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = number_in(id_file) };

	return perf_event(&attr, prog);
}

static int attach_raw_syscalls(int prog)
{
	return attach_tracepoint("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", prog);
}

static int open_raw(const char *name, int prog)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = (u64)name, .prog_fd = (u32)prog } };

	return (int)bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int attach_raw(int prog)
{
	return open_raw("sys_enter", prog);
}

static int attach_function(int prog)
{
	return open_raw(NULL, prog);
}

struct way {
	const char *name;
	u32 type, attach;
	int (*attach_to)(int prog);
	void (*op)(void);
};

static const struct way kprobe = { "kprobe", BPF_PROG_TYPE_KPROBE, 0, attach_kprobe, op_getppid };
static const struct way ways[] = {
	{ "kprobe", BPF_PROG_TYPE_KPROBE, 0, attach_kprobe, op_getppid },
	{ "kretprobe", BPF_PROG_TYPE_KPROBE, 0, attach_kretprobe, op_getppid },
	{ "kprobe_inside", BPF_PROG_TYPE_KPROBE, 0, attach_kprobe_inside, op_getppid },
	{ "fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, attach_function, op_read },
	{ "fexit", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, attach_function, op_read },
	{ "raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, attach_raw, op_getppid },
	{ "tracepoint", BPF_PROG_TYPE_TRACEPOINT, 0, attach_raw_syscalls, op_getppid },
	{ "uprobe", BPF_PROG_TYPE_KPROBE, 0, attach_uprobe, function },
};

/* Prints what the program costs there. Returns that, or -1. */
static long report(const char *what, const struct way *way, const struct bpf_insn *insns, u32 len)
{
	long plain = cycles(way->op), cost;
	int prog = load(way->type, way->attach, insns, len);
	int event = prog < 0 ? -1 : way->attach_to(prog);

	if (event < 0) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		printf("%s -\n", what);
		close(prog);
		return -1;
	}
	cost = cycles(way->op) - plain;
	printf("%s %ld\n", what, cost);
	close(event);
	close(prog);
	return cost;
}
#define REPORT(what, way, insns) report(what, way, insns, sizeof(insns) / sizeof(*(insns)))

/* ---- the programs ---- */

/* Adds 1 to the element whose key is at FP - 16, of a per-CPU map. */
#define COUNT(fd)                                                                                  \
	MAP(R1, fd), MOV(R2, FP), ADD_K(R2, -16), CALL(BPF_FUNC_map_lookup_elem), JEQ_K(R0, 0, 4), LOAD(R1, R0, 0), ADD_K(R1, 1),        \
		STORE(R0, 0, R1), JA(9), STORE_K(FP, -24, 1), MAP(R1, fd), MOV(R2, FP), ADD_K(R2, -16), MOV(R3, FP),             \
		ADD_K(R3, -24), MOV_K(R4, 0), CALL(BPF_FUNC_map_update_elem)
/* The same, but it always writes the element anew. */
#define COUNT_ANEW(fd)                                                                                  \
	MAP(R1, fd), MOV(R2, FP), ADD_K(R2, -16), CALL(BPF_FUNC_map_lookup_elem), MOV_K(R1, 1), JEQ_K(R0, 0, 2),                 \
		LOAD(R1, R0, 0), ADD_K(R1, 1), STORE(FP, -24, R1), MAP(R1, fd), MOV(R2, FP), ADD_K(R2, -16), MOV(R3, FP),        \
		ADD_K(R3, -24), MOV_K(R4, 0), CALL(BPF_FUNC_map_update_elem)

static void report_counts(void)
{
	int map = create_map(BPF_MAP_TYPE_PERCPU_HASH, 16, 8, 4096);
	const struct bpf_insn empty[] = { EXIT };
	const struct bpf_insn count[] = {
		STORE_K(FP, -16, 0), STORE_K(FP, -8, 0), MOV(R1, FP), ADD_K(R1, -16), MOV_K(R2, 16), CALL(BPF_FUNC_get_current_comm),
		COUNT(map), EXIT,
	};
	char name[40];

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		REPORT(ways[i].name, &ways[i], empty);
		snprintf(name, sizeof(name), "%s_count", ways[i].name);
		REPORT(name, &ways[i], count);
	}
	close(map);
}

/* One step of a logarithm: if R1 >> bits is not 0, takes it and adds bits to R6. */
#define LOG_STEP(bits) MOV(R2, R1), INSN(BPF_ALU64 | BPF_RSH | BPF_K, R2, 0, 0, bits), JEQ_K(R2, 0, 2), MOV(R1, R2), ADD_K(R6, bits)

static void report_hist(void)
{
	int map = create_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 4096);
	const struct bpf_insn hist[] = {
		MOV_K(R1, 4711), MOV_K(R6, 1),
		LOG_STEP(32), LOG_STEP(16), LOG_STEP(8), LOG_STEP(4), LOG_STEP(2), LOG_STEP(1),
		STORE(FP, -16, R6),
		COUNT_ANEW(map), EXIT,
	};

	REPORT("kprobe_hist", &kprobe, hist);
	REPORT("fentry_hist", &ways[3], hist);
	close(map);
}

static void report_kstack(void)
{
	int stacks = create_map(BPF_MAP_TYPE_STACK_TRACE, 4, 127 * 8, 1024), map = create_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 1024);
	const struct bpf_insn program[] = {
		MAP(R2, stacks), MOV_K(R3, 0), CALL(BPF_FUNC_get_stackid), STORE(FP, -16, R0), COUNT(map), EXIT,
	};

	REPORT("kstack", &kprobe, program);
	close(stacks);
	close(map);
}

static void report_outputs(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT, .size = sizeof(attr),
					.sample_period = 1, .sample_type = PERF_SAMPLE_RAW };
	int array = create_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 1), ring = create_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 1 << 20);
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), zero = 0;
	union bpf_attr update = { .map_fd = (u32)array, .key = (u64)&zero, .value = (u64)&event };
	const struct bpf_insn perf[] = {
		STORE_K(FP, -16, 1), STORE_K(FP, -8, 2), MAP(R2, array), MOV_K(R3, -1), LSH_K(R3, 32), INSN(BPF_ALU64 | BPF_RSH | BPF_K, R3, 0, 0, 32),
		MOV(R4, FP), ADD_K(R4, -16), MOV_K(R5, 16), CALL(BPF_FUNC_perf_event_output), EXIT,
	};
	const struct bpf_insn ringbuf[] = {
		STORE_K(FP, -16, 1), STORE_K(FP, -8, 2), MAP(R1, ring), MOV(R2, FP), ADD_K(R2, -16), MOV_K(R3, 16), MOV_K(R4, 0),
		CALL(BPF_FUNC_ringbuf_output), EXIT,
	};
	void *area = mmap(NULL, 257 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

	expect(area != MAP_FAILED, "mmap");
	bpf(BPF_MAP_UPDATE_ELEM, &update);
	REPORT("perf_output", &kprobe, perf);
	REPORT("ringbuf_output", &kprobe, ringbuf);
}

/* 200 instructions of arithmetic and the empty program, interpreted. */
static void report_interpreter(void)
{
	static struct bpf_insn insns[204];
	static const u8 ops[] = { BPF_ADD, BPF_SUB, BPF_XOR, BPF_OR, BPF_MOV };
	int fd = open("/proc/sys/net/core/bpf_jit_enable", O_WRONLY);
	long few, many;

	for (unsigned i = 0; i < 200; i++)
		insns[i + 2] = INSN((i & 2 ? BPF_ALU : BPF_ALU64) | ops[i % 5] | (i & 1 ? BPF_X : BPF_K), i & 1 ? R1 : R0,
				    i & 1 ? R0 : 0, 0, i & 1 ? 0 : 7);
	insns[0] = MOV_K(R0, 1);
	insns[1] = MOV_K(R1, 1);
	insns[202] = MOV_K(R0, 0);
	insns[203] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	REPORT("alu_200", &kprobe, insns);
	if (fd < 0 || write(fd, "0\n", 2) != 2) {
		printf("interpreted -\n");
		return;
	}
	many = REPORT("interpreted_200", &kprobe, insns);
	insns[2] = insns[202];
	insns[3] = insns[203];
	few = report("interpreted_empty", &kprobe, insns, 4);
	printf("interpreted %ld\n", (many - few) / 20); /* tenths of an instruction */
	pwrite(fd, "1\n", 2, 0);
	close(fd);
}

static int attached_prog;

static void op_attach(void)
{
	int fd = attach_function(attached_prog);

	expect(fd >= 0 && !close(fd), "attach");
}

static void report_attach(void)
{
	const struct bpf_insn empty[] = { EXIT };

	attached_prog = load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, empty, 2);
	if (attached_prog < 0)
		printf("fentry_attach -\n");
	else
		printf("fentry_attach %lu\n", measure(op_attach, 20));
	close(attached_prog);
}

int main(void)
{
	dev_null = open("/dev/null", O_RDONLY);
	report_counts();
	report_hist();
	report_kstack();
	report_outputs();
	report_interpreter();
	report_attach();
	return 0;
}
