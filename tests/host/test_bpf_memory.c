/*
 * The verifier's memory, pointers and calls: small programs that it must accept or refuse, with what
 * it says. The hostile ones are the ideas of programs that once got the better of a verifier.
 *
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: trace/bpf/verifier/[a-z]*.c
 */
#include "test.h"

#include "bpf_asm.h"
#include "bpf_world.h"

struct program {
	const char *name;
	const char *error; /* in the log; NULL: it must be accepted */
	const struct bpf_insn *insns;
	u32 len;
};
#define PROGRAM(name, error, ...)                                                                  \
	{                                                                                          \
		name, error, (const struct bpf_insn[]){ __VA_ARGS__ },                             \
			sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn) \
	}
#define CHECK(programs) check_programs(programs, sizeof(programs) / sizeof(*(programs)))

static struct world_check check;

static void check_programs(const struct program *p, size_t count)
{
	u32 failures = 0;

	for (; count--; p++) {
		int err;

		memset(&check, 0, sizeof(check));
		check.log_level = BPF_LOG_LEVEL2;
		err = world_check(&check, p->insns, p->len);
		if (!err != !p->error || (err && !strstr(check.log, p->error))) {
			print_error("%s: %d, expected %s\n%s", p->name, err, p->error ?: "success",
				    check.log);
			failures++;
		}
		world_end(&check);
		assert_int_equal(world_leaks(), 0);
	}
	assert_int_equal(failures, 0);
}

/* R0 = a value of the map in `fd`, whose key is 0 and its size 4 or 8; leaves the program at NULL. */
#define LOOKUP(fd)                                                                                 \
	STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), LD_MAP(1, fd),  \
		CALL(BPF_FUNC_map_lookup_elem), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT()
#define RETURN_0 MOV64_IMM(0, 0), EXIT()
/* A number of which nothing is known. */
#define UNKNOWN(dst) LOAD(BPF_DW, dst, 6, 0)
/* R6 = the context: the first instruction of programs that use UNKNOWN() */
#define KEEP_CTX MOV64_REG(6, 1)

static void test_stack_keeps_pointers_that_are_spilled_whole(void **state)
{
	const struct program programs[] = {
		PROGRAM("fill", NULL, STORE(BPF_DW, 10, 1, -8), LOAD(BPF_DW, 2, 10, -8),
			LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten byte", "R2 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), STORE_IMM(BPF_B, 10, -8, 1),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten last byte", "R2 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), STORE_IMM(BPF_B, 10, -1, 1),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten half", "R2 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), STORE_IMM(BPF_W, 10, -4, 0),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten by a spilled half", "R2 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), MOV64_IMM(3, 5), STORE(BPF_W, 10, 3, -8),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten by an atomic", "R2 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), MOV64_IMM(3, 5),
			ATOMIC(BPF_DW, BPF_ADD, 10, 3, -8), LOAD(BPF_DW, 2, 10, -8),
			LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten at a variable offset", "R2 invalid mem access 'scalar'",
			KEEP_CTX, STORE(BPF_DW, 10, 1, -8), STORE(BPF_DW, 10, 1, -16), UNKNOWN(3),
			ALU64_IMM(BPF_AND, 3, 8), ALU64_IMM(BPF_ADD, 3, -16), MOV64_REG(4, 10),
			ALU64_REG(BPF_ADD, 4, 3), STORE_IMM(BPF_DW, 4, 0, 0),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("overwritten by a helper", "R6 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8),
			MOV64_IMM(2, 1), MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel),
			LOAD(BPF_DW, 6, 10, -8), LOAD(BPF_DW, 0, 6, 0), RETURN_0),
		PROGRAM("half a pointer", "invalid size of register spill", STORE(BPF_W, 10, 1, -8),
			RETURN_0),
		PROGRAM("half of a pointer back", "invalid size of register fill",
			STORE(BPF_DW, 10, 1, -8), LOAD(BPF_W, 2, 10, -8), RETURN_0),
		PROGRAM("read only by the helper", NULL, STORE(BPF_DW, 10, 1, -8), MOV64_REG(2, 10),
			ALU64_IMM(BPF_ADD, 2, -8), MOV64_REG(3, 2), LD_MAP(1, WORLD_HASH),
			CALL(BPF_FUNC_map_delete_elem), LOAD(BPF_DW, 2, 10, -8),
			LOAD(BPF_DW, 0, 2, 0), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_stack_keeps_numbers_of_one_size_only(void **state)
{
	const struct program programs[] = {
		PROGRAM("the same size", NULL, LOOKUP(WORLD_ARRAY), MOV64_IMM(3, 40),
			STORE(BPF_W, 10, 3, -16), LOAD(BPF_W, 4, 10, -16), ALU64_REG(BPF_ADD, 0, 4),
			LOAD(BPF_DW, 1, 0, 0), RETURN_0),
		PROGRAM("a half of 64 bits is another number", "R0 unbounded memory access",
			LOOKUP(WORLD_ARRAY), LD_CONST(3, 0xffffffff00000008),
			STORE(BPF_DW, 10, 3, -16), LOAD(BPF_W, 4, 10, -12),
			ALU64_REG(BPF_ADD, 0, 4), LOAD(BPF_B, 1, 0, 0), RETURN_0),
		PROGRAM("its first half as well", "R0 unbounded memory access", LOOKUP(WORLD_ARRAY),
			LD_CONST(3, 0x8), STORE(BPF_DW, 10, 3, -16), STORE_IMM(BPF_B, 10, -15, 7),
			LOAD(BPF_W, 4, 10, -16), ALU64_REG(BPF_ADD, 0, 4), LOAD(BPF_B, 1, 0, 0),
			RETURN_0),
		PROGRAM("64 bits of a half", "math between map_value pointer and register with",
			LOOKUP(WORLD_ARRAY), MOV64_IMM(3, 8), STORE(BPF_W, 10, 3, -16),
			LOAD(BPF_DW, 4, 10, -16), ALU64_REG(BPF_ADD, 0, 4), LOAD(BPF_B, 1, 0, 0),
			RETURN_0),
		PROGRAM("a narrow copy has less than the original", "R0 unbounded memory access",
			KEEP_CTX, LOOKUP(WORLD_ARRAY), UNKNOWN(3),
			JMP_IMM(BPF_JGT, 3, 0x7fffffff, 7), STORE(BPF_W, 10, 3, -16),
			STORE(BPF_B, 10, 3, -24), LOAD(BPF_B, 4, 10, -24),
			JMP_IMM(BPF_JGT, 4, 8, 3), ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_B, 1, 0, 0),
			MOV64_IMM(0, 0), RETURN_0),
		PROGRAM("bytes of zeros are zero", NULL, LOOKUP(WORLD_ARRAY),
			STORE_IMM(BPF_DW, 10, -16, 0), LOAD(BPF_H, 3, 10, -14),
			ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_DW, 1, 0, 40), RETURN_0),
		PROGRAM("not all are", "R0 max value is outside", LOOKUP(WORLD_ARRAY),
			STORE_IMM(BPF_DW, 10, -16, 0), STORE_IMM(BPF_B, 10, -13, 1),
			LOAD(BPF_H, 3, 10, -14), ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_DW, 1, 0, 40),
			RETURN_0),
		PROGRAM("a variable write leaves none", "R0 max value is outside", KEEP_CTX,
			LOOKUP(WORLD_ARRAY), STORE_IMM(BPF_DW, 10, -16, 0), UNKNOWN(3),
			ALU64_IMM(BPF_AND, 3, 7), MOV64_REG(4, 10), ALU64_REG(BPF_ADD, 4, 3),
			STORE_IMM(BPF_B, 4, -16, 1), LOAD(BPF_H, 3, 10, -16),
			ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_DW, 1, 0, 40), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_stack_has_bounds(void **state)
{
	const struct program programs[] = {
		PROGRAM("above", "invalid write to stack R10 off=0 size=8",
			STORE_IMM(BPF_DW, 10, 0, 0), RETURN_0),
		PROGRAM("below", "invalid read from stack R10 off=-520 size=8",
			LOAD(BPF_DW, 0, 10, -520), RETURN_0),
		PROGRAM("the last", NULL, STORE_IMM(BPF_DW, 10, -512, 0), RETURN_0),
		PROGRAM("misaligned", "misaligned stack access off (0x0; 0x0)+0+-9 size 8",
			STORE_IMM(BPF_DW, 10, -9, 0), RETURN_0),
		PROGRAM("variable", NULL, KEEP_CTX, UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x38),
			MOV64_REG(2, 10), ALU64_REG(BPF_ADD, 2, 3), STORE_IMM(BPF_DW, 2, -64, 0),
			RETURN_0),
		PROGRAM("variable above", "invalid variable-offset write to stack R2", KEEP_CTX,
			UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x38), MOV64_REG(2, 10),
			ALU64_REG(BPF_ADD, 2, 3), STORE_IMM(BPF_DW, 2, -56, 0), RETURN_0),
		PROGRAM("variable below", "invalid variable-offset read from stack R2", KEEP_CTX,
			UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x38), MOV64_REG(2, 10),
			ALU64_REG(BPF_ADD, 2, 3), LOAD(BPF_DW, 1, 2, -520), RETURN_0),
		PROGRAM("unbounded",
			"math between fp pointer and register with unbounded min value", KEEP_CTX,
			UNKNOWN(3), ALU64_REG(BPF_ADD, 3, 10), STORE_IMM(BPF_B, 3, -8, 0),
			RETURN_0),
		PROGRAM("without an upper bound",
			"invalid unbounded variable-offset write to stack R2", KEEP_CTX, UNKNOWN(3),
			JMP_IMM(BPF_JSLT, 3, -64, 4), MOV64_REG(2, 10), ALU64_REG(BPF_ADD, 2, 3),
			STORE_IMM(BPF_B, 2, 0, 0), MOV64_IMM(0, 0), RETURN_0),
		PROGRAM("helper above", "invalid indirect access to stack R1 off=-8 size=9",
			MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 9),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
		PROGRAM("helper below", "invalid indirect access to stack R1 off=-516 size=8",
			MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -516), MOV64_IMM(2, 8),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
		PROGRAM("helper nowhere", "invalid indirect access to stack R1 off=0 size=0",
			MOV64_REG(1, 10), MOV64_IMM(2, 0), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_map_values_have_bounds(void **state)
{
	const struct program programs[] = {
		PROGRAM("last bytes", NULL, LOOKUP(WORLD_ARRAY), LOAD(BPF_DW, 1, 0, 40), RETURN_0),
		PROGRAM("behind", "invalid access to map value, value_size=48 off=41 size=8",
			LOOKUP(WORLD_ARRAY), LOAD(BPF_DW, 1, 0, 41), RETURN_0),
		PROGRAM("before", "invalid access to map value, value_size=48 off=-1 size=1",
			LOOKUP(WORLD_ARRAY), LOAD(BPF_B, 1, 0, -1), RETURN_0),
		PROGRAM("NULL", "R0 invalid mem access 'map_value_or_null'",
			STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			LD_MAP(1, WORLD_ARRAY), CALL(BPF_FUNC_map_lookup_elem),
			LOAD(BPF_DW, 1, 0, 0), RETURN_0),
		PROGRAM("maybe NULL + 8", "R0 pointer arithmetic on map_value_or_null prohibited",
			STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			LD_MAP(1, WORLD_ARRAY), CALL(BPF_FUNC_map_lookup_elem),
			ALU64_IMM(BPF_ADD, 0, 8), RETURN_0),
		PROGRAM("masked index", NULL, KEEP_CTX, LOOKUP(WORLD_ARRAY), UNKNOWN(3),
			ALU64_IMM(BPF_AND, 3, 0x1f), ALU64_REG(BPF_ADD, 0, 3),
			LOAD(BPF_DW, 1, 0, 8), RETURN_0),
		PROGRAM("index that is too large",
			"R0 max value is outside of the allowed memory range", KEEP_CTX,
			LOOKUP(WORLD_ARRAY), UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x3f),
			ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_B, 1, 0, 0), RETURN_0),
		PROGRAM("negative index", "R0 min value is negative", KEEP_CTX, LOOKUP(WORLD_ARRAY),
			UNKNOWN(3), JMP_IMM(BPF_JSGT, 3, 8, 4), JMP_IMM(BPF_JSLT, 3, -8, 3),
			ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_B, 1, 0, 0), MOV64_IMM(0, 0), RETURN_0),
		PROGRAM("index without an upper bound", "R0 unbounded memory access", KEEP_CTX,
			LOOKUP(WORLD_ARRAY), UNKNOWN(3), JMP_IMM(BPF_JSLT, 3, 0, 2),
			ALU64_REG(BPF_ADD, 0, 3), LOAD(BPF_B, 1, 0, 0), RETURN_0),
		PROGRAM("sum of large offsets", "map_value pointer offset 536870912 is not allowed",
			LOOKUP(WORLD_ARRAY), ALU64_IMM(BPF_ADD, 0, 0x1fffffff),
			ALU64_IMM(BPF_ADD, 0, 1), LOAD(BPF_B, 1, 0, 0), RETURN_0),
		PROGRAM("large constant",
			"math between map_value pointer and 536870912 is not allowed",
			LOOKUP(WORLD_ARRAY), ALU64_IMM(BPF_ADD, 0, 1 << 29), RETURN_0),
		PROGRAM("subtracted index", "R0 unbounded memory access", KEEP_CTX,
			LOOKUP(WORLD_ARRAY), UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x1f),
			ALU64_IMM(BPF_ADD, 0, 0x1f), ALU64_REG(BPF_SUB, 0, 3), LOAD(BPF_B, 1, 0, 0),
			RETURN_0),
		PROGRAM("subtracted too much", "R0 min value is negative", KEEP_CTX,
			LOOKUP(WORLD_ARRAY), UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 0x1f),
			ALU64_IMM(BPF_ADD, 0, 0x1e), ALU64_REG(BPF_SUB, 0, 3), LOAD(BPF_B, 1, 0, 0),
			RETURN_0),
		PROGRAM("read-only value", "write into map forbidden, value_size=32 off=0 size=4",
			LD_VALUE(1, WORLD_RDONLY, 0), STORE_IMM(BPF_W, 1, 0, 1), RETURN_0),
		PROGRAM("read-only value, atomically", "write into map forbidden",
			LD_VALUE(1, WORLD_RDONLY, 0), MOV64_IMM(2, 1),
			ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0), RETURN_0),
		PROGRAM("read-only value by a helper", "write into map forbidden",
			LD_VALUE(1, WORLD_RDONLY, 0), MOV64_IMM(2, 4), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
		PROGRAM("read-only map by update", "write into map forbidden",
			STORE_IMM(BPF_DW, 10, -8, 0), LD_MAP(1, WORLD_RDONLY), MOV64_REG(2, 10),
			ALU64_IMM(BPF_ADD, 2, -8), MOV64_REG(3, 10), ALU64_IMM(BPF_ADD, 3, -64),
			MOV64_IMM(4, 0), CALL(BPF_FUNC_map_update_elem), RETURN_0),
		PROGRAM("write-only value", "read from map forbidden, value_size=16 off=0 size=4",
			LD_VALUE(1, WORLD_WRONLY, 0), STORE_IMM(BPF_W, 1, 0, 1),
			LOAD(BPF_W, 2, 1, 0), RETURN_0),
		/* world_rdonly_value: '%' is 37, 'd' is 100 */
		PROGRAM("a constant of a frozen map", NULL, LOOKUP(WORLD_ARRAY),
			LD_VALUE(1, WORLD_RDONLY, 0), LOAD(BPF_B, 2, 1, 0),
			ALU64_REG(BPF_ADD, 0, 2), LOAD(BPF_B, 1, 0, 10), RETURN_0),
		PROGRAM("its value matters", "invalid access to map value, value_size=48 off=100",
			LOOKUP(WORLD_ARRAY), LD_VALUE(1, WORLD_RDONLY, 1), LOAD(BPF_B, 2, 1, 0),
			ALU64_REG(BPF_ADD, 0, 2), LOAD(BPF_B, 1, 0, 0), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_pointers_only_move(void **state)
{
	const struct program programs[] = {
		PROGRAM("and", "R1 bitwise operator &= on pointer prohibited",
			ALU64_IMM(BPF_AND, 1, 8), RETURN_0),
		PROGRAM("divide", "R1 pointer arithmetic with /= operator prohibited",
			ALU64_IMM(BPF_DIV, 1, 8), RETURN_0),
		PROGRAM("32 bits", "R1 32-bit pointer arithmetic prohibited",
			ALU32_IMM(BPF_ADD, 1, 8), RETURN_0),
		PROGRAM("subtract from a number", "R0 tried to subtract pointer from scalar",
			MOV64_IMM(0, 5), ALU64_REG(BPF_SUB, 0, 1), RETURN_0),
		PROGRAM("subtract from the stack", "R1 subtraction from stack pointer prohibited",
			MOV64_REG(1, 10), ALU64_IMM(BPF_SUB, 1, 8), RETURN_0),
		PROGRAM("pointer + pointer", "R1 pointer += pointer prohibited", MOV64_REG(2, 10),
			ALU64_REG(BPF_ADD, 1, 2), RETURN_0),
		PROGRAM("a map", "R1 pointer arithmetic on map_ptr prohibited",
			LD_MAP(1, WORLD_HASH), ALU64_IMM(BPF_ADD, 1, 8), RETURN_0),
		PROGRAM("a difference is a number", "R3 invalid mem access 'scalar'",
			MOV64_REG(3, 1), ALU64_REG(BPF_SUB, 3, 10), ALU64_REG(BPF_ADD, 3, 3),
			LOAD(BPF_B, 0, 3, 0), RETURN_0),
		PROGRAM("the lower half is a number", "R3 invalid mem access 'scalar'",
			MOV32_REG(3, 1), LOAD(BPF_B, 0, 3, 0), RETURN_0),
		PROGRAM("context + constant", "dereference of modified ctx ptr R1 off=8 disallowed",
			ALU64_IMM(BPF_ADD, 1, 8), LOAD(BPF_DW, 0, 1, 0), RETURN_0),
		PROGRAM("context - constant", "negative offset ctx ptr R1 off=-8 disallowed",
			ALU64_IMM(BPF_ADD, 1, -8), LOAD(BPF_DW, 0, 1, 8), RETURN_0),
		PROGRAM("context + variable", "variable ctx access var_off=(0x0; 0x8) disallowed",
			LOAD(BPF_DW, 2, 1, 0), ALU64_IMM(BPF_AND, 2, 8), ALU64_REG(BPF_ADD, 1, 2),
			LOAD(BPF_DW, 0, 1, 0), RETURN_0),
		PROGRAM("context behind its end", "invalid bpf_context access off=168 size=8",
			LOAD(BPF_DW, 0, 1, 168), RETURN_0),
		PROGRAM("write to the context", "invalid bpf_context access off=0 size=8",
			STORE(BPF_DW, 1, 10, 0), RETURN_0),
		PROGRAM("a modified context for a helper", "dereference of modified ctx ptr R1",
			ALU64_IMM(BPF_ADD, 1, 8), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			MOV64_IMM(3, 8), MOV64_IMM(4, 0), CALL(BPF_FUNC_get_stack), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_atomics_bring_numbers(void **state)
{
	const struct program programs[] = {
		PROGRAM("fetch", NULL, LOOKUP(WORLD_ARRAY), MOV64_IMM(1, 1),
			ATOMIC(BPF_DW, BPF_ADD | BPF_FETCH, 0, 1, 0), RETURN_0),
		PROGRAM("what is fetched is not known", "R0 unbounded memory access",
			LOOKUP(WORLD_ARRAY), MOV64_IMM(1, 1),
			ATOMIC(BPF_W, BPF_ADD | BPF_FETCH, 0, 1, 0), ALU64_REG(BPF_ADD, 0, 1),
			LOAD(BPF_B, 2, 0, 0), RETURN_0),
		PROGRAM("not even on the stack", "R6 max value is outside", LOOKUP(WORLD_ARRAY),
			MOV64_REG(6, 0), STORE_IMM(BPF_W, 10, -16, 1), MOV64_IMM(1, 1),
			ATOMIC(BPF_W, BPF_ADD, 10, 1, -16), LOAD(BPF_H, 1, 10, -16),
			ALU64_REG(BPF_ADD, 6, 1), LOAD(BPF_B, 2, 6, 0), RETURN_0),
		PROGRAM("cmpxchg brings R0", "R6 max value is outside", LOOKUP(WORLD_ARRAY),
			MOV64_REG(6, 0), MOV64_REG(7, 0), MOV64_IMM(0, 1), MOV64_IMM(1, 1),
			ATOMIC(BPF_DW, BPF_CMPXCHG, 7, 1, 0), ALU64_IMM(BPF_AND, 0, 63),
			ALU64_REG(BPF_ADD, 6, 0), LOAD(BPF_B, 2, 6, 0), RETURN_0),
		PROGRAM("a spilled pointer comes back", NULL, KEEP_CTX, STORE(BPF_DW, 10, 6, -8),
			MOV64_IMM(1, 0), ATOMIC(BPF_DW, BPF_XCHG, 10, 1, -8), LOAD(BPF_DW, 0, 1, 0),
			RETURN_0),
		PROGRAM("but half of it does not", "invalid size of register fill", KEEP_CTX,
			STORE(BPF_DW, 10, 6, -8), MOV64_IMM(1, 0),
			ATOMIC(BPF_W, BPF_XCHG, 10, 1, -8), RETURN_0),
		PROGRAM("nor what was exchanged for it", "R2 invalid mem access 'scalar'", KEEP_CTX,
			STORE_IMM(BPF_DW, 10, -8, 0), ATOMIC(BPF_DW, BPF_XCHG, 10, 1, -8),
			LOAD(BPF_DW, 2, 10, -8), LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("the register of the pointer", "misaligned access", LOOKUP(WORLD_ARRAY),
			ATOMIC(BPF_DW, BPF_ADD | BPF_FETCH, 0, 0, 0), RETURN_0),
		PROGRAM("the register of a pointer to a pointer", "misaligned access",
			LOOKUP(WORLD_ARRAY), STORE(BPF_DW, 10, 0, -8), MOV64_REG(1, 10),
			ATOMIC(BPF_DW, BPF_XCHG, 1, 1, -8), LOAD(BPF_DW, 2, 10, -8),
			LOAD(BPF_DW, 0, 2, 0), RETURN_0),
		PROGRAM("context", "BPF_ATOMIC stores into R1 ctx is not allowed", MOV64_IMM(2, 1),
			ATOMIC(BPF_DW, BPF_ADD, 1, 2, 0), RETURN_0),
		PROGRAM("variable stack", "variable offset stack pointer cannot be passed",
			KEEP_CTX, UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 8), MOV64_REG(2, 10),
			ALU64_REG(BPF_ADD, 2, 3), MOV64_IMM(4, 1),
			ATOMIC(BPF_DW, BPF_ADD, 2, 4, -16), RETURN_0),
		PROGRAM("misaligned", "misaligned value access off (0x0; 0x0)+0+4 size 8",
			LOOKUP(WORLD_ARRAY), MOV64_IMM(1, 1), ATOMIC(BPF_DW, BPF_ADD, 0, 1, 4),
			RETURN_0),
		PROGRAM("subtract", "BPF_ATOMIC uses invalid atomic opcode 10", LOOKUP(WORLD_ARRAY),
			MOV64_IMM(1, 1), ATOMIC(BPF_DW, BPF_SUB, 0, 1, 0), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

/* probe_read_kernel(R1 = fp - 64, R2 = UNKNOWN after `limits`, 0) */
#define READ_UNKNOWN(...)                                                                          \
	KEEP_CTX, UNKNOWN(2), __VA_ARGS__, MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -64),           \
		MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0

static void test_sizes_of_helpers_have_bounds(void **state)
{
	const struct program programs[] = {
		PROGRAM("masked", NULL, READ_UNKNOWN(ALU64_IMM(BPF_AND, 2, 63))),
		PROGRAM("too large", "invalid indirect access to stack R1 off=-64 size=127",
			READ_UNKNOWN(ALU64_IMM(BPF_AND, 2, 127))),
		PROGRAM("unknown", "R2 min value is negative", READ_UNKNOWN(MOV64_IMM(4, 0))),
		PROGRAM("signed", "R2 min value is negative",
			READ_UNKNOWN(JMP_IMM(BPF_JSLE, 2, 64, 2), MOV64_IMM(0, 0), EXIT())),
		PROGRAM("32 bits", "R2 unbounded memory access", READ_UNKNOWN(MOV32_REG(2, 2))),
		PROGRAM("without an upper bound", "R2 unbounded memory access",
			READ_UNKNOWN(JMP_IMM(BPF_JSGE, 2, 0, 2), MOV64_IMM(0, 0), EXIT())),
		PROGRAM("not more than 64", NULL,
			READ_UNKNOWN(JMP_IMM(BPF_JLE, 2, 64, 2), MOV64_IMM(0, 0), EXIT())),
		PROGRAM("pointer as size", "R2 type=ctx expected=scalar",
			READ_UNKNOWN(MOV64_REG(2, 6))),
		PROGRAM("0 where 0 is none", "invalid zero-sized read", MOV64_REG(1, 10),
			ALU64_IMM(BPF_ADD, 1, -16), MOV64_IMM(2, 0),
			CALL(BPF_FUNC_get_current_comm), RETURN_0),
		PROGRAM("maybe 0 where 0 is none", "invalid zero-sized read", KEEP_CTX, UNKNOWN(2),
			ALU64_IMM(BPF_AND, 2, 15), MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -16),
			CALL(BPF_FUNC_get_current_comm), RETURN_0),
		PROGRAM("size of a variable pointer",
			"invalid variable-offset indirect access to stack", KEEP_CTX, UNKNOWN(2),
			ALU64_IMM(BPF_AND, 2, 31), UNKNOWN(3), ALU64_IMM(BPF_AND, 3, 63),
			MOV64_REG(1, 10), ALU64_REG(BPF_ADD, 1, 3), ALU64_IMM(BPF_ADD, 1, -80),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
		PROGRAM("a map value of fewer bytes",
			"invalid access to map value, value_size=48 off=8", LOOKUP(WORLD_ARRAY),
			MOV64_REG(1, 0), ALU64_IMM(BPF_ADD, 1, 8), MOV64_IMM(2, 41),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0),
		PROGRAM("what was read is not known", "R7 max value is outside",
			LOOKUP(WORLD_ARRAY), MOV64_REG(7, 0), STORE_IMM(BPF_DW, 10, -16, 0),
			MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -16), MOV64_IMM(2, 8),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), LOAD(BPF_H, 1, 10, -16),
			ALU64_REG(BPF_ADD, 7, 1), LOAD(BPF_B, 0, 7, 0), RETURN_0),
		PROGRAM("the length of text has a bound", NULL, LOOKUP(WORLD_ARRAY),
			MOV64_REG(7, 0), MOV64_REG(1, 7), MOV64_IMM(2, 32), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_probe_read_kernel_str), JMP_IMM(BPF_JSLT, 0, 0, 2),
			ALU64_REG(BPF_ADD, 7, 0), LOAD(BPF_DW, 0, 7, 8), RETURN_0),
		PROGRAM("and may be an errno", "R7 min value is negative", LOOKUP(WORLD_ARRAY),
			MOV64_REG(7, 0), MOV64_REG(1, 7), MOV64_IMM(2, 32), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_probe_read_kernel_str), ALU64_REG(BPF_ADD, 7, 0),
			LOAD(BPF_DW, 0, 7, 8), RETURN_0),
		PROGRAM("text in a map that changes", "R3 does not point to a readonly map",
			MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 8),
			LD_VALUE(3, WORLD_WRONLY, 0), CALL(BPF_FUNC_strncmp), RETURN_0),
		PROGRAM("text", NULL, MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 8),
			LD_VALUE(3, WORLD_RDONLY, 0), CALL(BPF_FUNC_strncmp), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_helpers_take_the_maps_that_they_know(void **state)
{
	const struct program programs[] = {
		PROGRAM("lookup in a prog array",
			"cannot pass map_type 3 into func bpf_map_lookup_elem#1",
			STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			LD_MAP(1, WORLD_PROG_ARRAY), CALL(BPF_FUNC_map_lookup_elem), RETURN_0),
		PROGRAM("tail call by an array",
			"cannot pass map_type 2 into func bpf_tail_call#12", LD_MAP(2, WORLD_ARRAY),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_tail_call), RETURN_0),
		PROGRAM("push to a hash", "cannot pass map_type 1 into func bpf_map_push_elem#87",
			LD_MAP(1, WORLD_HASH), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -24),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_map_push_elem), RETURN_0),
		PROGRAM("update of a map of maps", "cannot pass map_type 12 into func",
			STORE_IMM(BPF_DW, 10, -8, 0), LD_MAP(1, WORLD_ARRAY_OF_MAPS),
			MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), MOV64_REG(3, 2),
			MOV64_IMM(4, 0), CALL(BPF_FUNC_map_update_elem), RETURN_0),
		PROGRAM("lookup in an inner map", NULL, LOOKUP(WORLD_ARRAY_OF_MAPS),
			MOV64_REG(1, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			CALL(BPF_FUNC_map_lookup_elem), JMP_IMM(BPF_JEQ, 0, 0, 1),
			LOAD(BPF_DW, 1, 0, 40), RETURN_0),
		PROGRAM("an inner map that may be NULL",
			"R1 type=map_value_or_null expected=map_ptr", STORE_IMM(BPF_DW, 10, -8, 0),
			MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), LD_MAP(1, WORLD_ARRAY_OF_MAPS),
			CALL(BPF_FUNC_map_lookup_elem), MOV64_REG(1, 0), MOV64_REG(2, 10),
			ALU64_IMM(BPF_ADD, 2, -8), CALL(BPF_FUNC_map_lookup_elem), RETURN_0),
		PROGRAM("a number as map", "R1 type=scalar expected=map_ptr", MOV64_IMM(1, 0),
			MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), CALL(BPF_FUNC_map_lookup_elem),
			RETURN_0),
		PROGRAM("a value as map", "R1 type=map_value expected=map_ptr", LOOKUP(WORLD_HASH),
			MOV64_REG(1, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),
			CALL(BPF_FUNC_map_lookup_elem), RETURN_0),
		PROGRAM("a key of too few bytes",
			"invalid indirect access to stack R2 off=-4 size=8", LD_MAP(1, WORLD_HASH),
			MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -4), CALL(BPF_FUNC_map_lookup_elem),
			RETURN_0),
		PROGRAM("a helper that is not there", "unknown func bpf_skb_store_bytes#9", CALL(9),
			RETURN_0),
		PROGRAM("a number that Linux does not have", "invalid func unknown#1234567",
			CALL(1234567), RETURN_0),
		PROGRAM("a context that is none", "R1 type=fp expected=ctx", MOV64_REG(1, 10),
			MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), MOV64_IMM(3, 8),
			MOV64_IMM(4, 0), CALL(BPF_FUNC_get_stack), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

/* R0 = a record of 8 bytes, or the program ends. Keeps R6 to R9. */
#define RESERVE                                                                                    \
	LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 8), MOV64_IMM(3, 0),                                \
		CALL(BPF_FUNC_ringbuf_reserve), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT()
#define SUBMIT(src) MOV64_REG(1, src), MOV64_IMM(2, 0), CALL(BPF_FUNC_ringbuf_submit)

static void test_references_are_given_up_once(void **state)
{
	const struct program programs[] = {
		PROGRAM("submit", NULL, RESERVE, STORE_IMM(BPF_DW, 0, 0, 1), SUBMIT(0), RETURN_0),
		PROGRAM("leak", "Unreleased reference id=", RESERVE, RETURN_0),
		PROGRAM("without a comparison", "R1 type=alloc_mem_or_null expected=alloc_mem",
			LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 8), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_ringbuf_reserve), SUBMIT(0), RETURN_0),
		PROGRAM("twice", "R1 type=scalar expected=alloc_mem", RESERVE, MOV64_REG(7, 0),
			SUBMIT(7), SUBMIT(7), RETURN_0),
		PROGRAM("use after", "R7 invalid mem access 'scalar'", RESERVE, MOV64_REG(7, 0),
			SUBMIT(7), STORE_IMM(BPF_DW, 7, 0, 1), RETURN_0),
		PROGRAM("use of a spilled copy after", "R7 invalid mem access 'scalar'", RESERVE,
			STORE(BPF_DW, 10, 0, -8), SUBMIT(0), LOAD(BPF_DW, 7, 10, -8),
			STORE_IMM(BPF_DW, 7, 0, 1), RETURN_0),
		PROGRAM("behind its end", "invalid access to memory, mem_size=8 off=8 size=1",
			RESERVE, MOV64_REG(7, 0), STORE_IMM(BPF_B, 7, 8, 1), SUBMIT(7), RETURN_0),
		PROGRAM("a moved pointer", "dereference of modified alloc_mem ptr R1 off=4",
			RESERVE, MOV64_REG(7, 0), ALU64_IMM(BPF_ADD, 7, 4), SUBMIT(7), RETURN_0),
		PROGRAM("a size that is not known", "R2 is not a known constant", KEEP_CTX,
			LD_MAP(1, WORLD_RINGBUF), UNKNOWN(2), ALU64_IMM(BPF_AND, 2, 8),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_ringbuf_reserve), RETURN_0),
		PROGRAM("tail call", "tail_call would lead to reference leak", KEEP_CTX, RESERVE,
			MOV64_REG(7, 0), MOV64_REG(1, 6), LD_MAP(2, WORLD_PROG_ARRAY),
			MOV64_IMM(3, 0), CALL(BPF_FUNC_tail_call), SUBMIT(7), RETURN_0),
		PROGRAM("in a function", NULL, CALL_FUNC(6), JMP_IMM(BPF_JEQ, 0, 0, 3), SUBMIT(0),
			RETURN_0, LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 8), MOV64_IMM(3, 0),
			CALL(BPF_FUNC_ringbuf_reserve), EXIT()),
	};

	(void)state;
	CHECK(programs);
}

/* bpf_loop(4, the function `distance` instructions behind the call, R10 - 8, 0) */
#define LOOP(distance)                                                                             \
	MOV64_IMM(1, 4), LD_FUNC(2, (distance) + 5), MOV64_REG(3, 10), ALU64_IMM(BPF_ADD, 3, -8),  \
		MOV64_IMM(4, 0), CALL(BPF_FUNC_loop)

static void test_callbacks_run_any_number_of_times(void **state)
{
	const struct program programs[] = {
		PROGRAM("loop", NULL, STORE_IMM(BPF_DW, 10, -8, 0), LOOP(2), RETURN_0,
			LOAD(BPF_DW, 1, 2, 0), ALU64_IMM(BPF_ADD, 1, 1), STORE(BPF_DW, 2, 1, 0),
			RETURN_0),
		PROGRAM("no round: the stack is as before", "R6 min value is outside",
			LOOKUP(WORLD_ARRAY), MOV64_REG(6, 0), STORE_IMM(BPF_DW, 10, -8, 100),
			LOOP(5), LOAD(BPF_DW, 1, 10, -8), ALU64_REG(BPF_ADD, 6, 1),
			LOAD(BPF_B, 0, 6, 0), RETURN_0, STORE_IMM(BPF_DW, 2, 0, 0), RETURN_0),
		PROGRAM("many rounds: no bound", "register with unbounded min value",
			LOOKUP(WORLD_ARRAY), MOV64_REG(6, 0), STORE_IMM(BPF_DW, 10, -8, 0), LOOP(5),
			LOAD(BPF_DW, 1, 10, -8), ALU64_REG(BPF_ADD, 6, 1), LOAD(BPF_B, 0, 6, 0),
			RETURN_0, LOAD(BPF_DW, 1, 2, 0), ALU64_IMM(BPF_ADD, 1, 1),
			STORE(BPF_DW, 2, 1, 0), RETURN_0),
		PROGRAM("a pointer is lost in the second round", "R1 invalid mem access 'scalar'",
			STORE(BPF_DW, 10, 1, -8), LOOP(2), RETURN_0, LOAD(BPF_DW, 1, 2, 0),
			LOAD(BPF_DW, 1, 1, 0), STORE(BPF_DW, 2, 1, 0), RETURN_0),
		PROGRAM("returns 2", "At callback return the register R0 has value (0x2; 0x0)",
			STORE_IMM(BPF_DW, 10, -8, 0), LOOP(2), RETURN_0, MOV64_IMM(0, 2), EXIT()),
		PROGRAM("returns a pointer", "R0 not a scalar value", STORE_IMM(BPF_DW, 10, -8, 0),
			LOOP(2), RETURN_0, LD_MAP(0, WORLD_HASH), EXIT()),
		PROGRAM("leaks", "Unreleased reference", LOOP(2), RETURN_0, RESERVE, RETURN_0),
		PROGRAM("gives up its caller's", "reference has not been acquired before", RESERVE,
			MOV64_REG(7, 0), STORE(BPF_DW, 10, 0, -8), LOOP(5), SUBMIT(7), RETURN_0,
			LOAD(BPF_DW, 7, 2, 0), SUBMIT(7), RETURN_0),
		PROGRAM("by a function", "reference has not been acquired before", RESERVE,
			MOV64_REG(7, 0), STORE(BPF_DW, 10, 0, -8), LOOP(5), SUBMIT(7), RETURN_0,
			CALL_FUNC(2), RETURN_0, LOAD(BPF_DW, 7, 2, 0), SUBMIT(7), RETURN_0),
		PROGRAM("a pointer as count", "R1 type=fp expected=scalar", MOV64_REG(1, 10),
			LD_FUNC(2, 6), MOV64_IMM(3, 0), MOV64_IMM(4, 0), CALL(BPF_FUNC_loop),
			RETURN_0, RETURN_0),
		PROGRAM("no callback", "R2 type=scalar expected=func", MOV64_IMM(1, 4),
			MOV64_IMM(2, 0), MOV64_IMM(3, 0), MOV64_IMM(4, 0), CALL(BPF_FUNC_loop),
			RETURN_0),
		PROGRAM("elements", NULL, LD_MAP(1, WORLD_HASH), LD_FUNC(2, 6), MOV64_IMM(3, 0),
			MOV64_IMM(4, 0), CALL(BPF_FUNC_for_each_map_elem), RETURN_0,
			LOAD(BPF_DW, 5, 2, 0), STORE(BPF_DW, 3, 5, 16), RETURN_0),
		PROGRAM("a key does not change", "write to change key R2 not allowed",
			LD_MAP(1, WORLD_HASH), LD_FUNC(2, 6), MOV64_IMM(3, 0), MOV64_IMM(4, 0),
			CALL(BPF_FUNC_for_each_map_elem), RETURN_0, STORE_IMM(BPF_DW, 2, 0, 1),
			RETURN_0),
		PROGRAM("not even by a helper", "R1 cannot write into map_key",
			LD_MAP(1, WORLD_HASH), LD_FUNC(2, 6), MOV64_IMM(3, 0), MOV64_IMM(4, 0),
			CALL(BPF_FUNC_for_each_map_elem), RETURN_0, MOV64_REG(1, 2),
			MOV64_IMM(2, 8), MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel),
			RETURN_0),
		PROGRAM("behind the key", "invalid access to map key, key_size=8 off=8 size=1",
			LD_MAP(1, WORLD_HASH), LD_FUNC(2, 6), MOV64_IMM(3, 0), MOV64_IMM(4, 0),
			CALL(BPF_FUNC_for_each_map_elem), RETURN_0, LOAD(BPF_B, 1, 2, 8), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_functions_return_to_their_callers(void **state)
{
	const struct program programs[] = {
		PROGRAM("result", NULL, CALL_FUNC(1), EXIT(), RETURN_0),
		PROGRAM("arguments are lost", "R1 !read_ok", CALL_FUNC(2), MOV64_REG(0, 1), EXIT(),
			RETURN_0),
		PROGRAM("the callee has no R6", "R6 !read_ok", MOV64_IMM(6, 1), CALL_FUNC(1),
			EXIT(), MOV64_REG(0, 6), EXIT()),
		PROGRAM("stack pointer", "cannot return stack pointer to the caller", CALL_FUNC(1),
			EXIT(), MOV64_REG(0, 10), EXIT()),
		PROGRAM("stack pointer by the caller's stack",
			"cannot spill pointers to stack into stack frame of the caller",
			MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8), CALL_FUNC(1), EXIT(),
			STORE(BPF_DW, 1, 10, 0), RETURN_0),
		PROGRAM("a number by the caller's stack", NULL, LOOKUP(WORLD_ARRAY),
			MOV64_REG(6, 0), MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -16), CALL_FUNC(5),
			LOAD(BPF_DW, 1, 10, -16), ALU64_REG(BPF_ADD, 6, 1), LOAD(BPF_DW, 0, 6, 0),
			RETURN_0, STORE_IMM(BPF_DW, 1, 0, 40), RETURN_0),
		PROGRAM("a wrong number by the caller's stack", "value_size=48 off=41 size=8",
			LOOKUP(WORLD_ARRAY), MOV64_REG(6, 0), MOV64_REG(1, 10),
			ALU64_IMM(BPF_ADD, 1, -16), CALL_FUNC(5), LOAD(BPF_DW, 1, 10, -16),
			ALU64_REG(BPF_ADD, 6, 1), LOAD(BPF_DW, 0, 6, 0), RETURN_0,
			STORE_IMM(BPF_DW, 1, 0, 41), RETURN_0),
	};

	(void)state;
	CHECK(programs);
}

static void test_fixup_writes_what_runs(void **state)
{
	static const struct bpf_insn insns[] = {
		LD_VALUE(6, WORLD_RDONLY, 1),      /* 0 */
		STORE_IMM(BPF_DW, 10, -20 + 4, 0), /* 2 */
		CALL_FUNC(4),                      /* 3 */
		CALL(BPF_FUNC_ktime_get_ns),       /* 4 */
		MOV64_IMM(0, 0),                   /* 5 */
		JMP_IMM(BPF_JEQ, 0, 0, 1),         /* 6 */
		MOV64_IMM(0, 7),                   /* 7: never */
		EXIT(),                            /* 8 */
		MOV64_IMM(0, 0),                   /* 9 */
		EXIT(),
	};
	struct bpf_insn *insn;
	u64 address;

	(void)state;
	memset(&check, 0, sizeof(check));
	{
		struct bpf_insn copy[ARRAY_SIZE(insns)];

		memcpy(copy, insns, sizeof(copy));
		copy[3].imm = 5;
		assert_int_equal(world_check(&check, copy, ARRAY_SIZE(copy)), 0);
	}
	insn = check.prog.insns;
	address = (u32)insn[0].imm | (u64)(u32)insn[1].imm << 32;
	assert_ptr_equal((void *)address, world_rdonly_value + 1);
	assert_int_equal(insn[3].off, 16);
	assert_int_equal(insn[3].imm, 5);
	assert_int_equal(insn[4].imm, (s64)((u64)bpf_ktime_get_ns - (u64)__bpf_call_base));
	assert_int_equal(insn[7].code, BPF_JMP | BPF_JA);
	assert_int_equal(insn[7].off, -1);
	assert_int_equal(check.prog.nr_subprogs, 2);
	assert_int_equal(check.prog.subprogs[0].stack_depth, 16);
	world_end(&check);
	assert_int_equal(world_leaks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_keeps_pointers_that_are_spilled_whole),
		cmocka_unit_test(test_stack_keeps_numbers_of_one_size_only),
		cmocka_unit_test(test_stack_has_bounds),
		cmocka_unit_test(test_map_values_have_bounds),
		cmocka_unit_test(test_pointers_only_move),
		cmocka_unit_test(test_atomics_bring_numbers),
		cmocka_unit_test(test_sizes_of_helpers_have_bounds),
		cmocka_unit_test(test_helpers_take_the_maps_that_they_know),
		cmocka_unit_test(test_references_are_given_up_once),
		cmocka_unit_test(test_callbacks_run_any_number_of_times),
		cmocka_unit_test(test_functions_return_to_their_callers),
		cmocka_unit_test(test_fixup_writes_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
