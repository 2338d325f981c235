/*
 * Loads hostile programs by bpf(2), and runs those that the kernel takes.
 *
 *     bpf_hostile SEED STRINGS PROGRAMS CPUS
 *     bpf_hostile together TASKS
 *
 * One process for each CPU. Together they load STRINGS strings of random bytes, and PROGRAMS programs of
 * the generator of tests/fuzz/fuzz_bpf_verifier.c, most of them with a few bytes changed. Another process
 * changes the maps all the time. Prints what became of them. Whoever calls it sees whether the kernel has
 * complained.
 *
 * The second form loads a program that needs more than 64 MB for its proof, by several tasks at the same
 * time. Each must be refused for that, and none for want of memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/bpf_generate.h"
#include "tests/host/bpf_maps.h"
#include "trace/bpf/core/abi.h"
#include "trace/bpf/helpers/numbers.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BTF_FD        40

/* Shared by the processes. */
static struct counts {
	unsigned long loaded, refused, runs;
} * counts;
static unsigned long long random_state;

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}
#define BPF(cmd, ...) bpf(cmd, &(union bpf_attr){ __VA_ARGS__ })

static unsigned long random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state * 0x2545f4914f6cdd1dULL) >> 16;
}

static void check(long result, const char *what)
{
	if (result >= 0)
		return;
	printf("DEFECT: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void make_map(int fd, unsigned type, unsigned key, unsigned value, unsigned entries,
		     unsigned flags)
{
	long made = BPF(BPF_MAP_CREATE, .map_type = type, .key_size = key, .value_size = value,
			.max_entries = entries, .map_flags = flags, .inner_map_fd = WORLD_ARRAY);

	check(made, "map");
	dup2((int)made, fd);
	close((int)made);
}

static void make_world(void)
{
	static const char text[32] = WORLD_TEXT;
	unsigned key = 0;
	long btf;

#define MAKE(fd, type, key, value, entries, flags)                                                 \
	make_map(fd, BPF_MAP_TYPE_##type, key, value, entries, flags);
	WORLD_MAPS(MAKE)
	check(BPF(BPF_MAP_UPDATE_ELEM, .map_fd = WORLD_RDONLY, .key = (u64)&key,
		  .value = (u64)text),
	      "text");
	check(BPF(BPF_MAP_FREEZE, .map_fd = WORLD_RDONLY), "freeze");
	for (key = 0; key < 2; key++)
		check(BPF(BPF_MAP_UPDATE_ELEM, .map_fd = WORLD_ARRAY_OF_MAPS, .key = (u64)&key,
			  .value = (u64) & (int){ WORLD_ARRAY }),
		      "inner map");
	btf = BPF(BPF_BTF_LOAD, .btf = (u64)&world_types, .btf_size = sizeof(world_types));
	check(btf, "BTF");
	dup2((int)btf, BTF_FD);
}

/* Changes and deletes elements until it is killed. */
static void change_maps(void)
{
	static u8 value[64];
	u64 key;

	for (;;) {
		for (unsigned i = 0; i < sizeof(value); i += 8)
			memcpy(value + i, &(u64){ random_number() }, 8);
		key = random_number() % 4;
		BPF(BPF_MAP_UPDATE_ELEM, .map_fd = WORLD_ARRAY, .key = (u64)&key,
		    .value = (u64)value);
		BPF(BPF_MAP_UPDATE_ELEM, .map_fd = WORLD_HASH, .key = (u64)&key,
		    .value = (u64)value);
		key = random_number() % 4;
		BPF(BPF_MAP_DELETE_ELEM, .map_fd = WORLD_HASH, .key = (u64)&key);
	}
}

static bool calls_loop(const struct bpf_insn *insns, u32 len)
{
	for (u32 i = 0; i < len; i++)
		if (bpf_insn_is_helper_call(&insns[i]) && insns[i].imm == BPF_FUNC_loop)
			return true;
	return false;
}

/* Of types that take no context of the kernel's own. The others answer with an error. */
static void run(int fd, u32 type)
{
	static u8 packet[64], context[96];
	u64 data = type == BPF_PROG_TYPE_SOCKET_FILTER ? (u64)packet : 0;

	counts->runs +=
		!BPF(BPF_PROG_TEST_RUN, .test = { .prog_fd = (u32)fd,
						  .data_in = data,
						  .data_size_in = data ? sizeof(packet) : 0,
						  .ctx_in = data ? 0 : (u64)context,
						  .ctx_size_in = data ? 0 : sizeof(context),
						  .repeat = data ? 1 + random_number() % 4 : 0 });
}

static void load(u32 type, const struct bpf_insn *insns, u32 len, bool may_run)
{
	static struct bpf_func_info functions[GENERATED_INSNS];
	static bool starts[GENERATED_INSNS];
	static char log[1 << 16];
	bool logs = random_number() % 16 == 0;
	u32 nr = 0;
	long fd;

	memset(starts, 0, sizeof(starts));
	world_find_functions(insns, len, starts);
	for (u32 i = 0; i < len; i++)
		if (starts[i])
			functions[nr++] = (struct bpf_func_info){ i, WORLD_FUNC_TYPE };
	fd = BPF(BPF_PROG_LOAD, .prog_type = type, .insns = (u64)insns, .insn_cnt = len,
		 .license = (u64) "GPL", .prog_btf_fd = BTF_FD, .func_info = (u64)functions,
		 .func_info_cnt = nr, .func_info_rec_size = sizeof(functions[0]),
		 .log_level = logs ? 2 : 0, .log_size = logs ? sizeof(log) : 0,
		 .log_buf = logs ? (u64)log : 0,
		 .prog_flags = random_number() % 8 ? 0 : BPF_F_TEST_STATE_FREQ);
	if (fd < 0) {
		counts->refused++;
		return;
	}
	counts->loaded++;
	if (may_run)
		run((int)fd, type);
	close((int)fd);
}

static void load_string(void)
{
	static const u8 types[] = { 1, 2, 5, 7, 17, 26, 31 };
	struct bpf_insn insns[64];
	u32 len = 1 + (u32)random_number() % ARRAY_SIZE(insns);

	for (u32 i = 0; i < len; i++)
		memcpy(&insns[i], &(u64){ random_number() << 16 ^ random_number() }, 8);
	load(types[random_number() % ARRAY_SIZE(types)], insns, len, true);
}

static void load_program(void)
{
	static struct generated program = { .few_rounds = true };
	u8 bytes[128];
	u32 size = 20 + (u32)random_number() % (sizeof(bytes) - 20), changes;

	for (u32 i = 0; i < size; i++)
		bytes[i] = (u8)random_number();
	bpf_generate(&program, bytes, size);
	changes = random_number() % 4;
	if (random_number() % 2)
		program.type = BPF_PROG_TYPE_SOCKET_FILTER;
	for (u32 i = 0; i < changes; i++)
		((u8 *)program.insns)[random_number() % (8 * program.len)] ^=
			(u8)(1 << random_number() % 8);
	/* A changed number of rounds may be 8 million, and each is a round of another loop. */
	load(program.type, program.insns, program.len,
	     !changes || !calls_loop(program.insns, program.len));
}

static void work(int cpu, int cpus, unsigned long strings, unsigned long programs)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set), "CPU");
	counts += cpu;
	for (unsigned long i = 0; i < strings / cpus; i++)
		load_string();
	for (unsigned long i = 0; i < programs / cpus; i++)
		load_program();
	exit(0);
}

/* 7,000 ways that wait, each with the whole stack: the last ones are walked first. 0 or an errno. */
static int load_large_proof(void)
{
	static struct bpf_insn insns[7100];
	u32 len = 0, last = ARRAY_SIZE(insns) - 1;

	insns[len++] =
		(struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1 };
	for (int off = -512; off < 0; off += 8)
		insns[len++] = (struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
						  .dst_reg = 10,
						  .src_reg = 2,
						  .off = (s16)off };
	insns[len++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	for (; len < last; len++)
		insns[len] = (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K,
						.dst_reg = 2,
						.off = (s16)(last - len - 1),
						.imm = (s32)len };
	insns[last] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	return BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (u64)insns,
		   .insn_cnt = last + 1, .license = (u64) "GPL") < 0
		       ? errno
		       : 0;
}

static int load_together(int tasks)
{
	int status, refused = 0;

	for (int i = 0; i < tasks; i++)
		if (!fork())
			exit(load_large_proof());
	while (wait(&status) > 0)
		refused += WIFEXITED(status) && WEXITSTATUS(status) == E2BIG;
	printf("%d of %d are too large\n", refused, tasks);
	return refused != tasks;
}

int main(int argc, char **argv)
{
	unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	unsigned long strings = argc > 2 ? strtoul(argv[2], NULL, 0) : 10000;
	unsigned long programs = argc > 3 ? strtoul(argv[3], NULL, 0) : 100000;
	int cpus = argc > 4 ? atoi(argv[4]) : 1, status, failed = 0;
	struct counts sum = { 0 };
	pid_t changer, child;

	if (argc == 3)
		return load_together(atoi(argv[2]));
	make_world();
	counts = mmap(NULL, cpus * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	random_state = seed * 0x9e3779b97f4a7c15ULL | 1;
	changer = fork();
	if (!changer)
		change_maps();
	for (int cpu = 0; cpu < cpus; cpu++) {
		random_number();
		if (!fork())
			work(cpu, cpus, strings, programs);
	}
	for (int left = cpus; left;) {
		child = wait(&status);
		failed += status != 0;
		left -= child != changer;
	}
	kill(changer, SIGKILL);
	for (int cpu = 0; cpu < cpus; cpu++) {
		sum.loaded += counts[cpu].loaded;
		sum.refused += counts[cpu].refused;
		sum.runs += counts[cpu].runs;
	}
	printf("seed %lu: %lu loaded, %lu refused, %lu runs, %d failed\n", seed, sum.loaded,
	       sum.refused, sum.runs, failed);
	return failed != 0;
}
