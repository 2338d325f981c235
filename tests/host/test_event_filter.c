/*
 * Filters of events: what the compiler accepts and refuses, and what the programs match.
 *
 * sources: trace/filter/parse.c trace/filter/predicate.c trace/filter/match.c
 * sources: trace/filter/string.c trace/events/fields.c
 * sources: kernel/lib/cpulist_parse.c kernel/lib/glob.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "event_filter_test.h"
#include "kernel/errno.h"

static void check(const char *const pass[], const char *const reject[])
{
	for (; *pass; pass++)
		if (!passes(*pass))
			fail_msg("%s does not let the record pass", *pass);
	for (; *reject; reject++)
		if (passes(*reject))
			fail_msg("%s lets the record pass", *reject);
}
#define PASS   (const char *const[])
#define REJECT (const char *const[])

static void test_numbers_of_each_size_and_sign_are_compared(void **state)
{
	(void)state;
	check(PASS{ "u8 == 200",
		    "u8 != 201",
		    "u8 < 201",
		    "u8 <= 200",
		    "u8 > 199",
		    "u8 >= 200",
		    "u8 & 8",
		    "s8 == -3",
		    "s8 < -2",
		    "s8 > -4",
		    "s8 >= -3",
		    "s8 <= -3",
		    "s8 & 1",
		    "u16 == 60000",
		    "u16 > 32768",
		    "u16 < 65535",
		    "s16 == -300",
		    "s16 < 0",
		    "s16 & 4",
		    "u32 == 4000000000",
		    "u32 > 2147483648",
		    "s32 == -70000",
		    "s32 < 1",
		    "u64 == 0x8000000000000005",
		    "u64 > 9223372036854775807",
		    "u64 & 4",
		    "u64 & 0x8000000000000000",
		    "s64 == -1099511627776",
		    "s64 < -1099511627775",
		    "s64 >= -9223372036854775808",
		    "common_pid == 42",
		    "common_type == 77",
		    "common_preempt_count > 4",
		    "u8 == 0xc8",
		    "u8 == 0310",
		    "u8 == 0XC8",
		    "cpu == 0",
		    "CPU < 1",
		    "cpu != 1",
		    "common_cpu >= 0",
		    NULL },
	      REJECT{ "u8 == 201",
		      "u8 != 200",
		      "u8 < 200",
		      "u8 <= 199",
		      "u8 > 200",
		      "u8 >= 201",
		      "u8 & 4",
		      "s8 == 3",
		      "s8 > 0",
		      "s8 & 2",
		      "u16 < 32768",
		      "s16 > 0",
		      "u32 < 2147483648",
		      "s32 > 0",
		      "u64 < 9223372036854775807",
		      "u64 & 2",
		      "s64 >= 0",
		      "common_pid != 42",
		      "cpu == 1",
		      "CPU == -1",
		      "cpu & 1",
		      NULL });
}

static void test_a_number_is_cut_to_the_size_of_the_field(void **state)
{
	(void)state;
	check(PASS{ "u8 == 456", "s8 == 253", "s32 == 4294897296", NULL },
	      REJECT{ "u8 == 1", "u8 < 456", NULL });
}

static void test_a_number_never_matches_an_array(void **state)
{
	(void)state;
	check(PASS{ "!(args == 0)", NULL },
	      REJECT{ "args == 0", "args != 0", "args != 1", "args >= 0", "args & 1", NULL });
}

static void test_strings_are_compared(void **state)
{
	(void)state;
	check(PASS{ "name == \"bash\"", "name == 'bash'", "name != \"bas\"", "name != \"bashx\"",
		    "name != \"\"", "text == \"/bin/ls\"", "text != '/bin/l'",
		    "relative == '/bin/ls'", "relative != '/bin/l'", "relative ~ '*bin*'",
		    "pointer.ustring == \"a string elsewhere\"", "pointer.ustring != 'a'",
		    "pointer == 'a string elsewhere'", "comm == \"cat\"", "COMM != 'dog'",
		    "name.ustring == 'bash'", NULL },
	      REJECT{ "name == \"bas\"", "name == 'bashx'", "name != 'bash'", "name == ''",
		      "name == 'ba*'", "text == '/bin/lsx'", "relative == '/bin'",
		      "relative ~ 'bin*'", "text == '/bin'", "pointer == 'a'", "comm == 'ca'",
		      "COMM == 'cats'", "comm != 'cat'", NULL });
	memcpy(record.name, "0123456789abcdef", sizeof(record.name)); /* no NUL */
	record.text += 0;
	check(PASS{ "name == '0123456789abcdef'", "name ~ '*ef'", "name ~ '0?2*f'", NULL },
	      REJECT{ "name == '0123456789abcdef0'", "name ~ '*ef?*'", NULL });
}

static void test_globs_are_matched(void **state)
{
	(void)state;
	check(PASS{ "name ~ 'bash'",
		    "name ~ 'ba*'",
		    "name ~ '*sh'",
		    "name ~ '*as*'",
		    "name ~ '*'",
		    "name ~ '**'",
		    "name ~ 'b*h'",
		    "name ~ 'b?sh'",
		    "name ~ '[a-c]ash'",
		    "name ~ '[!c]ash'",
		    "name ~ 'b\\ash'",
		    "name ~ '!zsh'",
		    "name ~ '!z*'",
		    "name ~ 'bash*'",
		    "name ~ '*bash'",
		    "name ~ '*bash*'",
		    "text ~ '*ls'",
		    "text ~ '/bin*'",
		    "text ~ '*in*'",
		    "pointer ~ 'a * else*'",
		    "comm ~ '*t'",
		    "comm ~ '[abc]a?'",
		    NULL },
	      REJECT{ "name ~ 'bas'", "name ~ 'as*'", "name ~ '*ba'", "name ~ '*x*'", "name ~ ''",
		      "name ~ 'b*x'", "name ~ 'b?h'", "name ~ '[!b]ash'", "name ~ '!bash'",
		      "name ~ '!b*'", "name ~ '!*'", "name ~ 'bash?*'", "name ~ '?*bash'",
		      "text ~ '*bin'", "text ~ 'bin*'", "comm ~ '?'", "comm ~ '*c'", NULL });
	host_comm = "5x";
	check(PASS{ "comm ~ '5*'", "comm ~ '5?'", NULL }, REJECT{ "comm ~ '6*'", NULL });
}

static void test_memory_that_cannot_be_read_matches_nothing(void **state)
{
	(void)state;
	record.pointer = NULL;
	check(PASS{ "!(pointer == 'a')", NULL },
	      REJECT{ "pointer == 'a'", "pointer != 'a'", "pointer ~ '*'", "pointer ~ '!a'",
		      "pointer.ustring ~ '*'", NULL });
	for (int i = 0; i < 100; i++) /* each one gives back its buffer */
		assert_false(passes("pointer == 'a' || pointer == 'b' && pointer == 'c'"));
}

static void test_at_most_1023_bytes_of_a_string_are_compared(void **state)
{
	static char longer[3000];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 2);
	longer[1023] = 'y';
	record.pointer = longer;
	check(PASS{ "pointer ~ 'xx*xx'", NULL }, REJECT{ "pointer ~ '*y*'", NULL });
}

static void test_functions_are_compared_by_their_range(void **state)
{
	(void)state;
	check(PASS{ "ip.function == schedule", "ip.function == 0x1020", "u64.function != schedule",
		    "(ip.function==schedule)", "ip.function==schedule&&u8==200", NULL },
	      REJECT{ "ip.function != schedule", "u64.function == schedule", NULL });
	record.ip = SCHEDULE + SCHEDULE_SIZE - 1;
	assert_true(passes("ip.function == schedule"));
	record.ip = SCHEDULE;
	assert_true(passes("ip.function == schedule"));
	record.ip = SCHEDULE - 1;
	assert_false(passes("ip.function == schedule"));
	record.ip = SCHEDULE + SCHEDULE_SIZE;
	assert_false(passes("ip.function == schedule"));
}

/* T and F are predicates that are true and false. */
#define T "u8==200"
#define F "u8==1"
static void test_operators_bind_as_in_c(void **state)
{
	(void)state;
	check(PASS{ T "&&" T,
		    T "||" F,
		    F "||" T,
		    "!" F,
		    "!!" T,
		    "! !" T,
		    "!(" F ")",
		    "((((" T "))))",
		    T "||" F "&&" F,
		    F "&&" F "||" T,
		    "!" F "&&" T,
		    "!(" T "&&" F ")",
		    "!(" F "||" F ")",
		    "!(!(" T "))",
		    "(" T "||" F ")&&(" F "||" T ")",
		    T " && (" F " || !(" F " && " T "))",
		    " \t\n" T "\n",
		    T "||" T "||" T,
		    T "&&" T "&&" T,
		    F "&&" T "||" T "&&" T,
		    "!(" F "&&" T "||" F ")",
		    NULL },
	      REJECT{ F "||" F, T "&&" F, F "&&" T, "!" T, "!(" T ")", F "&&" T "||" F,
		      F "||" T "&&" F, "(" T "||" T ")&&" F, "!(" T "||" F ")", "!" F "&&" F,
		      F "&&(" T "||" T ")", "!(!(" F "))", "!(" T "&&" T ")", NULL });
}

static void test_thousands_of_terms_and_parentheses_are_compiled(void **state)
{
	static char text[FILTER_STEPS_MAX * 8];
	struct event_filter *filter;
	struct filter_error error;
	char *end = text;

	(void)state;
	for (int i = 0; i < 3000; i++)
		*end++ = '(';
	end = stpcpy(end, T);
	for (int i = 0; i < 3000; i++)
		*end++ = ')';
	for (int i = 0; i < 2000; i++)
		end = stpcpy(end, i % 2 ? "&&" T : "||" F);
	assert_true(passes(text));
	strcpy(end, "&&!(" T ")");
	assert_true(passes(text));
	end = text;
	for (int i = 1; i < FILTER_STEPS_MAX; i++)
		end = stpcpy(end, F "||");
	strcpy(end, F);
	assert_false(passes(text));
	strcpy(end, T);
	assert_true(passes(text));
	strcpy(end, F "&&" F);
	assert_int_equal(filter_compile(&record_call, text, &filter, &error), -EINVAL);
	assert_int_equal(error.reason, FILTER_ERR_TOO_MANY_PREDS);
}

static void test_without_memory_nothing_is_compiled(void **state)
{
	(void)state;
	for (long allowed = 0; allowed < 2; allowed++) {
		struct event_filter *filter = NULL;
		struct filter_error error;

		host_allocations_left = allowed;
		assert_int_equal(filter_compile(&record_call, "u8 == 1 && (s8 == 2 || s8 == 3)",
						&filter, &error),
				 -ENOMEM);
		host_allocations_left = -1;
		assert_null(filter);
		assert_int_equal(host_objects, 0);
	}
}

/* ---- sets of CPUs ---- */

static void test_sets_of_cpus_are_compared_with_the_number_of_a_cpu(void **state)
{
	(void)state;
	record.u8 = 3;
	record.u16 = 67;
	record.s32 = -1;
	check(PASS{ "u8 & CPUS{1,3}", "u8 & CPUS{3}", "u8 == CPUS{3}", "u8 != CPUS{3,4}",
		    "u8 != CPUS{2}", "u16 & CPUS{64-69}", "u16 == CPUS{67}", "s32 != CPUS{0}",
		    "u64 != CPUS{5,6}", "u8 & CPUS{all}", "u8&CPUS{0-N}", "cpu & CPUS{0-3}",
		    "CPU == CPUS{0}", "!(common_cpu & CPUS{1-3})", "cpu != CPUS{0,1}",
		    "u8 & CPUS{5,6} || u16 & CPUS{5-69}", "u8 & CPUS{3,4}&&u16 & CPUS{66,67}",
		    NULL },
	      REJECT{ "u8 == CPUS{3,4}", "u8 & CPUS{2}", "u8 != CPUS{3}", "u8 & CPUS{64-69}",
		      "u16 & CPUS{0-66}", "s32 & CPUS{all}", "u64 & CPUS{all}", "u8 & CPUS{ }",
		      "u8 == CPUS{ }", "cpu & CPUS{1-69}", "cpu == CPUS{0,1}", NULL });
}

static void test_sets_of_cpus_are_compared_with_a_set(void **state)
{
	static const struct trace_event_field fields[] = {
		{ .type = "__data_loc cpumask_t", .name = "cpus", .offset = 8, .size = 4 },
		{ .name = NULL },
	};
	static const struct trace_event_call call = { .event.fields = fields };
	struct {
		struct trace_entry ent;
		u32 cpus, unused;
		u64 bits[2];
	} rec = { .cpus = 16 | 16 << 16, .bits = { 1ULL << 5, 1 } };
	static const struct {
		const char *text;
		bool passes;
	} filters[] = {
		{ "cpus & CPUS{5}", true },      { "cpus & CPUS{0-4,6-63}", false },
		{ "cpus & CPUS{60-69}", true },  { "cpus == CPUS{5,64}", true },
		{ "cpus == CPUS{5}", false },    { "cpus != CPUS{5}", true },
		{ "cpus != CPUS{64,5}", false }, { "cpus & CPUS{ }", false },
		{ "!(cpus & CPUS{65})", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct event_filter *filter;
		struct filter_error error;

		assert_int_equal(filter_compile(&call, filters[i].text, &filter, &error), 0);
		if (event_filter_match(filter, &rec) != filters[i].passes)
			fail_msg("%s", filters[i].text);
		kfree(filter);
	}
}

/* Positions and reasons are those of Linux 6.12 (tests/fidelity/with_linux_6_12.txt). */
static void test_malformed_sets_of_cpus_are_refused(void **state)
{
	static const struct {
		const char *text;
		enum filter_reason reason;
		unsigned position;
	} filters[] = {
		{ "u8 < CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 6 },
		{ "u8 ~ CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 6 },
		{ "name & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 8 },
		{ "args & CPUS{0}", FILTER_ERR_ILLEGAL_FIELD_OP, 8 },
		{ "u8 & CPUS{}", FILTER_ERR_INVALID_CPULIST, 11 },
		{ "u8 & CPUS{70}", FILTER_ERR_INVALID_CPULIST, 13 },
		{ "u8 & CPUS{9999999999999999999999}", FILTER_ERR_INVALID_CPULIST, 33 },
		{ "u8 & CPUS{x}", FILTER_ERR_INVALID_CPULIST, 12 },
		{ "u8 & CPUS{0", FILTER_ERR_MISSING_BRACE_CLOSE, 11 },
		{ "u8 & CPUS {0}", FILTER_ERR_MISSING_BRACE_OPEN, 11 },
		{ "u8 & CPU{0}", FILTER_ERR_INVALID_VALUE, 6 },
		{ "u8 & CPUS{0}0", FILTER_ERR_TOO_MANY_PREDS, 12 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct event_filter *filter;
		struct filter_error error;

		assert_true(filter_compile(&record_call, filters[i].text, &filter, &error) < 0);
		if (error.reason != filters[i].reason || error.position != filters[i].position)
			fail_msg("%s: %s at %u", filters[i].text, filter_error_texts[error.reason],
				 error.position);
	}
}

/* ---- refused texts that Linux 6.1 does not know ---- */

static void test_malformed_functions_are_refused(void **state)
{
	static const struct {
		const char *text;
		enum filter_reason reason;
	} cases[] = {
		{ "u8.function == schedule", FILTER_ERR_ILLEGAL_FIELD_OP },
		{ "args.function == schedule", FILTER_ERR_ILLEGAL_FIELD_OP },
		{ "name.function == schedule", FILTER_ERR_ILLEGAL_FIELD_OP },
		{ "ip.function > schedule", FILTER_ERR_INVALID_OP },
		{ "ip.function ~ schedule", FILTER_ERR_INVALID_OP },
		{ "ip.function == no_such", FILTER_ERR_NO_FUNCTION },
		{ "ip.function == 0x9000", FILTER_ERR_NO_FUNCTION },
		{ "ip.function == 0", FILTER_ERR_NO_FUNCTION },
		{ "ip.function == 1x", FILTER_ERR_INVALID_VALUE },
		{ "ip.function == 0x1234567890123456789012", FILTER_ERR_OPERAND_TOO_LONG },
		{ "ip.function == ", FILTER_ERR_INVALID_VALUE },
		{ "ip.function == \"schedule\"", FILTER_ERR_INVALID_VALUE },
		{ "ip.function == schedule x", FILTER_ERR_TOO_MANY_PREDS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_filter *filter = NULL;
		struct filter_error error;

		if (!filter_compile(&record_call, cases[i].text, &filter, &error) ||
		    error.reason != cases[i].reason)
			fail_msg("%s: %s at %u", cases[i].text, filter_error_texts[error.reason],
				 error.position);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers_of_each_size_and_sign_are_compared,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_a_number_is_cut_to_the_size_of_the_field,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_a_number_never_matches_an_array, setup,
						no_leak),
		cmocka_unit_test_setup_teardown(test_strings_are_compared, setup, no_leak),
		cmocka_unit_test_setup_teardown(test_globs_are_matched, setup, no_leak),
		cmocka_unit_test_setup_teardown(test_memory_that_cannot_be_read_matches_nothing,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_at_most_1023_bytes_of_a_string_are_compared,
						setup, no_leak),
		cmocka_unit_test_setup_teardown(test_functions_are_compared_by_their_range, setup,
						no_leak),
		cmocka_unit_test_setup_teardown(test_operators_bind_as_in_c, setup, no_leak),
		cmocka_unit_test_setup_teardown(
			test_thousands_of_terms_and_parentheses_are_compiled, setup, no_leak),
		cmocka_unit_test_setup_teardown(test_without_memory_nothing_is_compiled, setup,
						no_leak),
		cmocka_unit_test_setup_teardown(test_malformed_functions_are_refused, setup,
						no_leak),
		cmocka_unit_test_setup_teardown(
			test_sets_of_cpus_are_compared_with_the_number_of_a_cpu, setup, no_leak),
		cmocka_unit_test_setup_teardown(test_sets_of_cpus_are_compared_with_a_set, setup,
						no_leak),
		cmocka_unit_test_setup_teardown(test_malformed_sets_of_cpus_are_refused, setup,
						no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
