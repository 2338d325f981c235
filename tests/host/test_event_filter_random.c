/*
 * Filters of events: random ones, whose results a model that does not know the parser computes.
 *
 * sources: trace/filter/parse.c trace/filter/predicate.c trace/filter/match.c
 * sources: trace/filter/string.c trace/events/fields.c
 * sources: kernel/lib/cpulist_parse.c kernel/lib/glob.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "event_filter_test.h"

/* The model: an expression is made as text, and its value for the record is known at once. */
static char *expression_end; /* in the text of the expression */

static const char *some_space(void)
{
	static const char *const spaces[] = { "", "", " ", "\t", "  ", "\n " };

	return spaces[random_below(ARRAY_SIZE(spaces))];
}

static void put(const char *text)
{
	expression_end += sprintf(expression_end, "%s%s", some_space(), text);
}

static bool compare(const char *op, long double a, long double b)
{
	return !strcmp(op, "==")   ? a == b
	       : !strcmp(op, "!=") ? a != b
	       : !strcmp(op, "<")  ? a < b
	       : !strcmp(op, "<=") ? a <= b
	       : !strcmp(op, ">")  ? a > b
				   : a >= b;
}

/* A number near the field's value, or a limit of its type. */
static bool random_number(void)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	static const struct {
		const char *name;
		const void *at;
		unsigned size;
		bool is_signed;
	} fields[] = {
		{ "u8", &record.u8, 1, false },   { "s8", &record.s8, 1, true },
		{ "u16", &record.u16, 2, false }, { "s16", &record.s16, 2, true },
		{ "u32", &record.u32, 4, false }, { "s32", &record.s32, 4, true },
		{ "u64", &record.u64, 8, false }, { "s64", &record.s64, 8, true },
	};
	unsigned f = random_below(ARRAY_SIZE(fields)), bits = 8 * fields[f].size;
	const char *op = ops[random_below(ARRAY_SIZE(ops))];
	u64 raw = 0, mask = ~0ULL >> (64 - bits), sign = 1ULL << (bits - 1), constant;
	long double value, other;
	char number[64];

	memcpy(&raw, fields[f].at, fields[f].size);
	constant = random_below(3)   ? raw + random_below(5) - 2
		   : random_below(2) ? sign - random_below(2)
				     : random_state;
	constant &= mask;
	value = raw;
	other = constant;
	if (fields[f].is_signed && (raw & sign))
		value -= 2 * (long double)sign;
	if (fields[f].is_signed && (constant & sign)) {
		other -= 2 * (long double)sign;
		snprintf(number, sizeof(number), random_below(2) ? "-%llu" : "-0x%llx",
			 (unsigned long long)((~constant + 1) & mask));
	} else {
		snprintf(number, sizeof(number),
			 random_below(3)   ? "%llu"
			 : random_below(2) ? "0x%llx"
					   : "0%llo",
			 (unsigned long long)constant);
	}
	put(fields[f].name);
	put(op);
	put(number);
	return *op == '&' ? (raw & constant) != 0 : compare(op, value, other);
}

/* A slow and simple glob, by recursion. */
static bool model_glob(const char *pattern, const char *s)
{
	if (*pattern == '*')
		return model_glob(pattern + 1, s) || (*s && model_glob(pattern, s + 1));
	if (!*pattern || !*s)
		return !*pattern && !*s;
	return (*pattern == '?' || *pattern == *s) && model_glob(pattern + 1, s + 1);
}

static bool random_string(void)
{
	static const char *const names[] = { "name", "text",    "relative",
					     "comm", "pointer", "pointer.ustring" };
	static const char *const ops[] = { "==", "!=", "~" };
	const char *values[] = { record.name, record.dynamic, record.dynamic,
				 host_comm,   record.pointer, record.pointer };
	unsigned f = random_below(ARRAY_SIZE(names)), op = random_below(ARRAY_SIZE(ops)),
		 length = 0;
	char pattern[64], quoted[80], quote = "'\""[random_below(2)];

	if (random_below(2))
		length = (unsigned)sprintf(pattern, "%s", values[f]);
	else
		while (length < 6 && random_below(5))
			pattern[length++] = "abc*?b"[random_below(6)];
	pattern[length] = '\0';
	if (length && random_below(2))
		pattern[random_below(length)] = "*?ab"[random_below(4)];
	snprintf(quoted, sizeof(quoted), "%c%s%c", quote, pattern, quote);
	put(names[f]);
	put(ops[op]);
	put(quoted);
	return op == 2 ? model_glob(pattern, values[f])
		       : (strcmp(pattern, values[f]) == 0) == (op == 0);
}

static bool random_expression(unsigned depth);

static bool random_operand(unsigned depth)
{
	bool value, invert = false;

	while (!random_below(4)) {
		invert = !invert;
		put("!");
	}
	if (depth && random_below(2)) {
		put("(");
		value = random_expression(depth - 1);
		put(")");
	} else {
		value = random_below(3) ? random_number() : random_string();
	}
	return value != invert;
}

static bool random_expression(unsigned depth)
{
	bool or = false, and = random_operand(depth);

	while (random_below(3)) {
		if (random_below(2)) {
			bool operand;

			put("&&");
			operand = random_operand(depth);
			and = and&&operand;
		} else {
			bool operand;

			put("||");
			operand = random_operand(depth);
			or = or || and;
			and = operand;
		}
	}
	return or || and;
}

static void random_text(char *text, unsigned max)
{
	unsigned length = random_below(max);

	for (unsigned i = 0; i < length; i++)
		text[i] = "abc"[random_below(3)];
	text[length] = '\0';
}

static void random_record(void)
{
	static char comm[16], pointer[16];
	char dynamic[16];

	random_numbers(&record);
	random_text(record.name, 6);
	random_text(dynamic, 6);
	set_text(dynamic);
	random_text(comm, 6);
	random_text(pointer, 6);
	host_comm = comm;
	record.pointer = pointer;
}

static void test_random_filters_agree_with_a_model(void **state)
{
	static char text[1 << 20];
	unsigned passed = 0, rounds = tries(20000);

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		bool expected;

		random_record();
		expression_end = text;
		expected = random_expression(3);
		put("");
		if (passes(text) != expected)
			fail_msg("%s: the model says %d", text, expected);
		passed += expected;
	}
	assert_true(passed > rounds / 4 && passed < rounds * 3 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random_filters_agree_with_a_model, setup,
						no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
