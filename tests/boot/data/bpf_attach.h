/* Loads programs of eBPF that count, opens events, and attaches the former to the latter. For bpf_attach.c. */
#pragma once

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int cmd, union bpf_attr *attr)
{
	int result = (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

static long word(long result)
{
	return result < 0 ? -errno : result;
}

/* ---- programs ---- */

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

static int new_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1 };

	return bpf(BPF_MAP_CREATE, &attr);
}

static uint64_t count_of(int map)
{
	uint32_t key = 0;
	uint64_t value = ~0ULL;
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&value };

	bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return value;
}

static void clear(int map)
{
	uint32_t key = 0;
	uint64_t value = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&value };

	bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/*
 * A program that counts in the map and returns `result`: at each hit, or with off >= 0 only if the
 * word at off of its context is `wanted`.
 */
static int load(enum bpf_prog_type type, enum bpf_attach_type expected, int map, int off, int wanted, int result)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 2, 1, (short)off, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 2, 0, 9, wanted), /* to the result */
		INSN(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, result),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = { .prog_type = type,
				.insns = (uintptr_t)insns,
				.insn_cnt = sizeof(insns) / sizeof(*insns),
				.license = (uintptr_t) "GPL",
				.expected_attach_type = expected,
				.prog_name = "counts" };

	if (off < 0)
		insns[0] = (struct bpf_insn)INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, wanted);
	return bpf(BPF_PROG_LOAD, &attr);
}

static int load_plain(enum bpf_prog_type type, int map)
{
	return load(type, 0, map, -1, 0, 0);
}

/* ---- events ---- */

static long open_event(const struct perf_event_attr *attr, int pid, int cpu)
{
	return word(syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

static int number_in(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	int number = -1;

	if (file && fscanf(file, format, &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

static long open_tracepoint(const char *name, int pid, int cpu)
{
	char path[128];
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	attr.config = (uint64_t)number_in(path, "%d");
	return open_event(&attr, pid, cpu);
}

static long open_probe(const char *pmu, const char *name, uint64_t offset, int is_return)
{
	char path[128];
	struct perf_event_attr attr = { .size = sizeof(attr),
					.config = (uint64_t)is_return,
					.config1 = (uintptr_t)name,
					.config2 = offset };

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	attr.type = (uint32_t)number_in(path, "%d");
	return open_event(&attr, -1, 0);
}

static long open_clock(int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000 };

	return open_event(&attr, -1, cpu);
}

static long set_program(long event, int program)
{
	return word(ioctl((int)event, PERF_EVENT_IOC_SET_BPF, program));
}

static int link_event(int program, int event, uint32_t flags)
{
	union bpf_attr attr = { .link_create = { .prog_fd = (uint32_t)program,
						 .target_fd = (uint32_t)event,
						 .attach_type = BPF_PERF_EVENT,
						 .flags = flags } };

	return bpf(BPF_LINK_CREATE, &attr);
}

static int open_raw(const char *name, int program)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = (uintptr_t)name, .prog_fd = (uint32_t)program } };

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int link_multi(int program, uint32_t flags, const char *const *names, uint32_t cnt)
{
	union bpf_attr attr = { .link_create = { .prog_fd = (uint32_t)program, .attach_type = BPF_TRACE_KPROBE_MULTI } };

	attr.link_create.kprobe_multi.flags = flags;
	attr.link_create.kprobe_multi.syms = (uintptr_t)names;
	attr.link_create.kprobe_multi.cnt = cnt;
	return bpf(BPF_LINK_CREATE, &attr);
}
