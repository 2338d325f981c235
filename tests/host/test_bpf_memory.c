/*
 * What programs do with memory and pointers: the stack, values of maps, the context, atomics.
 *
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: trace/bpf/verifier/[a-z]*.c trace/bpf/load/[a-z]*.c
 * flags: -O1
 */
#include "bpf_programs.h"

static void test_stack_keeps_pointers_that_are_spilled_whole(void **state)
{
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_keeps_pointers_that_are_spilled_whole),
		cmocka_unit_test(test_stack_keeps_numbers_of_one_size_only),
		cmocka_unit_test(test_stack_has_bounds),
		cmocka_unit_test(test_map_values_have_bounds),
		cmocka_unit_test(test_pointers_only_move),
		cmocka_unit_test(test_atomics_bring_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
