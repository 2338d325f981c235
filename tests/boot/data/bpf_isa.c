/*
 * Each instruction of eBPF, on values at the edges: all 256 codes, with the constants and offsets below. The verifier accepts an
 * instruction or refuses it; those accepted run by BPF_PROG_TEST_RUN. A line tells of one code and offset which constants
 * were accepted, and a hash of the results. `bpf_isa all` prints each result instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MEMORY       40 /* the offset in the map's value that loads and stores use */

static const uint64_t values[] = {
	0, 1, 2, 31, 63, 0x7fffffff, 0x80000000, 0xffffffff, 0x123456789abcdef0, 0x7fffffffffffffff, 0x8000000000000000, -1ULL,
};
static const int constants[] = {
	0, 1, 2, 16, 31, 32, 63, 64, /* shifts, sizes of swaps; BPF_ADD, BPF_ADD | BPF_FETCH, BPF_OR */
	BPF_OR | BPF_FETCH, BPF_AND, BPF_AND | BPF_FETCH, BPF_XOR, BPF_XOR | BPF_FETCH, BPF_XCHG, BPF_CMPXCHG, /* atomics */
	-1, INT32_MAX, INT32_MIN, 0x12345678,
};
static const short offsets[] = { 0, 1, MEMORY, -1 };

/* The value of the map. The program reads the operands from it, and writes its registers into it. */
static volatile struct {
	uint64_t a, b;
	uint64_t r0, r1, jumped;
	uint64_t memory[3];
} *shared;
static int map;
static bool all;
static unsigned runs, refused;

static int bpf(int cmd, union bpf_attr *attr)
{
	int result = (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

static void make_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = sizeof(*shared), .max_entries = 1,
				.map_flags = BPF_F_MMAPABLE };

	map = bpf(BPF_MAP_CREATE, &attr);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (shared == MAP_FAILED)
		exit(1);
}

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define LOAD(d, o)          INSN(BPF_LDX | BPF_MEM | BPF_DW, d, 6, o, 0)
#define STORE(s, o)         INSN(BPF_STX | BPF_MEM | BPF_DW, 6, s, o, 0)
#define CONSTANT(d, s, v)   INSN(BPF_LD | BPF_IMM | BPF_DW, d, s, 0, (int)(v)), INSN(0, 0, 0, 0, (int)((uint64_t)(v) >> 32))

/* Loads a program around insn. R0 and R1 come from the map or, if known, are constants that the verifier knows. */
static int load(struct bpf_insn insn, bool known, uint64_t a, uint64_t b)
{
	struct bpf_insn insns[24], operands[] = { CONSTANT(0, 0, a), CONSTANT(1, 0, b) };
	const struct bpf_insn begin[] = { CONSTANT(6, BPF_PSEUDO_MAP_VALUE, map), LOAD(0, 0), LOAD(1, 8), LOAD(3, MEMORY + 16),
					  INSN(BPF_ALU64 | BPF_MOV, 2, 0, 0, 1) };
	const struct bpf_insn end[] = { INSN(BPF_ALU64 | BPF_MOV, 2, 0, 0, 0), STORE(0, 16), STORE(1, 24), STORE(2, 32),
					INSN(BPF_ALU64 | BPF_MOV, 0, 0, 0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0) };
	unsigned len = 0;
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)insns, .license = (uintptr_t) "GPL" };

	memcpy(insns, begin, sizeof(begin));
	len += COUNT(begin);
	if (known) {
		memcpy(insns + len, operands, sizeof(operands));
		len += COUNT(operands);
	}
	/* Around the instruction there is a way that is never taken: else what a jump jumps over cannot be reached at all. */
	insns[len++] = INSN(BPF_JMP | BPF_JNE, 3, 0, insn.code == (BPF_LD | BPF_IMM | BPF_DW) ? 2 : 1, 0);
	insns[len++] = insn;
	if (insn.code == (BPF_LD | BPF_IMM | BPF_DW))
		insns[len++] = INSN(0, 0, 0, 0, 0x76543210);
	memcpy(insns + len, end, sizeof(end));
	attr.insn_cnt = len + COUNT(end);
	return bpf(BPF_PROG_LOAD, &attr);
}

/* Runs a program once, and adds its result and what it left to the hash. */
static void run(int prog, struct bpf_insn insn, uint64_t a, uint64_t b, uint64_t *hash)
{
	static char packet[64];
	union bpf_attr attr = { .test = { .prog_fd = (unsigned)prog, .data_in = (uintptr_t)packet, .data_size_in = sizeof(packet) } };
	volatile uint64_t *word = (volatile uint64_t *)shared;

	memset((void *)shared, 0, sizeof(*shared));
	shared->a = a;
	shared->b = b;
	shared->memory[0] = a;
	shared->memory[1] = ~a;
	if (bpf(BPF_PROG_TEST_RUN, &attr))
		exit(1);
	*hash ^= attr.test.retval;
	for (unsigned i = 0; i < sizeof(*shared) / sizeof(*word); i++)
		*hash = (*hash ^ word[i]) * 0x100000001b3;
	runs++;
	if (all)
		printf("%02x off %d imm %d: %#lx, %#lx -> %#lx %#lx, next %lu, memory %#lx %#lx\n", insn.code, insn.off, insn.imm, a, b,
		       shared->r0, shared->r1, shared->jumped, shared->memory[0], shared->memory[1]);
}

/* All values for R0; and for R1 too, if the instruction reads it. */
static unsigned pairs(struct bpf_insn insn)
{
	return COUNT(values) * (insn.src_reg == 1 ? COUNT(values) : 1);
}

static void run_on_all_values(int prog, struct bpf_insn insn, uint64_t *hash)
{
	for (unsigned i = 0; i < pairs(insn); i++)
		run(prog, insn, values[i % COUNT(values)], values[i / COUNT(values)], hash);
}

/* The verifier knows the operands: it removes the side of a branch that is not taken. */
static void run_on_known_values(struct bpf_insn insn, uint64_t *hash)
{
	for (unsigned i = 0; i < pairs(insn); i++) {
		uint64_t a = values[i % COUNT(values)], b = values[i / COUNT(values)];
		int prog = load(insn, true, a, b);

		if (prog < 0)
			*hash = (*hash ^ (uint64_t)prog) * 0x100000001b3;
		else
			run(prog, insn, a, b, hash);
		close(prog);
	}
}

/* Tries one code with one offset and each constant. */
static void try_code(int code, int off)
{
	int class = BPF_CLASS(code);
	bool memory = class == BPF_LDX || class == BPF_ST || class == BPF_STX;
	bool reads_register = class == BPF_STX || (class >= BPF_ALU && (code & BPF_X));
	uint64_t hash = 0xcbf29ce484222325;
	unsigned accepted = 0;

	for (unsigned i = 0; i < COUNT(constants); i++) {
		struct bpf_insn insn = INSN(code, memory && class != BPF_LDX ? 6 : 0, class == BPF_LDX ? 6 : reads_register, off, constants[i]);
		int prog = load(insn, false, 0, 0);

		if (prog < 0) {
			refused++;
			continue;
		}
		if (!all)
			accepted++ ? printf(",%d", constants[i]) : printf("%02x off %d imm %d", code, off, constants[i]);
		run_on_all_values(prog, insn, &hash);
		close(prog);
		if (!memory)
			run_on_known_values(insn, &hash);
	}
	if (accepted)
		printf(": %016lx\n", hash);
}

int main(int argc, char **argv)
{
	all = argc > 1 && !strcmp(argv[1], "all");
	make_map();
	for (int code = 0; code < 256; code++)
		for (unsigned i = 0; i < COUNT(offsets); i++)
			try_code(code, offsets[i]);
	printf("%u refused, %u runs\n", refused, runs);
	return 0;
}
