/*
 * bpf_storm FILE SEED [PROGRAM ARGUMENTS...]: until FILE exists, programs of eBPF count calls and NMIs in every way, while other threads
 * replace programs in an array, make maps and programs, and send NMIs. PROGRAM runs beside them, and is killed. The instances `calls` and
 * `nmis` of tracefs record the same events. Prints how many calls the threads made, how many NMIs the instance must have at least and at
 * most, and what each program has counted in two maps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION   "traced_sys_getsid" /* the call while its events are on, so as long as the storm lasts */
#define INSTANCES  "/sys/kernel/tracing/instances/"
#define NR_THREADS 8

enum { TRACEPOINT, RAW, KPROBE, KRETPROBE, FENTRY, FEXIT, UPROBE, URETPROBE, NMI, NR_KINDS };
static const char *const kinds[] = { "tracepoint", "raw", "kprobe", "kretprobe", "fentry", "fexit", "uprobe", "uretprobe", "nmi" };

static int sums, percpu_sums, programs; /* maps: a hash, one of each CPU, an array of programs */
static int nr_cpus;
static int over; /* atomic */

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* No storm without it. */
static int must(int result, const char *what)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

/* ---- maps ---- */

static int new_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries)
{
	union bpf_attr attr = { .map_type = type, .key_size = 4, .value_size = value_size, .max_entries = entries };

	return bpf(BPF_MAP_CREATE, &attr);
}

static int element(int cmd, int map, uint32_t key, void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	return bpf(cmd, &attr);
}

static uint64_t sum_of(int map, uint32_t key, int values)
{
	uint64_t value[256] = { 0 }, sum = 0;

	element(BPF_MAP_LOOKUP_ELEM, map, key, value);
	for (int i = 0; i < values; i++)
		sum += value[i];
	return sum;
}

/* ---- programs ---- */

#define INSN(c, d, s, o, i) (struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MAP(reg, map)       INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, map), INSN(0, 0, 0, 0, 0)
#define CALL(function)      INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##function)

/* Counts in both maps. A raw one does so for one system call; and calls the program in the array, which counts instead of it. */
static int load(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id, int kind, int calls_other)
{
	struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 7, 0, 0, SYS_getsid),
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 7, 6, 8, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 7, 0, 23, SYS_getsid),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0),
		MAP(2, programs),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0),
		CALL(tail_call),
		INSN(BPF_ST | BPF_W | BPF_MEM, 10, 0, -4, kind),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		MAP(1, sums),
		CALL(map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 11, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, 0, 1, 0, BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		MAP(1, percpu_sums),
		CALL(map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0),
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 1, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_DW | BPF_MEM, 0, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	static char log[1 << 16];
	union bpf_attr attr = { .prog_type = type,
				.expected_attach_type = attach,
				.attach_btf_id = btf_id,
				.insns = (uintptr_t)insns,
				.insn_cnt = sizeof(insns) / sizeof(*insns),
				.license = (uintptr_t) "GPL",
				.log_buf = (uintptr_t)log,
				.log_size = sizeof(log),
				.log_level = 1,
				.prog_name = "counts" };
	int program;

	if (kind != RAW) /* the context has no number of a system call */
		insns[2] = insns[1];
	if (!calls_other)
		for (int i = 4; i < 9; i++)
			insns[i] = INSN(BPF_JMP | BPF_JA, 0, 0, 0, 0);
	program = bpf(BPF_PROG_LOAD, &attr);
	if (program < 0)
		fputs(log, stderr);
	return must(program, kinds[kind]);
}

/* The id of FUNCTION in the types of the kernel, which BTF object 1 has. */
static uint32_t function_id(void)
{
	/* By kind: bytes behind struct btf_type, for itself and for each of its members. */
	static const uint8_t own[20] = { [BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = 12, [BTF_KIND_VAR] = 4, [BTF_KIND_DECL_TAG] = 4 };
	static const uint8_t each[20] = { [BTF_KIND_STRUCT] = 12, [BTF_KIND_UNION] = 12,	  [BTF_KIND_ENUM] = 8,
					  [BTF_KIND_FUNC_PROTO] = 8, [BTF_KIND_DATASEC] = 12, [BTF_KIND_ENUM64] = 12 };
	union bpf_attr by_id = { .btf_id = 1 }, info_attr = { 0 };
	struct bpf_btf_info info = { 0 };
	const struct btf_header *header;
	const char *type, *names;

	info_attr.info.bpf_fd = (uint32_t)must(bpf(BPF_BTF_GET_FD_BY_ID, &by_id), "types of the kernel");
	info_attr.info.info_len = sizeof(info);
	info_attr.info.info = (uintptr_t)&info;
	must(bpf(BPF_OBJ_GET_INFO_BY_FD, &info_attr), "size of the types");
	header = malloc(info.btf_size);
	info = (struct bpf_btf_info){ .btf = (uintptr_t)header, .btf_size = info.btf_size };
	must(bpf(BPF_OBJ_GET_INFO_BY_FD, &info_attr), "types");
	type = (const char *)header + header->hdr_len + header->type_off;
	names = (const char *)header + header->hdr_len + header->str_off;
	for (uint32_t id = 1; type < (const char *)header + header->hdr_len + header->type_off + header->type_len; id++) {
		const struct btf_type *t = (const struct btf_type *)type;
		unsigned kind = BTF_INFO_KIND(t->info);

		if (kind == BTF_KIND_FUNC && !strcmp(names + t->name_off, FUNCTION))
			return id;
		type += sizeof(*t) + own[kind] + each[kind] * BTF_INFO_VLEN(t->info);
	}
	errno = ENOENT;
	return (uint32_t)must(-1, FUNCTION);
}

/* ---- attaching ---- */

static int number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	int number = -1;

	if (file && fscanf(file, "%d", &number) == 1)
		fclose(file);
	return must(number, path);
}

static int attach_to_event(struct perf_event_attr attr, int kind, enum bpf_prog_type type)
{
	union bpf_attr link = { 0 };

	attr.size = sizeof(attr);
	link.link_create.target_fd = (uint32_t)must((int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0), kinds[kind]);
	link.link_create.prog_fd = (uint32_t)load(type, 0, 0, kind, 0);
	link.link_create.attach_type = BPF_PERF_EVENT;
	return must(bpf(BPF_LINK_CREATE, &link), kinds[kind]);
}

static int attach_by_name(const char *name, int program)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = (uintptr_t)name, .prog_fd = (uint32_t)program } };

	return must(bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), name ? name : FUNCTION);
}

/* The place of it in the file: this program is static, without PIE, and its text begins at 0x401000, 0x1000 in the file. */
__attribute__((noinline, noclone, aligned(16))) int probed(int n)
{
	__asm__ __volatile__("nop");
	return n + 1;
}

static void attach_all(void)
{
	int probe = number_in("/sys/bus/event_source/devices/kprobe/type"), uprobe = number_in("/sys/bus/event_source/devices/uprobe/type");
	uint64_t offset = (unsigned long)&probed - 0x400000;
	uint32_t id = function_id();

	for (uint64_t is_return = 0; is_return < 2; is_return++) {
		struct perf_event_attr kernel = { .type = (uint32_t)probe, .config = is_return, .config1 = (uintptr_t)FUNCTION };
		struct perf_event_attr user = { .type = (uint32_t)uprobe, .config = is_return, .config1 = (uintptr_t) "/proc/self/exe", .config2 = offset };

		attach_to_event(kernel, is_return ? KRETPROBE : KPROBE, BPF_PROG_TYPE_KPROBE);
		attach_to_event(user, is_return ? URETPROBE : UPROBE, BPF_PROG_TYPE_KPROBE);
	}
	attach_to_event((struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT, .config = (uint64_t)number_in("/sys/kernel/tracing/events/syscalls/sys_enter_getsid/id") },
			TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT);
	attach_by_name("sys_enter", load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, RAW, 1));
	attach_by_name("nmi_handler", load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, NMI, 0));
	attach_by_name(NULL, load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id, FENTRY, 0));
	attach_by_name(NULL, load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, id, FEXIT, 0));
}

static void write_to(const char *path, const char *text)
{
	int fd = must(open(path, O_WRONLY), path);

	must((int)write(fd, text, strlen(text)), path);
	close(fd);
}

/* What the program in NMIs has counted before, and after: NMIs of the kernel's watchdog come at any time. */
static void record(const char *on, uint64_t counted[2])
{
	counted[0] = sum_of(sums, NMI, 1);
	write_to(INSTANCES "calls/events/syscalls/sys_enter_getsid/enable", on);
	write_to(INSTANCES "nmis/events/nmi/nmi_handler/enable", on);
	counted[1] = sum_of(sums, NMI, 1);
}

/* ---- threads ---- */

static void *call(void *start)
{
	unsigned seed = (unsigned)(uintptr_t)start;
	uintptr_t calls = 0;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		for (int n = rand_r(&seed) % 100; n > 0; n--, calls++) {
			syscall(SYS_getsid, 0);
			probed(n);
		}
		if (rand_r(&seed) % 8 == 0)
			usleep((unsigned)rand_r(&seed) % 2000);
	}
	return (void *)calls;
}

/* The program in the array comes, is replaced, and goes: the count is the same. */
static void *replace(void *start)
{
	unsigned seed = (unsigned)(uintptr_t)start;
	int others[2] = { load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, RAW, 0), load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, RAW, 0) };

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		int n = rand_r(&seed) % 3;

		if (n < 2)
			element(BPF_MAP_UPDATE_ELEM, programs, 0, &others[n]);
		else
			element(BPF_MAP_DELETE_ELEM, programs, 0, NULL);
		usleep((unsigned)rand_r(&seed) % 500);
	}
	return NULL;
}

/* Maps and programs are made, used and gone; NMIs come meanwhile. */
static void *make(void *start)
{
	static const enum bpf_map_type types[] = { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH };
	unsigned seed = (unsigned)(uintptr_t)start;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		int map = must(new_map(types[rand_r(&seed) % 4], 8, 1000), "a map"), program = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, RAW, 0);
		uint64_t value[256] = { 0 };

		for (uint32_t i = 0; i < 50; i++)
			element(BPF_MAP_UPDATE_ELEM, map, (uint32_t)rand_r(&seed) % 1000, value);
		close(map);
		close(program);
		if (rand_r(&seed) % 16 == 0)
			write_to("/proc/sysrq-trigger", "l"); /* an NMI for each CPU */
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const functions[])(void *) = { call, call, call, call, call, call, replace, make };
	pthread_t threads[NR_THREADS];
	uint64_t calls = 0, zero[256] = { 0 }, begin[2], end[2];
	unsigned seed;
	void *result;
	pid_t beside = 0;

	if (argc < 3)
		return 1;
	nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	seed = (unsigned)atoi(argv[2]);
	sums = must(new_map(BPF_MAP_TYPE_HASH, 8, NR_KINDS), "a hash");
	percpu_sums = must(new_map(BPF_MAP_TYPE_PERCPU_HASH, 8, NR_KINDS), "a hash of each CPU");
	programs = must(new_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 1), "an array of programs");
	for (uint32_t kind = 0; kind < NR_KINDS; kind++) {
		must(element(BPF_MAP_UPDATE_ELEM, sums, kind, zero), "a sum");
		must(element(BPF_MAP_UPDATE_ELEM, percpu_sums, kind, zero), "a sum of each CPU");
	}
	attach_all();
	record("1", begin);
	if (argc > 3 && !(beside = must(fork(), "fork"))) {
		execv(argv[3], argv + 3);
		_exit(127);
	}
	for (unsigned i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, functions[i], (void *)(uintptr_t)(seed + i));
	while (access(argv[1], F_OK))
		usleep(100000);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &result);
		calls += (uintptr_t)result;
	}
	if (beside) {
		kill(beside, SIGKILL);
		waitpid(beside, NULL, 0);
	}
	record("0", end);
	printf("calls %lu\nrecorded %lu %lu\n", calls, end[0] - begin[1], end[1] - begin[0]);
	for (uint32_t kind = 0; kind < NR_KINDS; kind++)
		printf("%s %lu %lu\n", kinds[kind], sum_of(sums, kind, 1), sum_of(percpu_sums, kind, nr_cpus));
	return 0;
}
