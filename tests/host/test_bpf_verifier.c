/*
 * Programs that attack the verifier of eBPF. Each is the idea of a hole that Linux had (by the number of
 * its CVE), or that this verifier had; and beside it, where there is one, a program like it that is fine.
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
#include "bpf_break_in.h"
#include "bpf_world.h"
#include "kernel/errno.h"

static struct world_check check;

/* The programs are static: on the stack, gcc takes a second to compile them. */
#define JUDGE(expected, words, ...)                                                                \
	do {                                                                                       \
		static const struct bpf_insn insns_[] = { __VA_ARGS__ };                           \
                                                                                                   \
		judge(expected, words, insns_, ARRAY_SIZE(insns_));                                \
	} while (0)
/* The program is taken. */
#define assert_taken(...) JUDGE(0, "", __VA_ARGS__)
/* The program is refused, and the log has these words. */
#define assert_refused(words, ...) JUDGE(-EACCES, words, __VA_ARGS__)

static void judge(int expected, const char *words, const struct bpf_insn *insns, size_t len)
{
	int err;

	err = world_check(&check, insns, (u32)len);
	world_end(&check);
	if (err == -EINVAL) /* which of the two matters to no one */
		err = -EACCES;
	if (err != expected || !strstr(check.log, words))
		fail_msg("result %d instead of %d, or no \"%s\" in:\n%s", err, expected, words,
			 check.log);
	assert_int_equal(world_leaks(), 0);
}

static int of_kprobe(void **state)
{
	(void)state;
	check.type = BPF_PROG_TYPE_KPROBE;
	check.flags = 0;
	check.log_level = BPF_LOG_LEVEL1;
	check.no_btf = false;
	return 0;
}

/* One byte of the value at a number. */
#define READ_VALUE_AT(regno)                                                                       \
	ALU64_REG(BPF_ADD, 0, regno), LOAD(BPF_B, 1, 0, 0), MOV64_IMM(0, 0), EXIT()

/* ---- holes that Linux had ---- */

/* 32 bits of -1 are not 64 bits of -1: the way after the jump can be reached. */
static void test_cve_2017_16995_move_of_32_bits_is_not_sign_extended(void **state)
{
	(void)state;
	assert_refused("R2 invalid mem access 'scalar'", MOV32_IMM(2, -1),
		       JMP_IMM(BPF_JNE, 2, -1, 2), MOV64_IMM(0, 0), EXIT(),
		       STORE_IMM(BPF_DW, 2, 0, 0), MOV64_IMM(0, 0), EXIT());
	assert_taken(MOV32_IMM(2, -1), JMP32_IMM(BPF_JNE, 2, -1, 2), MOV64_IMM(0, 0), EXIT(),
		     STORE_IMM(BPF_DW, 2, 0, 0), MOV64_IMM(0, 0), EXIT());
}

/* A comparison of the lower half leaves the upper half of a number up to 2^32 + 1 unknown. */
static void test_cve_2020_8835_comparison_of_32_bits_does_not_bound_64(void **state)
{
	(void)state;
	assert_refused("outside of the allowed memory range", VALUE_IN_R0, LD_CONST(2, 0x100000001),
		       JMP_REG(BPF_JGT, 6, 2, 7), JMP_IMM(BPF_JLT, 6, 1, 6),
		       JMP32_IMM(BPF_JNE, 6, 1, 5), ALU64_IMM(BPF_RSH, 6, 32),
		       ALU64_IMM(BPF_MUL, 6, 48), READ_VALUE_AT(6));
	assert_taken(VALUE_IN_R0, LD_CONST(2, 0x100000001), JMP_REG(BPF_JGT, 6, 2, 7),
		     JMP_IMM(BPF_JLT, 6, 1, 6), JMP32_IMM(BPF_JNE, 6, 1, 5),
		     ALU64_IMM(BPF_RSH, 6, 32), ALU64_IMM(BPF_MUL, 6, 47), READ_VALUE_AT(6));
}

/* AND makes the lower half known, but the upper half stays unknown. */
static void test_cve_2021_3490_known_lower_half_keeps_its_bounds(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, LD_CONST(2, 0xffffffff00000001), ALU64_REG(BPF_AND, 6, 2),
		       LD_CONST(2, 0x100000002), ALU64_REG(BPF_AND, 6, 2), ALU64_IMM(BPF_ADD, 6, 1),
		       JMP32_IMM(BPF_JGT, 6, 1, 2), READ_VALUE_AT(6));
	assert_taken(VALUE_IN_R0, LD_CONST(2, 0xffffffff00000001), ALU64_REG(BPF_AND, 6, 2),
		     LD_CONST(2, 0x100000002), ALU64_REG(BPF_AND, 6, 2), MOV32_REG(6, 6),
		     ALU64_IMM(BPF_ADD, 6, 47), READ_VALUE_AT(6));
}

/* A lower bound of 64 bits is none of the lower half. */
static void test_cve_2021_31440_bound_of_64_bits_does_not_bound_32(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JSLT, 6, 1, 6), JMP32_IMM(BPF_JSGT, 6, 40, 5),
		       MOV32_REG(6, 6), ALU64_IMM(BPF_SUB, 6, 1), READ_VALUE_AT(6));
}

static void test_cve_2021_4204_helper_takes_a_record_only_from_its_start(void **state)
{
#define RECORD_IN_R6                                                                               \
	LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 16), MOV64_IMM(3, 0),                               \
		CALL(BPF_FUNC_ringbuf_reserve), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT(), MOV64_REG(6, 0)
	(void)state;
	assert_refused("", RECORD_IN_R6, MOV64_REG(1, 6), ALU64_IMM(BPF_ADD, 1, 8), MOV64_IMM(2, 0),
		       CALL(BPF_FUNC_ringbuf_submit), MOV64_IMM(0, 0), EXIT());
	assert_refused("", RECORD_IN_R6, STORE_IMM(BPF_DW, 6, 16, 0), MOV64_REG(1, 6),
		       MOV64_IMM(2, 0), CALL(BPF_FUNC_ringbuf_submit), MOV64_IMM(0, 0), EXIT());
	assert_refused("Unreleased reference", RECORD_IN_R6, MOV64_IMM(0, 0), EXIT());
	assert_refused("", RECORD_IN_R6, MOV64_REG(1, 6), MOV64_IMM(2, 0),
		       CALL(BPF_FUNC_ringbuf_submit), LOAD(BPF_DW, 0, 6, 0), EXIT());
	assert_taken(RECORD_IN_R6, STORE_IMM(BPF_DW, 6, 8, 0), MOV64_REG(1, 6), MOV64_IMM(2, 0),
		     CALL(BPF_FUNC_ringbuf_submit), MOV64_IMM(0, 0), EXIT());
}

static void test_cve_2022_23222_no_arithmetic_on_a_pointer_that_may_be_null(void **state)
{
	(void)state;
	assert_refused("null-check it first", STORE_IMM(BPF_W, 10, -4, 0), LD_MAP(1, WORLD_ARRAY),
		       MOV64_REG(2, 10), ALU64_IMM(BPF_ADD, 2, -4), CALL(BPF_FUNC_map_lookup_elem),
		       MOV64_REG(1, 0), ALU64_IMM(BPF_ADD, 1, 8), JMP_IMM(BPF_JNE, 0, 0, 1), EXIT(),
		       LOAD(BPF_DW, 0, 1, 0), EXIT());
	assert_refused("null-check it first", LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 16),
		       MOV64_IMM(3, 0), CALL(BPF_FUNC_ringbuf_reserve), MOV64_REG(1, 0),
		       ALU64_IMM(BPF_ADD, 1, 1), JMP_IMM(BPF_JEQ, 0, 0, 2), MOV64_IMM(2, 0),
		       CALL(BPF_FUNC_ringbuf_submit), MOV64_IMM(0, 0), EXIT());
}

/* R6 is bounded by comparison with R9: so R9 matters as much as R6. */
static void test_cve_2023_2163_both_sides_of_a_comparison_become_precise(void **state)
{
	(void)state;
	assert_refused("", MOV64_IMM(6, 1024), MOV64_IMM(7, 0), MOV64_IMM(8, 0),
		       MOV64_IMM(9, INT32_MIN), ALU64_IMM(BPF_MOD, 6, 1025), JUMP(0),
		       JMP_REG(BPF_JLE, 6, 9, 2), ALU64_IMM(BPF_MOD, 6, 1), MOV64_IMM(9, 0),
		       JMP_REG(BPF_JLE, 6, 9, 1), MOV64_IMM(6, 0), MOV64_IMM(0, 0),
		       STORE(BPF_W, 10, 0, -4), LD_MAP(1, WORLD_ARRAY), MOV64_REG(2, 10),
		       ALU64_IMM(BPF_ADD, 2, -4), CALL(BPF_FUNC_map_lookup_elem),
		       JMP_IMM(BPF_JNE, 0, 0, 1), EXIT(), READ_VALUE_AT(6));
}

/* A comparison with a constant that is compared again: the first way must not change it. */
static void test_cve_2024_41003_a_constant_stays_what_it_is_on_both_ways(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JGT, 6, 47, 2), ALU64_IMM(BPF_ADD, 6, 1),
		       JUMP(0), READ_VALUE_AT(6));
	assert_taken(VALUE_IN_R0, JMP_IMM(BPF_JGT, 6, 47, 4), READ_VALUE_AT(6), MOV64_IMM(0, 0),
		     EXIT());
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JLE, 6, 47, 4), READ_VALUE_AT(6),
		       MOV64_IMM(0, 0), EXIT());
}

/* Two ways with stacks of different depth come together: comparing them stays within both. */
static void test_cve_2024_45020_stacks_of_different_depth_are_compared(void **state)
{
	(void)state;
	assert_taken(CALL(BPF_FUNC_get_prandom_u32), JMP_IMM(BPF_JEQ, 0, 0, 1),
		     STORE_IMM(BPF_DW, 10, -512, 0), MOV64_IMM(0, 0), JUMP(0), MOV64_IMM(1, 0),
		     EXIT());
	assert_taken(CALL(BPF_FUNC_get_prandom_u32), JMP_IMM(BPF_JNE, 0, 0, 1),
		     STORE_IMM(BPF_DW, 10, -512, 0), MOV64_IMM(0, 0), JUMP(0), MOV64_IMM(1, 0),
		     EXIT());
}

/* A helper's result must not go into a map that programs may only read. */
static void test_cve_2024_49861_helper_does_not_write_to_a_read_only_map(void **state)
{
	(void)state;
	assert_refused("", STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(1, 10),
		       ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 8), MOV64_IMM(3, 0),
		       LD_VALUE(4, WORLD_RDONLY, 0), CALL(BPF_FUNC_strtol), MOV64_IMM(0, 0),
		       EXIT());
	assert_refused("", LD_VALUE(1, WORLD_RDONLY, 0), MOV64_IMM(2, 8), MOV64_IMM(3, 0),
		       CALL(BPF_FUNC_probe_read_kernel), MOV64_IMM(0, 0), EXIT());
	assert_taken(LD_VALUE(1, WORLD_WRONLY, 0), MOV64_IMM(2, 8), MOV64_IMM(3, 0),
		     CALL(BPF_FUNC_probe_read_kernel), MOV64_IMM(0, 0), EXIT());
	assert_refused("", LD_VALUE(1, WORLD_WRONLY, 0), LOAD(BPF_DW, 0, 1, 0), EXIT());
	assert_refused("", LD_VALUE(1, WORLD_RDONLY, 0), STORE_IMM(BPF_B, 1, 0, 0), MOV64_IMM(0, 0),
		       EXIT());
}

/* ---- callbacks ---- */

/*
 * Calls a function `rounds` times, which begins `after` instructions behind the call. Its context is the
 * 8 bytes at R10 - 8.
 */
#define LOOP(rounds, after)                                                                        \
	MOV64_IMM(1, rounds), LD_FUNC(2, 5 + (after)), MOV64_REG(3, 10),                           \
		ALU64_IMM(BPF_ADD, 3, -8), MOV64_IMM(4, 0), CALL(BPF_FUNC_loop)

static void test_count_of_a_loop_is_no_pointer(void **state)
{
	(void)state;
	assert_refused("R1 type=fp expected=scalar", STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(1, 10),
		       LD_FUNC(2, 6), MOV64_REG(3, 10), ALU64_IMM(BPF_ADD, 3, -8), MOV64_IMM(4, 0),
		       CALL(BPF_FUNC_loop), EXIT(), MOV64_IMM(0, 0), EXIT());
}

static void test_a_callback_may_run_and_may_not_run(void **state)
{
	(void)state;
	/* The callback makes a number too large, or makes it right: no round, or some. */
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), STORE_IMM(BPF_DW, 10, -8, 0), LOOP(4, 6),
		       MOV64_REG(0, 7), LOAD(BPF_DW, 6, 10, -8), READ_VALUE_AT(6),
		       STORE_IMM(BPF_DW, 2, 0, 1000), MOV64_IMM(0, 0), EXIT());
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), STORE_IMM(BPF_DW, 10, -8, 1000),
		       LOOP(4, 6), MOV64_REG(0, 7), LOAD(BPF_DW, 6, 10, -8), READ_VALUE_AT(6),
		       STORE_IMM(BPF_DW, 2, 0, 0), MOV64_IMM(0, 0), EXIT());
	assert_taken(VALUE_IN_R0, MOV64_REG(7, 0), STORE_IMM(BPF_DW, 10, -8, 40), LOOP(4, 6),
		     MOV64_REG(0, 7), LOAD(BPF_DW, 6, 10, -8), READ_VALUE_AT(6),
		     STORE_IMM(BPF_DW, 2, 0, 40), MOV64_IMM(0, 0), EXIT());
	/* Each round adds: the number has no bound. */
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), STORE_IMM(BPF_DW, 10, -8, 0), LOOP(40, 6),
		       MOV64_REG(0, 7), LOAD(BPF_DW, 6, 10, -8), READ_VALUE_AT(6),
		       LOAD(BPF_DW, 0, 2, 0), ALU64_IMM(BPF_ADD, 0, 8), STORE(BPF_DW, 2, 0, 0),
		       MOV64_IMM(0, 0), EXIT());
}

static void test_a_callback_that_writes_over_a_spilled_pointer_ends_it(void **state)
{
	(void)state;
	assert_refused("R1 invalid mem access 'scalar'", VALUE_IN_R0, STORE(BPF_DW, 10, 0, -8),
		       LOOP(4, 3), LOAD(BPF_DW, 1, 10, -8), LOAD(BPF_DW, 0, 1, 0), EXIT(),
		       STORE_IMM(BPF_DW, 2, 0, 1000), MOV64_IMM(0, 0), EXIT());
}

/* The numbers before the call of a callback matter after it. */
static void test_precision_goes_back_over_calls_of_callbacks(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), MOV64_IMM(8, 0), JMP_IMM(BPF_JNE, 6, 0, 1),
		       MOV64_IMM(8, 1000), STORE_IMM(BPF_DW, 10, -8, 0), LOOP(4, 5),
		       MOV64_REG(0, 7), READ_VALUE_AT(8), MOV64_IMM(0, 0), EXIT());
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), MOV64_IMM(8, 1000),
		       JMP_IMM(BPF_JNE, 6, 0, 1), MOV64_IMM(8, 0), STORE_IMM(BPF_DW, 10, -8, 0),
		       LOOP(4, 5), MOV64_REG(0, 7), READ_VALUE_AT(8), MOV64_IMM(0, 0), EXIT());
}

static void test_a_callback_returns_0_or_1_and_keeps_no_reference(void **state)
{
	(void)state;
	assert_refused("", STORE_IMM(BPF_DW, 10, -8, 0), LOOP(4, 2), MOV64_IMM(0, 0), EXIT(),
		       MOV64_IMM(0, 2), EXIT());
	assert_refused("", STORE_IMM(BPF_DW, 10, -8, 0), LOOP(4, 2), MOV64_IMM(0, 0), EXIT(),
		       RECORD_IN_R6, MOV64_IMM(0, 0), EXIT());
}

/* ---- packets ---- */

static void test_packet_load_in_a_function_is_refused(void **state)
{
	(void)state;
	check.type = BPF_PROG_TYPE_SOCKET_FILTER;
	check.no_btf = true;
	assert_refused("", MOV64_REG(6, 1), MOV64_REG(7, 10), CALL_FUNC(1), EXIT(), MOV64_REG(6, 1),
		       INSN(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 0), EXIT());
	assert_taken(MOV64_REG(6, 1), INSN(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 0), EXIT());
	assert_refused("R1 !read_ok", MOV64_REG(6, 1), INSN(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 0),
		       MOV64_REG(0, 1), EXIT());
	/* A packet that is too short ends the program: with a record that nobody gives up. */
	assert_refused("", MOV64_REG(7, 1), RECORD_IN_R6, MOV64_REG(8, 6), MOV64_REG(6, 7),
		       INSN(BPF_LD | BPF_ABS | BPF_B, 0, 0, 0, 0), MOV64_REG(1, 8), MOV64_IMM(2, 0),
		       CALL(BPF_FUNC_ringbuf_submit), MOV64_IMM(0, 0), EXIT());
}

/* ---- precision ---- */

static void test_precision_goes_back_over_constants_of_64_bits(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JEQ, 6, 0, 3), LD_CONST(8, 0), JUMP(2),
		       LD_CONST(8, 0x10000), JUMP(0), READ_VALUE_AT(8));
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JEQ, 6, 0, 3), LD_CONST(8, 0x10000), JUMP(2),
		       LD_CONST(8, 0), JUMP(0), READ_VALUE_AT(8));
}

/* R8 is set before the loop, and matters after it. */
static void test_precision_goes_back_over_the_beginning_of_a_loop(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), MOV64_IMM(8, 0), JMP_IMM(BPF_JEQ, 6, 0, 1),
		       MOV64_IMM(8, 1000), MOV64_IMM(9, 0), ALU64_IMM(BPF_ADD, 9, 1),
		       JMP_IMM(BPF_JLT, 9, 5, -2), MOV64_REG(0, 7), READ_VALUE_AT(8));
	assert_refused("", VALUE_IN_R0, MOV64_REG(7, 0), MOV64_IMM(8, 1000),
		       JMP_IMM(BPF_JEQ, 6, 0, 1), MOV64_IMM(8, 0), MOV64_IMM(9, 0),
		       ALU64_IMM(BPF_ADD, 9, 1), JMP_IMM(BPF_JLT, 9, 5, -2), MOV64_REG(0, 7),
		       READ_VALUE_AT(8));
}

/* ---- numbers ---- */

static void test_wrapped_sum_of_32_bits_has_no_bound(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV32_REG(6, 6), JMP32_IMM(BPF_JLT, 6, -16, 3),
		       ALU32_IMM(BPF_ADD, 6, 0x40), READ_VALUE_AT(6));
	assert_refused("", VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 1), ALU32_IMM(BPF_SUB, 6, 1),
		       READ_VALUE_AT(6));
}

static void test_shifts_by_a_number_out_of_range_have_no_bound(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1), ALU64_REG(BPF_LSH, 7, 6),
		       READ_VALUE_AT(7));
	assert_refused("", VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 96), MOV64_IMM(7, 64),
		       ALU32_REG(BPF_RSH, 7, 6), READ_VALUE_AT(7));
	assert_refused("invalid shift 64", MOV64_IMM(0, 1), ALU64_IMM(BPF_LSH, 0, 64), EXIT());
	assert_refused("invalid shift 32", MOV64_IMM(0, 1), ALU32_IMM(BPF_ARSH, 0, 32), EXIT());
}

static void test_signed_bound_allows_negative_offsets(void **state)
{
	(void)state;
	assert_refused("min value", VALUE_IN_R0, JMP_IMM(BPF_JSGT, 6, 40, 4), READ_VALUE_AT(6),
		       MOV64_IMM(0, 0), EXIT());
	assert_taken(VALUE_IN_R0, JMP_IMM(BPF_JSGT, 6, 40, 5), JMP_IMM(BPF_JSLT, 6, 0, 4),
		     READ_VALUE_AT(6), MOV64_IMM(0, 0), EXIT());
}

/* probe_read_kernel() of R6 bytes to the last 64 bytes of the stack. */
#define READ_SIZE_R6                                                                               \
	MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -64), MOV64_REG(2, 6), MOV64_IMM(3, 0),            \
		CALL(BPF_FUNC_probe_read_kernel), MOV64_IMM(0, 0), EXIT()

static void test_size_that_is_not_known_is_bounded_on_both_sides(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, READ_SIZE_R6);
	assert_refused("", VALUE_IN_R0, MOV32_REG(6, 6), READ_SIZE_R6);
	assert_refused("", VALUE_IN_R0, JMP_IMM(BPF_JSGT, 6, 64, 5), READ_SIZE_R6);
	assert_refused("", VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 127), READ_SIZE_R6);
	assert_taken(VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 63), READ_SIZE_R6);
	assert_taken(VALUE_IN_R0, MOV64_IMM(6, 0), READ_SIZE_R6);
}

static void test_size_0_is_refused_where_it_means_nothing(void **state)
{
	(void)state;
	assert_refused("", STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(1, 10),
		       ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 0), CALL(BPF_FUNC_trace_printk),
		       MOV64_IMM(0, 0), EXIT());
	assert_refused("", MOV64_REG(1, 10), ALU64_IMM(BPF_ADD, 1, -8), MOV64_IMM(2, 0),
		       CALL(BPF_FUNC_get_current_comm), MOV64_IMM(0, 0), EXIT());
}

/* ---- the stack ---- */

static void test_variable_offset_of_the_stack_is_bounded(void **state)
{
	(void)state;
#define STACK_AT_R6(first)                                                                         \
	STORE_IMM(BPF_DW, 10, -16, 0), STORE_IMM(BPF_DW, 10, -8, 0), MOV64_REG(1, 10),             \
		ALU64_REG(BPF_ADD, 1, 6), LOAD(BPF_B, 0, 1, first), EXIT()
	assert_taken(VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 15), STACK_AT_R6(-16));
	assert_refused("", VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 15), STACK_AT_R6(-15));
	assert_refused("", VALUE_IN_R0, ALU64_IMM(BPF_AND, 6, 15), STACK_AT_R6(-513));
	assert_refused("", VALUE_IN_R0, STACK_AT_R6(-16));
}

static void test_spilled_pointer_that_is_partly_overwritten_is_lost(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, STORE(BPF_DW, 10, 0, -16), STORE_IMM(BPF_B, 10, -9, 0),
		       LOAD(BPF_DW, 1, 10, -16), LOAD(BPF_DW, 0, 1, 0), EXIT());
	assert_refused("", VALUE_IN_R0, STORE(BPF_DW, 10, 0, -16), STORE_IMM(BPF_W, 10, -12, 0),
		       LOAD(BPF_DW, 1, 10, -16), LOAD(BPF_DW, 0, 1, 0), EXIT());
	assert_taken(VALUE_IN_R0, STORE(BPF_DW, 10, 0, -16), STORE_IMM(BPF_B, 10, -17, 0),
		     LOAD(BPF_DW, 1, 10, -16), LOAD(BPF_DW, 0, 1, 0), EXIT());
}

static void test_spilled_number_that_is_partly_overwritten_is_unknown(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1), STORE(BPF_DW, 10, 7, -16),
		       STORE(BPF_B, 10, 6, -15), LOAD(BPF_DW, 7, 10, -16), READ_VALUE_AT(7));
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1), STORE(BPF_DW, 10, 7, -16),
		       STORE(BPF_W, 10, 6, -16), LOAD(BPF_DW, 7, 10, -16), READ_VALUE_AT(7));
}

static void test_half_of_a_spilled_number_is_that_half(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, LD_CONST(7, 0x3000000000), STORE(BPF_DW, 10, 7, -16),
		       LOAD(BPF_W, 7, 10, -12), READ_VALUE_AT(7));
	assert_refused("", VALUE_IN_R0, LD_CONST(7, 0x100000030), STORE(BPF_DW, 10, 7, -16),
		       LOAD(BPF_W, 7, 10, -16), READ_VALUE_AT(7));
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1), STORE(BPF_W, 10, 7, -16),
		       STORE(BPF_W, 10, 6, -12), LOAD(BPF_DW, 7, 10, -16), READ_VALUE_AT(7));
}

/* One way writes 0, the other spills a number: neither makes the other one needless. */
static void test_zeroed_slot_and_spilled_number_are_not_the_same(void **state)
{
	(void)state;
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1000), JMP_IMM(BPF_JEQ, 6, 0, 2),
		       STORE_IMM(BPF_DW, 10, -16, 0), JUMP(1), STORE(BPF_DW, 10, 7, -16), JUMP(0),
		       LOAD(BPF_DW, 8, 10, -16), READ_VALUE_AT(8));
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 1000), JMP_IMM(BPF_JEQ, 6, 0, 2),
		       STORE(BPF_DW, 10, 7, -16), JUMP(1), STORE_IMM(BPF_DW, 10, -16, 0), JUMP(0),
		       LOAD(BPF_DW, 8, 10, -16), READ_VALUE_AT(8));
	assert_refused("", VALUE_IN_R0, MOV64_IMM(7, 0), JMP_IMM(BPF_JNE, 6, 0, 2),
		       STORE(BPF_DW, 10, 7, -16), JUMP(1), STORE(BPF_DW, 10, 6, -16), JUMP(0),
		       LOAD(BPF_DW, 8, 10, -16), READ_VALUE_AT(8));
	assert_taken(VALUE_IN_R0, MOV64_IMM(7, 0), JMP_IMM(BPF_JEQ, 6, 0, 2),
		     STORE(BPF_DW, 10, 7, -16), JUMP(1), STORE_IMM(BPF_DW, 10, -16, 0), JUMP(0),
		     LOAD(BPF_DW, 8, 10, -16), READ_VALUE_AT(8));
}

/* ---- limits ---- */

static void test_references_are_limited(void **state)
{
	static struct bpf_insn insns[4096];
	const struct bpf_insn reserve[] = { LD_MAP(1, WORLD_RINGBUF), MOV64_IMM(2, 8),
					    MOV64_IMM(3, 0), CALL(BPF_FUNC_ringbuf_reserve) };
	u32 len = 0, i;

	(void)state;
	check.log_level = 0;
	for (i = 0; i < 300; i++, len += ARRAY_SIZE(reserve))
		memcpy(insns + len, reserve, sizeof(reserve));
	insns[len++] = EXIT();
	judge(-E2BIG, "", insns, len);
}

static void test_endless_loops_are_refused(void **state)
{
	(void)state;
	assert_refused("infinite loop detected", MOV64_IMM(0, 0), JMP_IMM(BPF_JEQ, 0, 0, -1),
		       EXIT());
	assert_refused("infinite loop detected", MOV64_IMM(0, 0), MOV64_IMM(1, 0),
		       ALU64_IMM(BPF_ADD, 1, 0), CALL(BPF_FUNC_get_prandom_u32),
		       JMP_IMM(BPF_JEQ, 0, 0, -2), EXIT());
	assert_taken(MOV64_IMM(0, 0), ALU64_IMM(BPF_ADD, 0, 1), JMP_IMM(BPF_JLT, 0, 100, -2),
		     EXIT());
}

/* Those of lab 18: each gets in when one rule is missing. */
static void test_each_rule_keeps_a_program_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(break_ins) / sizeof(break_ins[0]); i++)
		judge(-EACCES, break_ins[i].words, break_ins[i].insns, break_in_len(&break_ins[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, of_kprobe)
		TEST(test_each_rule_keeps_a_program_out),
		TEST(test_cve_2017_16995_move_of_32_bits_is_not_sign_extended),
		TEST(test_cve_2020_8835_comparison_of_32_bits_does_not_bound_64),
		TEST(test_cve_2021_3490_known_lower_half_keeps_its_bounds),
		TEST(test_cve_2021_31440_bound_of_64_bits_does_not_bound_32),
		TEST(test_cve_2021_4204_helper_takes_a_record_only_from_its_start),
		TEST(test_cve_2022_23222_no_arithmetic_on_a_pointer_that_may_be_null),
		TEST(test_cve_2023_2163_both_sides_of_a_comparison_become_precise),
		TEST(test_cve_2024_41003_a_constant_stays_what_it_is_on_both_ways),
		TEST(test_cve_2024_45020_stacks_of_different_depth_are_compared),
		TEST(test_cve_2024_49861_helper_does_not_write_to_a_read_only_map),
		TEST(test_count_of_a_loop_is_no_pointer),
		TEST(test_a_callback_may_run_and_may_not_run),
		TEST(test_a_callback_that_writes_over_a_spilled_pointer_ends_it),
		TEST(test_precision_goes_back_over_calls_of_callbacks),
		TEST(test_a_callback_returns_0_or_1_and_keeps_no_reference),
		TEST(test_packet_load_in_a_function_is_refused),
		TEST(test_precision_goes_back_over_constants_of_64_bits),
		TEST(test_precision_goes_back_over_the_beginning_of_a_loop),
		TEST(test_wrapped_sum_of_32_bits_has_no_bound),
		TEST(test_shifts_by_a_number_out_of_range_have_no_bound),
		TEST(test_signed_bound_allows_negative_offsets),
		TEST(test_size_that_is_not_known_is_bounded_on_both_sides),
		TEST(test_size_0_is_refused_where_it_means_nothing),
		TEST(test_variable_offset_of_the_stack_is_bounded),
		TEST(test_spilled_pointer_that_is_partly_overwritten_is_lost),
		TEST(test_spilled_number_that_is_partly_overwritten_is_unknown),
		TEST(test_half_of_a_spilled_number_is_that_half),
		TEST(test_zeroed_slot_and_spilled_number_are_not_the_same),
		TEST(test_references_are_limited),
		TEST(test_endless_loops_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
