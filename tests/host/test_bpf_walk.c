/*
 * The verifier's walk: loops, functions, callbacks, and above all when it stops, because a state that
 * is taken for covered and is not lets any program in. Each program here that is refused has a run that
 * does harm or has no end.
 *
 * sources: tests/host/bpf_world.c kernel/btf/btf.c
 * sources: trace/bpf/helpers/names.c trace/bpf/helpers/protos.c trace/bpf/helpers/kprobe.c
 * sources: trace/bpf/helpers/tracepoint.c trace/bpf/helpers/perf_event.c
 * sources: trace/bpf/helpers/raw_tracepoint.c trace/bpf/helpers/socket_filter.c
 * sources: trace/bpf/verifier/[a-z]*.c trace/bpf/load/[a-z]*.c
 * flags: -O1
 */
#include "test.h"

#include "bpf_asm.h"
#include "bpf_world.h"
#include "kernel/errno.h"

static struct world_check check;

/* Whether the program is refused with that text, or, with NULL, accepted; with and without many states. */
static void expect_insns(const char *error, const struct bpf_insn *insns, u32 len)
{
	for (u32 flags = 0; flags <= BPF_F_TEST_STATE_FREQ; flags += BPF_F_TEST_STATE_FREQ) {
		bool as_expected;
		int err;

		memset(&check, 0, sizeof(check));
		check.flags = flags;
		check.log_level = BPF_LOG_STATS;
		err = world_check(&check, insns, len);
		as_expected = error ? err && strstr(check.log, error) : !err;
		world_end(&check);
		assert_int_equal(world_leaks(), 0);
		if (!as_expected)
			fail_msg("flags %u: %d, expected %s\n%s", flags, err, error ?: "success",
				 check.log);
	}
}
#define EXPECT(error, ...)                                                                         \
	do {                                                                                       \
		static const struct bpf_insn insns[] = { __VA_ARGS__ };                            \
                                                                                                   \
		expect_insns(error, insns, ARRAY_SIZE(insns));                                     \
	} while (0)

#define RETURN_0     MOV64_IMM(0, 0), EXIT()
#define KEEP_CTX     MOV64_REG(6, 1)
#define UNKNOWN(dst) LOAD(BPF_DW, dst, 6, 0)
/* R0 = a value of 48 bytes; 8 instructions. Changes R1 to R5. */
#define LOOKUP                                                                                     \
	STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8),                 \
		LD_MAP(1, WORLD_ARRAY), CALL(BPF_FUNC_map_lookup_elem), JMP_IMM(BPF_JNE, 0, 0, 1), \
		EXIT()
/* R0[offset] = 0, the end of the program */
#define USE_AS_OFFSET(reg) ALU64_REG(BPF_ADD, 0, reg), STORE_IMM(BPF_B, 0, 0, 0), RETURN_0
#define OUTSIDE            "invalid access to map value"
/* bpf_loop(1, the function that many instructions behind the call, R10 + off, 0); 7 instructions */
#define LOOP(distance, off)                                                                        \
	MOV64_IMM(1, 1), LD_FUNC(2, (distance) + 5), MOV64_REG(3, 10), ALU64_IMM(BPF_ADD, 3, off), \
		MOV64_IMM(4, 0), CALL(BPF_FUNC_loop)

static void loops_with_an_end_are_walked(void **state)
{
	(void)state;
	EXPECT(NULL, MOV64_IMM(0, 0), ALU64_IMM(BPF_ADD, 0, 1), JMP_IMM(BPF_JLT, 0, 100, -2),
	       EXIT());
	EXPECT(NULL, MOV64_IMM(0, 0), MOV64_IMM(1, 0), ALU64_IMM(BPF_ADD, 1, 1),
	       JMP_IMM(BPF_JLT, 1, 30, -2), ALU64_IMM(BPF_ADD, 0, 1), JMP_IMM(BPF_JLT, 0, 30, -5),
	       EXIT());
}

static void loops_without_an_end_are_refused(void **state)
{
	(void)state;
	EXPECT("infinite loop detected", KEEP_CTX, MOV64_IMM(0, 0), UNKNOWN(2),
	       JMP_IMM(BPF_JNE, 2, 0, -2), EXIT());
	EXPECT("infinite loop detected", KEEP_CTX, MOV64_IMM(0, 0), UNKNOWN(2),
	       JMP_IMM(BPF_JNE, 2, 0, -1), EXIT());
	EXPECT("infinite loop detected", MOV64_IMM(0, 0), JMP_IMM(BPF_JEQ, 0, 1, 1), JUMP(-2),
	       EXIT());
	/* It has an end, which is too far. */
	EXPECT("BPF program is too large", MOV64_IMM(0, 0), ALU64_IMM(BPF_ADD, 0, 1),
	       JMP_IMM(BPF_JLT, 0, 1000000, -2), EXIT());
	/* R7 counts, but does not matter: so the states are alike. */
	EXPECT("", KEEP_CTX, MOV64_IMM(0, 0), MOV64_IMM(7, 0), ALU64_IMM(BPF_ADD, 7, 1), UNKNOWN(2),
	       JMP_IMM(BPF_JNE, 2, 0, -3), EXIT());
}

static void the_number_of_an_offset_is_not_forgotten(void **state)
{
	(void)state;
	/* R7 is 0 on one way, 100 on the other. */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 1),
	       MOV64_IMM(7, 0), JUMP(0), LOOKUP, USE_AS_OFFSET(7));
	/* By way of other registers, */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 1),
	       MOV64_IMM(7, 0), JUMP(0), LOOKUP, MOV64_REG(8, 7), JUMP(0), MOV64_IMM(9, 1),
	       ALU64_REG(BPF_ADD, 9, 8), JUMP(0), USE_AS_OFFSET(9));
	/* of the stack, */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 1),
	       MOV64_IMM(7, 1), JUMP(0), STORE(BPF_DW, 10, 7, -16), JUMP(0), LOOKUP, JUMP(0),
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7));
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), STORE_IMM(BPF_DW, 10, -16, 100),
	       JMP_IMM(BPF_JEQ, 2, 0, 1), STORE_IMM(BPF_DW, 10, -16, 0), JUMP(0), LOOKUP, JUMP(0),
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7));
	/* of a constant of 64 bits, */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), LD_CONST(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 2),
	       LD_CONST(7, 0), JUMP(0), LOOKUP, JUMP(0), USE_AS_OFFSET(7));
	/* of a jump that goes one way only with each number, */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 1),
	       MOV64_IMM(7, 0), JUMP(0), LOOKUP, MOV64_IMM(8, 0), JUMP(0),
	       JMP_IMM(BPF_JEQ, 7, 0, 1), MOV64_IMM(8, 100), USE_AS_OFFSET(8));
	/* and of a function. */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), MOV64_IMM(7, 100), JMP_IMM(BPF_JEQ, 2, 0, 1),
	       MOV64_IMM(7, 0), JUMP(0), LOOKUP, MOV64_REG(8, 0), MOV64_REG(1, 7), CALL_FUNC(4),
	       ALU64_REG(BPF_ADD, 8, 0), STORE_IMM(BPF_B, 8, 0, 0), RETURN_0, JUMP(0),
	       MOV64_REG(0, 1), EXIT());
}

static void that_two_numbers_are_the_same_is_not_forgotten(void **state)
{
	(void)state;
	/* On one way R3 is a copy of R2, so that the bound of R2 holds for it. */
	EXPECT("unbounded", KEEP_CTX, LOOKUP, UNKNOWN(2), UNKNOWN(3), JMP_IMM(BPF_JEQ, 2, 7, 1),
	       MOV64_REG(3, 2), JUMP(0), JMP_IMM(BPF_JGT, 2, 40, 1), JUMP(1), EXIT(),
	       USE_AS_OFFSET(3));
	EXPECT(NULL, KEEP_CTX, LOOKUP, UNKNOWN(2), MOV64_REG(3, 2), JMP_IMM(BPF_JEQ, 2, 7, 1),
	       MOV64_REG(3, 2), JUMP(0), JMP_IMM(BPF_JGT, 2, 40, 1), JUMP(1), EXIT(),
	       USE_AS_OFFSET(3));
}

static void what_the_stack_holds_is_not_forgotten(void **state)
{
	(void)state;
	/* A pointer or a number is at -16, and is read in a function, by a pointer. */
	EXPECT("R1 invalid mem access 'scalar'", KEEP_CTX, UNKNOWN(2), STORE(BPF_DW, 10, 10, -16),
	       JMP_IMM(BPF_JEQ, 2, 0, 1), STORE_IMM(BPF_DW, 10, -16, 1), JUMP(0), JUMP(0),
	       MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -16), CALL_FUNC(2), RETURN_0, JUMP(0),
	       LOAD(BPF_DW, 1, 1, 0), STORE_IMM(BPF_B, 1, -1, 0), RETURN_0);
	/* The slot is written in part before it is read. */
	EXPECT(OUTSIDE, KEEP_CTX, UNKNOWN(2), STORE_IMM(BPF_DW, 10, -16, 0),
	       JMP_IMM(BPF_JEQ, 2, 0, 1), STORE_IMM(BPF_DW, 10, -16, -1), JUMP(0), JUMP(0),
	       STORE_IMM(BPF_B, 10, -9, 0), JUMP(0), LOOKUP, LOAD(BPF_B, 7, 10, -16),
	       USE_AS_OFFSET(7));
}

/*
 * The second way is pruned where it meets the first one, because R7, or a slot, is 0 on both. So the
 * number matters in the states of the second way, too, although the way was not walked to its end; and
 * the third way, on which it is 100, is not covered by them.
 */
static void what_matters_behind_a_pruned_state_matters_before_it(void **state)
{
	(void)state;
	EXPECT(OUTSIDE, KEEP_CTX, LOOKUP, UNKNOWN(2), UNKNOWN(3), MOV64_IMM(7, 0),
	       JMP_IMM(BPF_JEQ, 2, 1, 5), JUMP(0), USE_AS_OFFSET(7), JMP_IMM(BPF_JEQ, 3, 2, 1),
	       JUMP(1), MOV64_IMM(7, 100), JUMP(-8));
	EXPECT(OUTSIDE, KEEP_CTX, LOOKUP, UNKNOWN(2), UNKNOWN(3), STORE_IMM(BPF_DW, 10, -16, 0),
	       JMP_IMM(BPF_JEQ, 2, 1, 6), JUMP(0), LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7),
	       JMP_IMM(BPF_JEQ, 3, 2, 1), JUMP(1), STORE_IMM(BPF_DW, 10, -16, 100), JUMP(-9));
}

/* 2^12 ways, if nothing is pruned. */
static void what_does_not_matter_is_walked_once(void **state)
{
	struct bpf_insn insns[80], *insn = insns;

	(void)state;
	*insn++ = KEEP_CTX;
	for (int i = 0; i < 12; i++) {
		*insn++ = UNKNOWN(2);
		*insn++ = STORE_IMM(BPF_DW, 10, -8 * (i + 1), i);
		*insn++ = MOV64_IMM(7, i);
		*insn++ = JMP_IMM(BPF_JEQ, 2, i, 1);
		*insn++ = STORE(BPF_DW, 10, 6, -8 * (i + 1));
		*insn++ = ALU64_IMM(BPF_ADD, 8, 0);
		if (!i) /* R8 is a number that counts, but nothing depends on it */
			insn[-1] = MOV64_IMM(8, 0);
	}
	*insn++ = MOV64_IMM(0, 0);
	*insn++ = EXIT();
	memset(&check, 0, sizeof(check));
	assert_int_equal(world_check(&check, insns, (u32)(insn - insns)), 0);
	assert_in_range(check.prog.verified_insns, insn - insns, 500);
	world_end(&check);
}

static void a_callback_may_run_never_or_often(void **state)
{
	(void)state;
	/* It writes nothing. */
	EXPECT(NULL, STORE_IMM(BPF_DW, 10, -16, 0), LOOP(2, -16), RETURN_0, RETURN_0);
	/* It comes to the same state in each round, and still has an end. */
	EXPECT(NULL, STORE_IMM(BPF_DW, 10, -16, 0), LOOP(2, -16), RETURN_0,
	       STORE_IMM(BPF_DW, 2, 0, 5), JUMP(0), RETURN_0);
	/* What it writes is there after the loop: another number after each round, so any, */
	EXPECT("unbounded", STORE_IMM(BPF_DW, 10, -16, 0), LOOP(13, -16), LOOKUP,
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7), STORE_IMM(BPF_DW, 2, 0, 100), RETURN_0);
	/* or is not, if there is no round, */
	EXPECT(OUTSIDE, STORE_IMM(BPF_DW, 10, -16, 100), LOOP(13, -16), LOOKUP,
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7), STORE_IMM(BPF_DW, 2, 0, 0), RETURN_0);
	/* or was written more than once. */
	EXPECT("unbounded", STORE_IMM(BPF_DW, 10, -16, 0), LOOP(13, -16), LOOKUP,
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7), LOAD(BPF_DW, 1, 2, 0),
	       ALU64_IMM(BPF_ADD, 1, 1), STORE(BPF_DW, 2, 1, 0), RETURN_0);
	EXPECT(NULL, STORE_IMM(BPF_DW, 10, -16, 0), LOOP(15, -16), LOOKUP, LOAD(BPF_DW, 7, 10, -16),
	       JMP_IMM(BPF_JLT, 7, 48, 1), EXIT(), USE_AS_OFFSET(7), LOAD(BPF_DW, 1, 2, 0),
	       ALU64_IMM(BPF_ADD, 1, 1), STORE(BPF_DW, 2, 1, 0), RETURN_0);
	/* A round that brings nothing new does not hide another one, which does. */
	EXPECT("unbounded", STORE_IMM(BPF_DW, 10, -16, 0), LOOP(13, -16), LOOKUP,
	       LOAD(BPF_DW, 7, 10, -16), USE_AS_OFFSET(7), JMP_IMM(BPF_JEQ, 1, 7, 2),
	       STORE_IMM(BPF_DW, 2, 0, 0), JUMP(1), STORE_IMM(BPF_DW, 2, 0, 100), JUMP(0),
	       RETURN_0);
	/* A pointer of the caller is a number afterwards. */
	EXPECT("R1 invalid mem access 'scalar'", STORE(BPF_DW, 10, 10, -16), LOOP(4, -16),
	       LOAD(BPF_DW, 1, 10, -16), STORE_IMM(BPF_B, 1, -1, 0), RETURN_0,
	       STORE_IMM(BPF_DW, 2, 0, 7), RETURN_0);
}

/* p = value of 48 bytes; n = 0; each round: if (n >= limit) return; *p++ = 0; n++ (or nothing) */
#define MOVE_POINTER(count, limit)                                                                 \
	LOOKUP, STORE(BPF_DW, 10, 0, -16), STORE_IMM(BPF_DW, 10, -24, 0), LOOP(2, -24), RETURN_0,  \
		LOAD(BPF_DW, 1, 2, 0), JMP_IMM(BPF_JGE, 1, limit, 6), LOAD(BPF_DW, 3, 2, 8),       \
		STORE_IMM(BPF_DW, 3, 0, 0), ALU64_IMM(BPF_ADD, 3, 8), STORE(BPF_DW, 2, 3, 8),      \
		count, STORE(BPF_DW, 2, 1, 0), RETURN_0

static void a_pointer_may_move_from_round_to_round(void **state)
{
	(void)state;
	EXPECT(NULL, MOVE_POINTER(ALU64_IMM(BPF_ADD, 1, 1), 6));
	EXPECT(OUTSIDE, MOVE_POINTER(ALU64_IMM(BPF_ADD, 1, 1), 7));
	EXPECT(OUTSIDE, MOVE_POINTER(MOV64_IMM(1, 0), 6));
}

/*
 * for (i = 0; i < 10; i++) bpf_loop(1, callback, &i, 0). If the callback resets i, that has no end: no
 * state in the callback may hide it.
 */
#define LOOP_AROUND_CALLBACK(write)                                                                \
	STORE_IMM(BPF_DW, 10, -16, 0), LOAD(BPF_DW, 1, 10, -16), JMP_IMM(BPF_JGT, 1, 9, 11),       \
		LOOP(6, -16), LOAD(BPF_DW, 1, 10, -16), ALU64_IMM(BPF_ADD, 1, 1),                  \
		STORE(BPF_DW, 10, 1, -16), JUMP(-13), RETURN_0, write, JUMP(0), RETURN_0

static void a_callback_hides_no_endless_loop(void **state)
{
	(void)state;
	EXPECT(NULL, LOOP_AROUND_CALLBACK(MOV64_IMM(1, 0)));
	EXPECT("infinite loop detected", LOOP_AROUND_CALLBACK(STORE_IMM(BPF_DW, 2, 0, 0)));
	EXPECT("infinite loop detected", STORE_IMM(BPF_DW, 10, -16, 0), LOOP(4, -16),
	       LOAD(BPF_DW, 1, 10, -16), JMP_IMM(BPF_JNE, 1, 1, -9), RETURN_0, RETURN_0);
	/* The endless loop is in the callback. */
	EXPECT("infinite loop detected", STORE_IMM(BPF_DW, 10, -16, 0), LOOP(2, -16), RETURN_0,
	       LOAD(BPF_DW, 1, 2, 0), JMP_IMM(BPF_JNE, 1, 0, -1), JMP_IMM(BPF_JEQ, 1, 0, -3),
	       RETURN_0);
}

static void functions_have_limits(void **state)
{
	struct bpf_insn insns[64];
	u32 len = 0;

	(void)state;
	EXPECT("back-edge", CALL_FUNC(1), EXIT(), CALL_FUNC(-1), EXIT());
	EXPECT("last insn is not an exit or jmp", CALL_FUNC(1), EXIT(), MOV64_IMM(0, 0));
	EXPECT("jump out of range", CALL_FUNC(2), MOV64_IMM(0, 0), EXIT(), JUMP(-2), RETURN_0);
	EXPECT("unreachable insn 1", EXIT(), EXIT());
	/* Each of the nine calls the next one. */
	for (int i = 0; i < 8; i++) {
		insns[len++] = CALL_FUNC(1);
		insns[len++] = EXIT();
	}
	insns[len++] = MOV64_IMM(0, 0);
	insns[len++] = EXIT();
	expect_insns("too deep", insns, len);
	expect_insns(NULL, insns + 2, len - 2);
	EXPECT("combined stack size of 2 calls is 544", STORE_IMM(BPF_DW, 10, -512, 0),
	       CALL_FUNC(1), EXIT(), STORE_IMM(BPF_DW, 10, -32, 0), RETURN_0);
	EXPECT(NULL, STORE_IMM(BPF_DW, 10, -480, 0), CALL_FUNC(1), EXIT(),
	       STORE_IMM(BPF_DW, 10, -32, 0), RETURN_0);
}

/* Calls the function behind it with 5 and a pointer. */
#define CALL_GLOBAL                                                                                \
	STORE_IMM(BPF_W, 10, -4, 7), MOV64_IMM(1, 5), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -4), \
		CALL_FUNC(2), RETURN_0

/* The same with an element of a map, which may be NULL. */
#define PASS_ELEMENT(map)                                                                          \
	STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -8), LD_MAP(1, map), \
		CALL(BPF_FUNC_map_lookup_elem), MOV64_IMM(1, 5), MOV64_REG(2, 0), CALL_FUNC(2),    \
		RETURN_0

static void expect_global(const char *error, const struct bpf_insn *insns, u32 len)
{
	int err;

	memset(&check, 0, sizeof(check));
	check.global = true;
	check.log_level = BPF_LOG_LEVEL2;
	err = world_check(&check, insns, len);
	if (!err != !error || !strstr(check.log, error ?: "is safe for any args"))
		print_error("%d, expected %s\n%s", err, error ?: "success", check.log);
	assert_int_equal(!err, !error);
	assert_non_null(strstr(check.log, error ?: "is safe for any args"));
	world_end(&check);
}
#define EXPECT_GLOBAL(error, ...)                                                                  \
	do {                                                                                       \
		static const struct bpf_insn insns[] = { __VA_ARGS__ };                            \
                                                                                                   \
		expect_global(error, insns, ARRAY_SIZE(insns));                                    \
	} while (0)

static void a_global_function_is_safe_for_all_arguments(void **state)
{
	(void)state;
	EXPECT_GLOBAL(NULL, CALL_GLOBAL, MOV64_IMM(0, 0), JMP_IMM(BPF_JEQ, 2, 0, 1),
		      LOAD(BPF_W, 0, 2, 0), EXIT());
	EXPECT_GLOBAL("R2 invalid mem access 'mem_or_null'", CALL_GLOBAL, LOAD(BPF_W, 0, 2, 0),
		      EXIT());
	EXPECT_GLOBAL("invalid access to memory, mem_size=4", CALL_GLOBAL, MOV64_IMM(0, 0),
		      JMP_IMM(BPF_JEQ, 2, 0, 1), LOAD(BPF_W, 0, 2, 4), EXIT());
	/* 5 is not all that R1 may be. */
	EXPECT_GLOBAL("unbounded min value", CALL_GLOBAL, MOV64_IMM(0, 0),
		      JMP_IMM(BPF_JEQ, 2, 0, 3), JMP_IMM(BPF_JGT, 1, 0, 0),
		      ALU64_REG(BPF_ADD, 2, 1), LOAD(BPF_B, 0, 2, 0), EXIT());
	EXPECT_GLOBAL("Caller passes invalid args", MOV64_IMM(1, 5), MOV64_IMM(2, 1), CALL_FUNC(2),
		      RETURN_0, RETURN_0);
	EXPECT_GLOBAL(NULL, PASS_ELEMENT(WORLD_ARRAY), RETURN_0);
	/* The element of a map of maps is a struct bpf_map, also where it may be NULL. */
	EXPECT_GLOBAL("R2 type=map_ptr expected=fp", PASS_ELEMENT(WORLD_ARRAY_OF_MAPS), RETURN_0);
}

static void instructions_are_known_and_have_no_other_fields(void **state)
{
	(void)state;
	EXPECT("unknown opcode ff", INSN(0xff, 0, 0, 0, 0), EXIT());
	EXPECT("unknown opcode 8d", INSN(BPF_JMP | BPF_CALL | BPF_X, 0, 0, 0, 0), EXIT());
	EXPECT("BPF_MOV uses reserved fields", INSN(BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 8, 0),
	       EXIT());
	EXPECT("BPF_LDX uses reserved fields", INSN(BPF_LDX | BPF_PROBE_MEM | BPF_W, 0, 1, 0, 0),
	       EXIT());
	EXPECT("BPF_JA uses reserved fields", INSN(BPF_JMP | BPF_JA, 0, 0, 0, 1), RETURN_0);
	EXPECT("BPF_JA uses reserved fields", INSN(BPF_JMP32 | BPF_JA, 0, 0, 1, 0), RETURN_0);
	EXPECT("unknown opcode 0e", INSN(BPF_JMP32 | BPF_JA | BPF_X, 0, 0, 0, 0), RETURN_0);
	EXPECT("BPF_EXIT uses reserved fields", INSN(BPF_JMP | BPF_EXIT, 1, 0, 0, 0));
	EXPECT("R11 is invalid", MOV64_REG(0, 11), EXIT());
	EXPECT("R12 is invalid", MOV64_IMM(12, 0), EXIT());
	EXPECT("frame pointer is read only", MOV64_IMM(10, 0), EXIT());
	EXPECT("invalid shift 64", MOV64_IMM(0, 0), ALU64_IMM(BPF_LSH, 0, 64), EXIT());
	EXPECT("invalid shift 32", MOV64_IMM(0, 0), ALU32_IMM(BPF_RSH, 0, 32), EXIT());
	EXPECT("div by zero", MOV64_IMM(0, 0), ALU64_IMM(BPF_MOD, 0, 0), EXIT());
	EXPECT("invalid bpf_ld_imm64 insn", INSN(BPF_LD | BPF_IMM | BPF_DW, 0, 0, 0, 0), EXIT());
	EXPECT("jump into the middle of ldimm64", JMP_IMM(BPF_JEQ, 1, 0, 1), LD_CONST(0, 0),
	       EXIT());
}

static void jumps_with_a_long_distance_are_followed(void **state)
{
	(void)state;
	EXPECT(NULL, MOV64_IMM(0, 0), LONG_JUMP(1), EXIT(), ALU64_IMM(BPF_ADD, 0, 1),
	       JMP_IMM(BPF_JGT, 0, 9, -3), LONG_JUMP(-3));
	EXPECT("R7 !read_ok", KEEP_CTX, UNKNOWN(2), JMP_IMM(BPF_JEQ, 2, 0, 1), LONG_JUMP(1),
	       MOV64_IMM(7, 0), MOV64_REG(0, 7), EXIT());
	EXPECT("infinite loop detected", MOV64_IMM(0, 0), JMP_IMM(BPF_JEQ, 0, 1, 1), LONG_JUMP(-2),
	       EXIT());
	EXPECT("jump out of range from insn 0 to -1", LONG_JUMP(-2), RETURN_0);
	EXPECT("jump out of range from insn 0 to 2147483648", LONG_JUMP(0x7fffffff), RETURN_0);
	EXPECT("jump out of range from insn 0 to -2147483647", LONG_JUMP(-0x7fffffff - 1),
	       RETURN_0);
	EXPECT("unreachable insn 1", LONG_JUMP(1), RETURN_0, RETURN_0);
}

static void the_walk_ends_when_it_is_too_long(void **state)
{
	static struct bpf_insn insns[9000];
	u32 len = 0;

	(void)state;
	insns[len++] = KEEP_CTX;
	insns[len++] = MOV64_IMM(0, 0);
	insns[len++] = UNKNOWN(2);
	for (; len < 8500; len++)
		insns[len] = JMP_IMM(BPF_JEQ, 2, (int)len, 8999 - (int)len - 1);
	for (; len < 8999; len++)
		insns[len] = MOV64_IMM(0, 0);
	insns[len++] = EXIT();
	expect_insns("The sequence of 8193 jumps is too complex.", insns, len);

	world_interrupted = true;
	memset(&check, 0, sizeof(check));
	assert_int_equal(world_check(&check, insns, len), -EAGAIN);
	world_end(&check);
	world_interrupted = false;
}

static void the_log_tells_what_registers_hold(void **state)
{
	const struct bpf_insn insns[] = { MOV64_IMM(0, 7), JMP_IMM(BPF_JEQ, 0, 7, 1), EXIT(),
					  EXIT() };

	(void)state;
	memset(&check, 0, sizeof(check));
	check.log_level = BPF_LOG_LEVEL2;
	assert_int_equal(world_check(&check, insns, ARRAY_SIZE(insns)), 0);
	assert_non_null(strstr(check.log, "0: (b7) r0 = 7"));
	assert_non_null(strstr(check.log, "; R0=7\n"));
	assert_non_null(strstr(check.log, "1: (15) if r0 == 0x7 goto pc+1"));
	assert_non_null(strstr(check.log, "processed 3 insns (limit 1000000) max_states_per_insn"));
	/* No run comes to instruction 2. */
	assert_int_equal(check.prog.insns[2].code, BPF_JMP | BPF_JA);
	assert_int_equal(check.prog.insns[2].off, -1);
	world_end(&check);

	memset(&check, 0, sizeof(check));
	check.log_level = BPF_LOG_LEVEL1;
	assert_int_equal(world_check(&check, insns, ARRAY_SIZE(insns)), 0);
	assert_ptr_equal(strstr(check.log, "processed 3 insns"), check.log);
	world_end(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_with_an_end_are_walked),
		cmocka_unit_test(loops_without_an_end_are_refused),
		cmocka_unit_test(the_number_of_an_offset_is_not_forgotten),
		cmocka_unit_test(that_two_numbers_are_the_same_is_not_forgotten),
		cmocka_unit_test(what_the_stack_holds_is_not_forgotten),
		cmocka_unit_test(what_matters_behind_a_pruned_state_matters_before_it),
		cmocka_unit_test(what_does_not_matter_is_walked_once),
		cmocka_unit_test(a_callback_may_run_never_or_often),
		cmocka_unit_test(a_pointer_may_move_from_round_to_round),
		cmocka_unit_test(a_callback_hides_no_endless_loop),
		cmocka_unit_test(functions_have_limits),
		cmocka_unit_test(a_global_function_is_safe_for_all_arguments),
		cmocka_unit_test(instructions_are_known_and_have_no_other_fields),
		cmocka_unit_test(the_log_tells_what_registers_hold),
		cmocka_unit_test(jumps_with_a_long_distance_are_followed),
		cmocka_unit_test(the_walk_ends_when_it_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
