/*
 * Expressions of histograms: their values, against an evaluator that does not know the parser, and
 * the errors of wrong ones.
 *
 * sources: trace/hist/expr.c trace/hist/field.c trace/hist/value.c
 * sources: trace/events/fields.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "hist_fields.h"

static struct record record;
static u64 variables[sizeof(variable_names) - 1];

static int setup(void **state)
{
	(void)state;
	record = (struct record){ RECORD_NUMBERS, .name = "bash" };
	variables[0] = 10;
	variables[1] = 0;
	variables[2] = ~0ULL;
	return 0;
}

static int no_leak(void **state)
{
	(void)state;
	return host_objects != 0;
}

static u64 value_of(const struct hist_field *f)
{
	const struct hist_event event = { .rec = &record, .refs = variables };

	return hist_value(f, &event);
}

static u64 evaluate(const char *text)
{
	struct hist_field *f = parse_copy(text);
	u64 value;

	if (IS_ERR(f))
		fail_msg("%s: refused (%d)", text, (int)PTR_ERR(f));
	value = value_of(f);
	hist_field_put(f);
	return value;
}

static void test_operators_bind_as_in_arithmetic_and_to_the_left(void **state)
{
	static const struct {
		const char *text;
		u64 value;
	} cases[] = {
		{ "7", 7 },
		{ "0x1f", 31 },
		{ "010", 8 },
		{ "18446744073709551615", ~0ULL },
		{ "2+3*4", 14 },
		{ "2*3+4", 10 },
		{ "20-3-4", 13 },
		{ "100/5/2", 10 },
		{ "100/5*2", 40 },
		{ "9-6/3", 7 },
		{ "u8-1", 199 },
		{ "s8", (u64)-3 },
		{ "s8*s8", 9 },
		{ "s16+u16", 59700 },
		{ "-(u8)", (u64)-200 },
		{ "-(s8)", 3 },
		{ "-(u8-s8*2)", (u64)-206 },
		{ "-(-(u8))", 200 },
		{ "u64+u64", 10 },
		{ "$v*u8", 2000 },
		{ "u8/$v-$v", 10 },
		{ "$x+1", 0 },
		{ "common_cpu+5", 5 },
		{ "u8.hex+1", 201 },
		{ "u64.sym-offset-5", 1ULL << 63 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (evaluate(cases[i].text) != cases[i].value)
			fail_msg("%s is %llu", cases[i].text,
				 (unsigned long long)evaluate(cases[i].text));
}

static void test_division_by_zero_is_refused_or_gives_the_highest_number(void **state)
{
	(void)state;
	assert_int_equal(evaluate("u8/$w"), ~0ULL);
	assert_int_equal(evaluate("$w/$w"), ~0ULL);
	record.u8 = 0;
	assert_int_equal(evaluate("5/u8"), ~0ULL);
	assert_int_equal(PTR_ERR(parse_copy("u8/0")), -EDOM);
	assert_int_equal(last_error, HIST_ERR_DIVISION_BY_ZERO);
	assert_int_equal(PTR_ERR(parse_copy("7/0")), -EDOM);
	assert_int_equal(PTR_ERR(parse_copy("-(u8/0x0)")), -EDOM);
	assert_int_equal(evaluate("0/7"), 0);
}

static void test_wrong_expressions_are_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text;
		int error; /* -1: none is reported, as in Linux */
	} cases[] = {
		{ "u8+u8+u8+u8+u8", HIST_ERR_TOO_MANY_SUBEXPR },
		{ "-(u8+u8+u8*u8)", HIST_ERR_TOO_MANY_SUBEXPR },
		{ "-(-(-(-(u8))))", HIST_ERR_TOO_MANY_SUBEXPR },
		{ "-(u8)+1", HIST_ERR_UNARY_MINUS_SUBEXPR },
		{ "", HIST_ERR_FIELD_NOT_FOUND },
		{ "-()", HIST_ERR_FIELD_NOT_FOUND },
		{ "-u8", -1 },
		{ "-(u8", -1 },
		{ "u8+", -1 },
		{ "+u8", -1 },
		{ "u8*/u8", -1 },
		{ "u8+-(u8)", -1 },
		{ "name+1", HIST_ERR_INVALID_STR_OPERAND },
		{ "-(name)", HIST_ERR_INVALID_STR_OPERAND },
		{ "common_stacktrace+1", HIST_ERR_INVALID_STR_OPERAND },
		{ "common_timestamp.usecs-u8", HIST_ERR_TIMESTAMP_MISMATCH },
		{ "u9", HIST_ERR_FIELD_NOT_FOUND },
		{ "u8+$y", HIST_ERR_FIELD_NOT_FOUND },
		{ "1x", HIST_ERR_EXPECT_NUMBER },
		{ "u8+99999999999999999999", HIST_ERR_EXPECT_NUMBER },
		{ "u8.bogus*2", HIST_ERR_BAD_FIELD_MODIFIER },
		{ "u8.stacktrace", HIST_ERR_BAD_FIELD_MODIFIER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hist_field *f = parse_copy(cases[i].text);

		if (!IS_ERR(f) || PTR_ERR(f) != -EINVAL || last_error != cases[i].error)
			fail_msg("%s: %s %d", cases[i].text, IS_ERR(f) ? "error" : "accepted",
				 last_error);
	}
}

static void test_each_missing_piece_of_memory_gives_an_error(void **state)
{
	int missing = 0;
	struct hist_field *f;

	(void)state;
	for (;; missing++) {
		host_allocations_left = missing;
		f = parse_copy("-(u8*$v+s8)");
		host_allocations_left = -1;
		if (!IS_ERR(f))
			break;
		assert_int_equal(PTR_ERR(f), -ENOMEM);
		assert_int_equal(host_objects, 0);
	}
	assert_true(missing >= 6);
	hist_field_put(f);
}

/* ---- random expressions against a model ---- */

#define OPERATORS_MAX 3

/* Writes an operand. Returns its value; *zero: it is the constant 0. */
/* Writes an operand. Returns its value; *zero: it is the constant 0. */
static u64 random_operand(char *text, bool *zero)
{
	static const char *const names[] = { "u8",  "s8",  "u16", "s16", "u32", "s32",
					     "u64", "s64", "$v",  "$w",  "$x" };
	const u64 values[] = { record.u8,
			       (u64)(s64)record.s8,
			       record.u16,
			       (u64)(s64)record.s16,
			       record.u32,
			       (u64)(s64)record.s32,
			       record.u64,
			       (u64)record.s64,
			       variables[0],
			       variables[1],
			       variables[2] };
	unsigned i = random_below(ARRAY_SIZE(names) * 2);
	u64 constant = random_below(3) ? random_below(12) : random_state;

	*zero = i >= ARRAY_SIZE(names) && !constant;
	if (i < ARRAY_SIZE(names)) {
		strcpy(text, names[i]);
		return values[i];
	}
	sprintf(text, random_below(2) ? "%llu" : "0x%llx", (unsigned long long)constant);
	return constant;
}

static u64 apply(char operator, u64 x, u64 y)
{
	switch (operator) {
	case '+':
		return x + y;
	case '-':
		return x - y;
	case '*':
		return x * y;
	default:
		return y ? x / y : ~0ULL;
	}
}

/*
 * Writes an expression and computes its value by the usual rule: first the products and
 * quotients from the left, then the sums. *zero: it has a division by the constant 0.
 */
static u64 random_expression(char *text, bool *zero)
{
	unsigned n = random_below(OPERATORS_MAX + 1);
	bool negate = n < OPERATORS_MAX && random_below(4) == 0, is_zero;
	u64 product, sum = 0;
	char sign = '+';

	text += sprintf(text, "%s", negate ? "-(" : "");
	product = random_operand(text, &is_zero);
	*zero = false;
	for (; n; n--) {
		char operator= "+-*/"[random_below(4)];
		u64 operand;

		text += strlen(text);
		*text++ = operator;
		operand = random_operand(text, &is_zero);
		*zero |= operator== '/' && is_zero;
		if (operator== '*' || operator== '/') {
			product = apply(operator, product, operand);
		} else {
			sum = apply(sign, sum, product);
			sign = operator;
			product = operand;
		}
	}
	sum = apply(sign, sum, product);
	if (negate)
		strcat(text, ")");
	return negate ? 0 - sum : sum;
}

static void random_record(void)
{
	random_numbers(&record);
	variables[0] = random_below(4);
	variables[2] = random_state;
}

/* What is printed for an expression is an expression of the same value. */
static void check_printed(const struct hist_field *f, const char *text, u64 expected)
{
	char again[sizeof(printed)];

	printed[0] = '\0';
	hist_field_puts(NULL, f, true);
	strcpy(again, printed);
	if (evaluate(again) != expected)
		fail_msg("%s is printed as %s", text, again);
}

static void test_random_expressions_agree_with_a_model(void **state)
{
	unsigned refused = 0, rounds = 50000;
	char text[256];

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		struct hist_field *f;
		u64 expected;
		bool zero;

		random_record();
		expected = random_expression(text, &zero);
		f = parse_copy(text);
		if (zero != IS_ERR(f) || (zero && last_error != HIST_ERR_DIVISION_BY_ZERO))
			fail_msg("%s: error %d", text, last_error);
		refused += zero;
		if (zero)
			continue;
		if (value_of(f) != expected)
			fail_msg("%s is %llu, not %llu", text, (unsigned long long)value_of(f),
				 (unsigned long long)expected);
		check_printed(f, text, expected);
		hist_field_put(f);
	}
	assert_true(refused > rounds / 200 && refused < rounds / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_operators_bind_as_in_arithmetic_and_to_the_left, setup, no_leak),
		cmocka_unit_test_setup_teardown(
			test_division_by_zero_is_refused_or_gives_the_highest_number, setup,
			no_leak),
		cmocka_unit_test_setup_teardown(test_wrong_expressions_are_refused_with_the_reason,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_each_missing_piece_of_memory_gives_an_error,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_random_expressions_agree_with_a_model, setup,
						no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
