/*
 * Parsers of user input: numbers, patterns, CPU lists. Also sorting.
 * sources: kernel/lib/kstrtox.c kernel/lib/glob.c kernel/lib/cpulist.c
 * sources: kernel/lib/cpulist_parse.c kernel/lib/sort.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/hash.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/sort.h"

unsigned nr_cpu_ids = 8;

static void test_numbers_are_read_whole_or_refused(void **state)
{
	static const struct {
		const char *text;
		unsigned base;
		int error;
		u64 value;
	} cases[] = {
		{ "0", 0, 0, 0 },
		{ "42", 0, 0, 42 },
		{ "42\n", 0, 0, 42 },
		{ "+42", 10, 0, 42 },
		{ "0x2a", 0, 0, 42 },
		{ "0X2A", 16, 0, 42 },
		{ "2a", 16, 0, 42 },
		{ "052", 0, 0, 42 },
		{ "08", 0, -EINVAL, 0 },
		{ "", 0, -EINVAL, 0 },
		{ "\n", 0, -EINVAL, 0 },
		{ "0x", 0, -EINVAL, 0 },
		{ " 1", 0, -EINVAL, 0 },
		{ "1 ", 0, -EINVAL, 0 },
		{ "1\n\n", 0, -EINVAL, 0 },
		{ "-1", 0, -EINVAL, 0 },
		{ "+-1", 0, -EINVAL, 0 },
		{ "12a", 10, -EINVAL, 0 },
		{ "18446744073709551615", 10, 0, ~0ULL },
		{ "18446744073709551616", 10, -ERANGE, 0 },
		{ "99999999999999999999999x", 10, -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned long long value = 77;

		assert_int_equal(kstrtoull(cases[i].text, cases[i].base, &value), cases[i].error);
		assert_true(value == (cases[i].error ? 77 : cases[i].value));
	}
}

static void test_numbers_keep_to_the_range_of_their_type(void **state)
{
	long ll;
	int i = 5;
	unsigned u;

	(void)state;
	assert_int_equal(kstrtoint("2147483647", 10, &i), 0);
	assert_int_equal(i, INT32_MAX);
	assert_int_equal(kstrtoint("-2147483648", 10, &i), 0);
	assert_int_equal(i, INT32_MIN);
	assert_int_equal(kstrtoint("2147483648", 10, &i), -ERANGE);
	assert_int_equal(kstrtoint("-2147483649", 10, &i), -ERANGE);
	assert_int_equal(i, INT32_MIN);
	assert_int_equal(kstrtol("-9223372036854775808", 10, &ll), 0);
	assert_true(ll == INT64_MIN);
	assert_int_equal(kstrtol("9223372036854775808", 10, &ll), -ERANGE);
	assert_int_equal(kstrtouint("4294967295", 10, &u), 0);
	assert_int_equal(kstrtouint("4294967296", 10, &u), -ERANGE);
	assert_int_equal(kstrtoint("--1", 10, &i), -EINVAL);
	assert_int_equal(kstrtoint("-", 10, &i), -EINVAL);
}

static void test_truth_values(void **state)
{
	bool value;

	(void)state;
	for (const char *const *s =
		     (const char *const[]){ "1", "y", "Yes", "on", "ON", "true", NULL };
	     *s; s++) {
		value = false;
		assert_int_equal(kstrtobool(*s, &value), 0);
		assert_true(value);
	}
	for (const char *const *s =
		     (const char *const[]){ "0", "n", "No", "off", "Off", "false", NULL };
	     *s; s++) {
		value = true;
		assert_int_equal(kstrtobool(*s, &value), 0);
		assert_false(value);
	}
	assert_int_equal(kstrtobool("2", &value), -EINVAL);
	assert_int_equal(kstrtobool("o", &value), -EINVAL);
	assert_int_equal(kstrtobool("", &value), -EINVAL);
	assert_int_equal(kstrtobool(NULL, &value), -EINVAL);
}

static void test_sizes_take_a_suffix(void **state)
{
	char *end;

	(void)state;
	assert_int_equal(memparse("16k", &end), 16384);
	assert_string_equal(end, "");
	assert_int_equal(memparse("0x10M,rest", &end), 16 << 20);
	assert_string_equal(end, ",rest");
	assert_int_equal(memparse("junk", &end), 0);
	assert_string_equal(end, "junk");
	assert_int_equal(simple_strtoul("12ab", &end, 10), 12);
	assert_string_equal(end, "ab");
}

static void test_globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "a", "a", true },
		{ "a", "b", false },
		{ "sched*", "schedule", true },
		{ "*sched", "preempt_sched", true },
		{ "*sched*", "do_sched_yield", true },
		{ "a*b*c", "aXbXbc", true },
		{ "a*b*c", "aXbXb", false },
		{ "?", "", false },
		{ "??", "ab", true },
		{ "a?c", "abc", true },
		{ "[abc]x", "bx", true },
		{ "[abc]x", "dx", false },
		{ "[a-c]x", "bx", true },
		{ "[!a-c]x", "bx", false },
		{ "[!a-c]x", "zx", true },
		{ "[]]", "]", true },
		{ "[!]]", "]", false },
		{ "[a-]", "-", true },
		{ "[abc", "[abc", true },
		{ "[abc", "a", false },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "a\\", "a\\", true },
		{ "*[0-9]", "cpu7", true },
		{ "*aab", "aaaaaaab", true },
		{ "**", "x", true },
		{ "*a*a*a*a*a*a*a*a*a*b",
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t length = strlen(cases[i].text);
		char *no_nul = memcpy(malloc(length + 1), cases[i].text, length);

		no_nul = realloc(no_nul, length ? length : 1);
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].match ||
		    glob_match_n(cases[i].pattern, no_nul, length) != cases[i].match)
			fail_msg("%s against %s", cases[i].pattern, cases[i].text);
		free(no_nul);
	}
}

static void test_cpu_lists_and_masks_are_read_and_printed(void **state)
{
	static const struct {
		const char *list;
		int error;
		const char *mask;
	} lists[] = {
		{ "0-3,5\n", 0, "0-3,5" },
		{ " 1,,7 2\n", 0, "1-2,7" },
		{ "", 0, "" },
		{ "all", 0, "0-7" },
		{ "6-N", 0, "6-7" },
		{ "0-N:1/3", 0, "0,3,6" },
		{ "1-6:2/4", 0, "1-2,5-6" },
		{ "0-7:0/2", 0, "" },
		{ "007", 0, "7" },
		{ "8", -ERANGE, NULL },
		{ "0-8", -ERANGE, NULL },
		{ "4294967296", -ERANGE, NULL },
		{ "3-1", -EINVAL, NULL },
		{ "-1", -EINVAL, NULL },
		{ "1-", -EINVAL, NULL },
		{ "1x", -EINVAL, NULL },
		{ "allx", -EINVAL, NULL },
		{ "0-7:", -EINVAL, NULL },
		{ "0-7:2", -EINVAL, NULL },
		{ "0-7:1/0", -EINVAL, NULL },
		{ "0-7:3/2", -EINVAL, NULL },
	};
	struct cpumask mask;
	char text[64];

	(void)state;
	assert_int_equal(cpumask_parse("af\n", &mask), 0);
	assert_int_equal(cpulist_print(text, sizeof(text), &mask), 7);
	assert_string_equal(text, "0-3,5,7");
	cpumask_print(text, sizeof(text), &mask);
	assert_string_equal(text, "af");
	nr_cpu_ids = 40;
	cpumask_print(text, sizeof(text), &mask);
	assert_string_equal(text, "00,000000af");
	assert_int_equal(cpumask_parse("1,00000003\n", &mask), 0);
	cpulist_print(text, sizeof(text), &mask);
	assert_string_equal(text, "0-1,32");
	assert_int_equal(cpumask_parse("1 3", &mask), 0); /* a group has 32 bits */
	cpulist_print(text, sizeof(text), &mask);
	assert_string_equal(text, "0-1,32");
	assert_int_equal(cpumask_parse("100,3", &mask), -EOVERFLOW); /* CPU 40 */
	assert_int_equal(cpumask_parse("0,0,3", &mask), -EOVERFLOW);
	nr_cpu_ids = 8;
	assert_int_equal(cpumask_parse("0,3", &mask), -EOVERFLOW);
	assert_int_equal(cpumask_parse("100", &mask), -EOVERFLOW);
	assert_int_equal(cpumask_parse("100000003", &mask), -EOVERFLOW);
	assert_int_equal(cpumask_parse("1,", &mask), 0);
	assert_int_equal(cpumask_parse(",1\nfg", &mask), 0);
	assert_int_equal(cpumask_weight(&mask), 1);
	assert_int_equal(cpumask_parse("", &mask), 0);
	assert_int_equal(cpumask_weight(&mask), 0);
	assert_int_equal(cpumask_parse("0", &mask), 0);
	assert_int_equal(cpumask_weight(&mask), 0);
	assert_int_equal(cpulist_print(text, sizeof(text), &mask), 0);
	assert_string_equal(text, "");

	assert_int_equal(cpumask_parse("fg", &mask), -EINVAL);
	assert_int_equal(
		cpumask_parse("10000000000000000000000000000000000000000000000000000000000000000",
			      &mask),
		-EOVERFLOW);

	/* Lists; nr_cpu_ids is 8. tests/fidelity/noise.txt has more, from Linux. */
	for (unsigned i = 0; i < ARRAY_SIZE(lists); i++) {
		assert_int_equal(cpulist_parse(lists[i].list, &mask), lists[i].error);
		if (!lists[i].error)
			cpulist_print(text, sizeof(text), &mask);
		if (!lists[i].error && strcmp(text, lists[i].mask) != 0)
			fail_msg("%s gives %s", lists[i].list, text);
	}
	/* The text is cut, and does not overrun. */
	cpumask_setall(&mask);
	assert_int_equal(cpulist_print(text, 4, &mask), 3);
	assert_string_equal(text, "0-2");
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void test_sort_orders(void **state)
{
	(void)state;
	srand(3);
	for (size_t n = 0; n < 200; n++) {
		u32 *small = malloc(n * sizeof(*small) + 1);
		u64 *large = malloc(n * sizeof(*large) + 1), sum = 0, sorted_sum = 0;

		for (size_t i = 0; i < n; i++) {
			small[i] = (u32)rand() % 100;
			large[i] = small[i];
			sum += small[i];
		}
		sort(small, n, sizeof(*small), compare_u32);
		sort(large, n, sizeof(*large), compare_u64);
		for (size_t i = 0; i < n; i++) {
			assert_true(small[i] == large[i]);
			if (i)
				assert_true(large[i - 1] <= large[i]);
			sorted_sum += large[i];
		}
		assert_true(sum == sorted_sum);
		free(small);
		free(large);
	}
}

static void test_a_binary_search_finds_where_the_condition_ends(void **state)
{
	(void)state;
	for (size_t n = 0; n < 70; n++)
		for (size_t end = 0; end <= n; end++)
			assert_int_equal(partition_point(n, i, i < end), end);
}

static void test_bits_are_found(void **state)
{
	unsigned long map[2] = { 1UL << 63, 1 };

	(void)state;
	assert_int_equal(find_next_bit(map, 128, 0), 63);
	assert_int_equal(find_next_bit(map, 128, 64), 64);
	assert_int_equal(find_next_bit(map, 128, 65), 128);
	assert_int_equal(find_next_zero_bit(map, 128, 63), 65);
	assert_int_equal(find_next_bit(map, 60, 0), 60);
	assert_int_equal(fls64(0), 0);
	assert_int_equal(fls64(~0UL), 64);
	assert_int_equal(ilog2(4096), 12);
	assert_int_equal(roundup_pow_of_two(4097), 8192);
	assert_int_equal(roundup_pow_of_two(1), 1);
	/* The published test vector. */
	assert_true(fnv1a_64("foobar", 6, FNV1A_64_INIT) == 0x85944171f73967e8ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_read_whole_or_refused),
		cmocka_unit_test(test_numbers_keep_to_the_range_of_their_type),
		cmocka_unit_test(test_truth_values),
		cmocka_unit_test(test_sizes_take_a_suffix),
		cmocka_unit_test(test_globs),
		cmocka_unit_test(test_cpu_lists_and_masks_are_read_and_printed),
		cmocka_unit_test(test_sort_orders),
		cmocka_unit_test(test_a_binary_search_finds_where_the_condition_ends),
		cmocka_unit_test(test_bits_are_found),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
