/*
 * Formatted text: the C library's result where it has the conversion, Linux's where it has not.
 * sources: kernel/lib/vsprintf.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"

#include "fake_kallsyms.h"
#include "kernel/errno.h"

int nop5_snprintf(char *buf, size_t size, const char *fmt, ...);
int scnprintf(char *buf, size_t size, const char *fmt, ...);

static char ours[4096], theirs[4096];

#define SAME(...)                                                                                  \
	do {                                                                                       \
		int n = nop5_snprintf(ours, sizeof(ours), __VA_ARGS__);                            \
		assert_int_equal(n, snprintf(theirs, sizeof(theirs), __VA_ARGS__));                \
		assert_string_equal(ours, theirs);                                                 \
	} while (0)
#define PRINTS(text, ...)                                                                          \
	do {                                                                                       \
		assert_int_equal(nop5_snprintf(ours, sizeof(ours), __VA_ARGS__), strlen(text));    \
		assert_string_equal(ours, text);                                                   \
	} while (0)

static void test_numbers_print_as_in_the_c_library(void **state)
{
	static const char *const flags[] = { "",   "-",  "+",  " ",  "#", "0",
					     "-+", "+0", "#0", " -", "-#" };
	static const char *const sizes[] = { "", "1", "5", "12", ".0", ".3", "8.3", "3.8", "." };
	static const char *const lengths[] = { "", "hh", "h", "l", "ll", "z" };
	static const long long values[] = { 0,         1,         -1,        9,
					    255,       -128,      65535,     1234567,
					    INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };

	(void)state;
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	for (size_t f = 0; f < ARRAY_SIZE(flags); f++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
			for (size_t l = 0; l < ARRAY_SIZE(lengths); l++)
				for (const char *c = "diuxXo"; *c; c++)
					for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
						char format[32];

						snprintf(format, sizeof(format), "<%%%s%s%s%c>",
							 flags[f], sizes[s], lengths[l], *c);
						if (l < 3)
							SAME(format, (int)values[v]);
						else
							SAME(format, values[v]);
					}
}

static void test_text_width_and_precision(void **state)
{
	(void)state;
	SAME("%s|%5s|%-5s|%.2s|%5.1s|%-5.1s|%*s|%-*s|%.*s", "abc", "abc", "abc", "abc", "abc",
	     "abc", 4, "x", 4, "x", 2, "xyz");
	SAME("%*d|%.*d|%c|%3c|%-3c|100%%", -6, 42, -1, 7, 'a', 'b', 'c');
	PRINTS("(null)", "%s", (char *)NULL);
	PRINTS("%y %", "%y %");
}

static void test_unterminated_text_is_read_no_further_than_its_precision(void **state)
{
	char *text = malloc(3);

	(void)state;
	memcpy(text, "abc", 3);
	PRINTS("abc", "%.3s", text);
	free(text);
}

static void test_a_short_buffer_gets_the_beginning_and_a_nul(void **state)
{
	char *buf = malloc(4);

	(void)state;
	assert_int_equal(nop5_snprintf(buf, 4, "%d", 123456), 6);
	assert_string_equal(buf, "123");
	assert_int_equal(scnprintf(buf, 4, "%d", 123456), 3);
	assert_int_equal(scnprintf(buf, 0, "%d", 1), 0);
	assert_string_equal(buf, "123");
	assert_int_equal(nop5_snprintf(NULL, 0, "%d", 123456), 6);
	free(buf);
}

static void test_pointer_forms(void **state)
{
	(void)state;
	PRINTS("ffff888000001000", "%p", (void *)0xffff888000001000UL);
	PRINTS("0000000000000000", "%px", NULL);
	PRINTS("schedule+0x12/0x34", "%pS", (void *)0x1012UL);
	PRINTS("schedule", "%ps", (void *)0x1012UL);
	PRINTS("schedule+0x12/0x34", "%pB", (void *)0x1012UL);
	PRINTS("  schedule|", "%10ps|", (void *)0x1012UL);
	PRINTS("-ENOMEM", "%pe", ERR_PTR(-ENOMEM));
	PRINTS("0000000000001012", "%pe", (void *)0x1012UL);
	PRINTS("01 ab ff", "%*ph", 3, "\x01\xab\xff");
	PRINTS("01:ab:ff 01-ab 01abff", "%*phC %*phD %*phN", 3, "\x01\xab\xff", 2, "\x01\xab\xff",
	       3, "\x01\xab\xff");
}

static void test_errors_have_names_and_texts(void **state)
{
	(void)state;
	for (int error = 0; error < 200; error++) {
		const char *text = errno_text(error);

		if (strcmp(text, "Unknown error"))
			assert_string_equal(text, strerror(error));
	}
	assert_string_equal(errno_text(EINVAL), "Invalid argument");
	assert_string_equal(errno_text(-1), "Unknown error");
	assert_string_equal(errno_text(100000), "Unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_print_as_in_the_c_library),
		cmocka_unit_test(test_text_width_and_precision),
		cmocka_unit_test(test_unterminated_text_is_read_no_further_than_its_precision),
		cmocka_unit_test(test_a_short_buffer_gets_the_beginning_and_a_nul),
		cmocka_unit_test(test_pointer_forms),
		cmocka_unit_test(test_errors_have_names_and_texts),
	};

	return cmocka_run_group_tests_name("vsprintf", tests, NULL, NULL);
}
