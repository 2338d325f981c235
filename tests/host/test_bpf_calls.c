/*
 * What programs call: helpers with their arguments, functions, callbacks; references; and what the
 * verifier makes of a program at the end.
 *
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: trace/bpf/verifier/[a-z]*.c trace/bpf/load/[a-z]*.c
 * flags: -O1
 */
#include "bpf_programs.h"

/* probe_read_kernel(R1 = fp - 64, R2 = UNKNOWN after `limits`, 0) */
#define READ_UNKNOWN(...)                                                                          \
	KEEP_CTX, UNKNOWN(2), __VA_ARGS__, MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -64),           \
		MOV64_IMM(3, 0), CALL(BPF_FUNC_probe_read_kernel), RETURN_0

static void test_sizes_of_helpers_have_bounds(void **state)
{
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
	static const struct program programs[] = {
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
		cmocka_unit_test(test_sizes_of_helpers_have_bounds),
		cmocka_unit_test(test_helpers_take_the_maps_that_they_know),
		cmocka_unit_test(test_references_are_given_up_once),
		cmocka_unit_test(test_callbacks_run_any_number_of_times),
		cmocka_unit_test(test_functions_return_to_their_callers),
		cmocka_unit_test(test_fixup_writes_what_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
