/*
 * Numbers that the verifier of eBPF knows in part: whatever members the operands have, the result of
 * the operation on them is a member of the result. All small tnums at three places, and random
 * scalars around the numbers at which something wraps.
 *
 * sources: trace/bpf/verifier/tnum.c trace/bpf/verifier/scalar.c
 * sources: trace/bpf/verifier/alu.c trace/bpf/verifier/branch.c
 * flags: -O1
 */
#include "test.h"

#include "kernel/compiler.h"
#include "tests/host/bpf_isa.h"
#include "tests/host/bpf_scalar.h"

#define NR_BITS     4U /* of the small tnums: 81 of them */
#define MAX_MEMBERS 6

static u64 random_state = 88172645463325252ULL;

static u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fail_with(const char *what, u8 op, bool wide, u64 a, u64 b)
{
	fail_msg("%s: op %#x of %d bits, members %#llx and %#llx", what, op, wide ? 64 : 32,
		 (unsigned long long)a, (unsigned long long)b);
}

/* ---- scalars with known members ---- */

struct sample {
	struct bpf_scalar s;
	unsigned nr;
	u64 members[MAX_MEMBERS > 1 << NR_BITS ? MAX_MEMBERS : 1 << NR_BITS];
};

/* Small tnum number i, of 81: each ternary digit is a bit. All its members. */
static struct sample small_tnum(unsigned i, unsigned place)
{
	struct sample sample = { .nr = 1 };
	struct tnum t = { 0, 0 };
	unsigned bit, m;

	for (bit = 0; bit < NR_BITS; bit++, i /= 3) {
		if (i % 3 == 1)
			t.value |= 1ULL << (place + bit);
		if (i % 3 != 2)
			continue;
		t.mask |= 1ULL << (place + bit);
		for (m = 0; m < sample.nr; m++)
			sample.members[sample.nr + m] = sample.members[m] | 1ULL << (place + bit);
		sample.nr *= 2;
	}
	for (m = 0; m < sample.nr; m++)
		sample.members[m] |= t.value;
	scalar_set_unknown(&sample.s);
	sample.s.var_off = t;
	scalar_sync(&sample.s);
	return sample;
}

/* Numbers at which additions, comparisons or halves wrap, and small ones near them. */
static u64 random_edge(void)
{
	static const u64 edges[] = { 0, 1ULL << 31, 1ULL << 32, 1ULL << 63, 1ULL << 16, 64, 32 };
	u64 edge = edges[random_u64() % ARRAY_SIZE(edges)];

	switch (random_u64() % 8) {
	case 0:
		return random_u64();
	case 1:
		return random_u64() >> random_u64() % 64;
	case 2:
		return edge << 32 | (u32)random_edge();
	case 3:
		return random_u64() % 64;
	default:
		return edge + random_u64() % 9 - 4;
	}
}

/* A scalar with some members. Each of its views may know all that is true of them, or less. */
static struct sample random_sample(void)
{
	struct sample sample = { .nr = 1 + random_u64() % MAX_MEMBERS };
	u64 first = random_edge(), knows = random_u64(), differ = 0;
	struct bpf_scalar *s = &sample.s;
	unsigned i;

	for (i = 0; i < sample.nr; i++)
		sample.members[i] = knows & 64 ? first + random_u64() % 20
				    : i        ? random_edge()
					       : first;
	scalar_set_const(s, sample.members[0]);
	for (i = 1; i < sample.nr; i++) {
		u64 member = sample.members[i];

		differ |= member ^ sample.members[0];
		s->whole.smin = min(s->whole.smin, (s64)member);
		s->whole.smax = max(s->whole.smax, (s64)member);
		s->whole.umin = min(s->whole.umin, member);
		s->whole.umax = max(s->whole.umax, member);
		s->half.smin = min(s->half.smin, (s32)member);
		s->half.smax = max(s->half.smax, (s32)member);
		s->half.umin = min(s->half.umin, (u32)member);
		s->half.umax = max(s->half.umax, (u32)member);
	}
	if (!(knows & 1)) {
		s->whole.smin = INT64_MIN;
		s->whole.smax = INT64_MAX;
	}
	if (!(knows & 2)) {
		s->whole.umin = 0;
		s->whole.umax = UINT64_MAX;
	}
	if (!(knows & 4)) {
		s->half.smin = INT32_MIN;
		s->half.smax = INT32_MAX;
	}
	if (!(knows & 8)) {
		s->half.umin = 0;
		s->half.umax = UINT32_MAX;
	}
	if (knows & 16)
		differ |= random_u64() & random_u64();
	if (!(knows & 32))
		differ = ~0ULL;
	s->var_off = (struct tnum){ sample.members[0] & ~differ, differ };
	scalar_sync(s);
	for (i = 0; i < sample.nr; i++)
		if (!scalar_contains(s, sample.members[i]) || scalar_is_empty(s))
			fail_with("sync loses a member", 0, true, sample.members[i], 0);
	return sample;
}

/* ---- the properties ---- */

static void check_alu(const struct sample *a, const struct sample *b, u8 op, bool is_64)
{
	struct bpf_scalar result = a->s;
	unsigned i, j;

	scalar_alu(&result, &b->s, op, is_64);
	for (i = 0; i < a->nr; i++)
		for (j = 0; j < b->nr; j++)
			if (!scalar_contains(&result, isa_alu(op, a->members[i], b->members[j],
							      is_64 ? 64 : 32)))
				fail_with("arithmetic", op, is_64, a->members[i], b->members[j]);
}

static void check_branch(const struct sample *a, const struct sample *b, u8 op, bool is_32)
{
	int always = scalar_is_branch_taken(&a->s, &b->s, op, is_32);
	struct bpf_scalar dst[2] = { a->s, a->s }, src[2] = { b->s, b->s };
	unsigned i, j;
	bool taken;

	scalar_branch(&dst[0], &src[0], op, is_32, false);
	scalar_branch(&dst[1], &src[1], op, is_32, true);
	for (taken = false;; taken = true) {
		if (!scalar_is_empty(&dst[taken]) &&
		    (!scalar_within(&a->s, &dst[taken]) || !scalar_within(&b->s, &src[taken])))
			fail_with("grows by a branch", op, !is_32, a->members[0], b->members[0]);
		if (taken)
			break;
	}
	for (i = 0; i < a->nr; i++) {
		for (j = 0; j < b->nr; j++) {
			taken = isa_jump(op, a->members[i], b->members[j], is_32 ? 32 : 64);
			if (always >= 0 && always != taken)
				fail_with("way", op, !is_32, a->members[i], b->members[j]);
			if (scalar_is_empty(&dst[taken]) || scalar_is_empty(&src[taken]) ||
			    !scalar_contains(&dst[taken], a->members[i]) ||
			    !scalar_contains(&src[taken], b->members[j]))
				fail_with("branch", op, !is_32, a->members[i], b->members[j]);
		}
	}
}

static void check_pair(const struct sample *a, const struct sample *b)
{
	unsigned op;

	for (op = 0; op < ARRAY_SIZE(isa_alu_ops); op++) {
		if (isa_alu_ops[op] == BPF_NEG || isa_alu_ops[op] == BPF_MOV)
			continue; /* of one operand */
		check_alu(a, b, isa_alu_ops[op], false);
		check_alu(a, b, isa_alu_ops[op], true);
	}
	for (op = 0; op < ARRAY_SIZE(isa_jump_ops); op++) {
		check_branch(a, b, isa_jump_ops[op], false);
		check_branch(a, b, isa_jump_ops[op], true);
	}
}

static void test_all_small_tnums_at_the_edges_of_halves(void **state)
{
	static const unsigned places[] = { 0, 30, 60 };
	unsigned a, b, i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (j = 0; j < ARRAY_SIZE(places); j++) {
			for (a = 0; a < 81; a++) {
				struct sample left = small_tnum(a, places[i]);

				/* All pairs at the same place; a third of the others. */
				for (b = i == j ? 0 : a % 3; b < 81; b += i == j ? 1 : 3) {
					struct sample right = small_tnum(b, places[j]);

					check_pair(&left, &right);
				}
			}
		}
	}
}

static void test_random_scalars_keep_their_members(void **state)
{
	unsigned i, end;

	(void)state;
	for (i = 0, end = tries(20000); i < end; i++) {
		struct sample a = random_sample(), b = random_sample();

		check_pair(&a, &b);
	}
}

static void test_truncation_keeps_the_lower_bytes(void **state)
{
	unsigned i, m, end;
	u8 bytes;

	(void)state;
	for (i = 0, end = tries(200000); i < end; i++) {
		struct sample a = random_sample();

		bytes = 1 << i % 3;
		scalar_truncate(&a.s, bytes);
		for (m = 0; m < a.nr; m++)
			if (!scalar_contains(&a.s, a.members[m] & (~0ULL >> (64 - 8 * bytes))))
				fail_with("truncate", bytes, true, a.members[m], 0);
		assert_true(a.s.whole.umax <= ~0ULL >> (64 - 8 * bytes));
	}
}

/* The tnum that holds the results and nothing else, as far as a tnum can. */
static void test_sums_and_bitwise_results_know_every_bit_that_is_certain(void **state)
{
	static struct tnum (*const functions[])(
		struct tnum, struct tnum) = { tnum_add, tnum_sub, tnum_and, tnum_or, tnum_xor };
	static const u8 ops[] = { BPF_ADD, BPF_SUB, BPF_AND, BPF_OR, BPF_XOR };
	unsigned f, a, b, i, j;

	(void)state;
	for (f = 0; f < ARRAY_SIZE(ops); f++) {
		for (a = 0; a < 81; a++) {
			for (b = 0; b < 81; b++) {
				struct sample left = small_tnum(a, 0), right = small_tnum(b, 0);
				u64 one = isa_alu(ops[f], left.members[0], right.members[0], 64);
				u64 differ = 0;
				struct tnum t = functions[f](left.s.var_off, right.s.var_off);

				for (i = 0; i < left.nr; i++)
					for (j = 0; j < right.nr; j++)
						differ |= one ^ isa_alu(ops[f], left.members[i],
									right.members[j], 64);
				assert_int_equal(t.mask, differ);
				assert_int_equal(t.value, one & ~differ);
			}
		}
	}
}

static void test_tnum_of_a_range_holds_the_range(void **state)
{
	unsigned i, end;

	(void)state;
	for (i = 0, end = tries(100000); i < end; i++) {
		u64 a = random_edge(), b = random_edge(), low = min(a, b), high = max(a, b);
		u64 between = low + (high - low == UINT64_MAX ? random_u64()
							      : random_u64() % (high - low + 1));
		struct tnum t = tnum_range(low, high);

		assert_true(tnum_in(t, tnum_const(low)) && tnum_in(t, tnum_const(high)));
		assert_true(tnum_in(t, tnum_const(between)));
	}
	assert_int_equal(tnum_range(16, 23).mask, 7);
	assert_int_equal(tnum_range(7, 8).mask, 15);
}

/* ---- as precise as programs need ---- */

static struct bpf_scalar between(u64 umin, u64 umax)
{
	struct bpf_scalar s;

	scalar_set_unknown(&s);
	s.whole.umin = umin;
	s.whole.umax = umax;
	scalar_sync(&s);
	return s;
}

static void test_masks_and_shifts_bound_an_unknown_number(void **state)
{
	struct bpf_scalar s, number;

	(void)state;
	scalar_set_unknown(&s);
	scalar_set_const(&number, 0xff);
	scalar_alu(&s, &number, BPF_AND, true);
	assert_true(s.whole.umin == 0 && s.whole.umax == 0xff);
	assert_true(s.whole.smin == 0 && s.whole.smax == 0xff);
	assert_true(s.half.smin == 0 && s.half.smax == 0xff && s.half.umax == 0xff);
	scalar_set_const(&number, 3);
	scalar_alu(&s, &number, BPF_LSH, true);
	assert_true(s.whole.umax == 0x7f8 && tnum_is_aligned(s.var_off, 8));
	scalar_alu(&s, &number, BPF_MUL, true);
	assert_true(s.whole.umax == 3 * 0x7f8 && tnum_is_aligned(s.var_off, 8));

	scalar_set_unknown(&s);
	scalar_set_const(&number, 60);
	scalar_alu(&s, &number, BPF_RSH, true);
	assert_true(s.whole.umax == 15 && s.whole.smax == 15 && s.whole.smin == 0);
	scalar_set_unknown(&s);
	scalar_alu(&s, &number, BPF_ARSH, true);
	assert_true(s.whole.smin == -8 && s.whole.smax == 7 && s.half.smin == -8);
}

static void test_sign_extension_by_two_shifts_keeps_the_range_of_the_half(void **state)
{
	struct bpf_scalar s, number;

	(void)state;
	scalar_set_unknown(&s);
	s.half.smin = -7;
	s.half.smax = 1000;
	scalar_sync(&s);
	scalar_set_const(&number, 32);
	scalar_alu(&s, &number, BPF_LSH, true);
	scalar_alu(&s, &number, BPF_ARSH, true);
	assert_true(s.whole.smin == -7 && s.whole.smax == 1000);
}

static void test_operations_of_32_bits_clear_the_upper_half(void **state)
{
	struct bpf_scalar s = between(UINT32_MAX - 3ULL, UINT32_MAX), one;

	(void)state;
	scalar_set_const(&one, 1);
	scalar_alu(&s, &one, BPF_ADD, false);
	assert_true(s.whole.umax <= UINT32_MAX);
	assert_true(scalar_contains(&s, 0) && scalar_contains(&s, UINT32_MAX));
	assert_false(scalar_contains(&s, 1ULL << 32));
}

static void test_shifts_out_of_range_and_divisions_are_unknown(void **state)
{
	static const u8 ops[] = { BPF_LSH, BPF_RSH, BPF_ARSH };
	struct bpf_scalar s, places;
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		scalar_set_const(&s, 1);
		scalar_set_const(&places, 64);
		scalar_alu(&s, &places, ops[i], true);
		assert_true(scalar_is_unknown(&s));
		scalar_set_const(&s, 1);
		scalar_set_const(&places, 32);
		scalar_alu(&s, &places, ops[i], false);
		assert_true(s.whole.umin == 0 && s.whole.umax == UINT32_MAX);
	}
	scalar_set_const(&s, 8);
	scalar_alu(&s, &places, BPF_DIV, true);
	assert_true(scalar_is_unknown(&s));
}

static void test_branches_bound_both_numbers(void **state)
{
	struct bpf_scalar a, b = between(3, 9), flag;

	(void)state;
	scalar_set_unknown(&a);
	scalar_branch(&a, &b, BPF_JLT, false, true);
	assert_true(a.whole.umin == 0 && a.whole.umax == 8 && b.whole.umin == 3 && b.whole.umax == 9);
	scalar_branch(&a, &b, BPF_JGE, false, true);
	assert_true(a.whole.umin == 3 && a.whole.umax == 8 && b.whole.umin == 3 && b.whole.umax == 8);
	scalar_set_const(&b, 5);
	assert_int_equal(scalar_is_branch_taken(&a, &b, BPF_JEQ, false), -1);
	scalar_branch(&a, &b, BPF_JEQ, false, true);
	assert_true(tnum_is_const(a.var_off) && a.whole.umin == 5);
	assert_int_equal(scalar_is_branch_taken(&a, &b, BPF_JNE, false), 0);

	scalar_set_unknown(&a);
	scalar_set_const(&flag, 1 << 4);
	scalar_branch(&a, &flag, BPF_JSET, false, true);
	assert_int_equal(a.var_off.value, 1 << 4);
	scalar_set_unknown(&a);
	scalar_set_const(&flag, ~7ULL);
	scalar_branch(&a, &flag, BPF_JSET, false, false);
	assert_int_equal(a.whole.umax, 7);

	scalar_set_unknown(&a);
	scalar_set_const(&b, 0);
	scalar_branch(&a, &b, BPF_JNE, false, true);
	assert_int_equal(a.whole.umin, 1);
}

static void test_a_comparison_of_32_bits_says_nothing_of_the_upper_half(void **state)
{
	struct bpf_scalar a, b;

	(void)state;
	scalar_set_unknown(&a);
	scalar_set_const(&b, 10);
	scalar_branch(&a, &b, BPF_JLT, true, true);
	assert_true(a.half.umax == 9 && a.whole.umax > UINT32_MAX);
	scalar_truncate(&a, 4);
	assert_int_equal(a.whole.umax, 9);
}

static void test_a_branch_that_no_member_takes_is_empty(void **state)
{
	struct bpf_scalar a = between(3, 9), b = between(20, 30);

	(void)state;
	assert_int_equal(scalar_is_branch_taken(&a, &b, BPF_JGT, false), 0);
	scalar_branch(&a, &b, BPF_JGT, false, true);
	assert_true(scalar_is_empty(&a) && scalar_is_empty(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_small_tnums_at_the_edges_of_halves),
		cmocka_unit_test(test_random_scalars_keep_their_members),
		cmocka_unit_test(test_truncation_keeps_the_lower_bytes),
		cmocka_unit_test(test_sums_and_bitwise_results_know_every_bit_that_is_certain),
		cmocka_unit_test(test_tnum_of_a_range_holds_the_range),
		cmocka_unit_test(test_masks_and_shifts_bound_an_unknown_number),
		cmocka_unit_test(test_sign_extension_by_two_shifts_keeps_the_range_of_the_half),
		cmocka_unit_test(test_operations_of_32_bits_clear_the_upper_half),
		cmocka_unit_test(test_shifts_out_of_range_and_divisions_are_unknown),
		cmocka_unit_test(test_branches_bound_both_numbers),
		cmocka_unit_test(test_a_comparison_of_32_bits_says_nothing_of_the_upper_half),
		cmocka_unit_test(test_a_branch_that_no_member_takes_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
