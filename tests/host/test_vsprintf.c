/*
 * Formatted text: compared with the C library, and for conversions of Linux with the results of Linux.
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include "test.h"
#include <stdarg.h>

#include "fake_kallsyms.h"
#include "kernel/errno.h"

int nop5_snprintf(char *buf, size_t size, const char *fmt, ...);
int nop5_vsnprintf(char *buf, size_t size, const char *fmt, va_list args);
size_t vbin_printf(u32 *words, size_t count, const char *fmt, va_list args);
int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words, size_t count);
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

/* Packs the arguments into an array of the exact size, then prints. The text must be that of printing directly. */
static void check_two_steps(const char *format, ...)
{
	size_t count, again;
	va_list args;
	u32 *words;
	int length;

	va_start(args, format);
	length = nop5_vsnprintf(ours, sizeof(ours), format, args);
	count = vbin_printf(NULL, 0, format, args);
	words = malloc(count * sizeof(*words)); /* the exact size, so that ASan sees an overrun */
	again = vbin_printf(words, count, format, args);
	va_end(args);
	assert_int_equal(again, count);
	assert_int_equal(bstr_printf(theirs, sizeof(theirs), format, words, count), length);
	assert_string_equal(theirs, ours);
	/* With too few words, whatever they hold, no byte beyond them is read. */
	for (size_t less = 0; less < count; less++) {
		u32 *few = malloc(less * sizeof(*few));

		memcpy(few, words, less * sizeof(*few));
		bstr_printf(theirs, sizeof(theirs), format, few, less);
		free(few);
	}
	free(words);
}

static void test_printing_in_two_steps_gives_the_same(void **state)
{
	static const char bytes[] = "\x01\xab\xff";

	(void)state;
	check_two_steps("no arguments, 100%%\n");
	check_two_steps("%d %u %x %X %o %i|%5d|%-5d|%05d|%+d", -1, 2U, 255U, 255U, 8U, INT32_MIN, 1,
			2, 3, 4);
	check_two_steps("%hhd %hhu %hd %hu %ld %lu %llx %zu", -1, 200, -300, 60000, -5L, ~0UL, ~0ULL,
			(size_t)9);
	check_two_steps("%c%d%c%hd%c%ld", 'a', 1, 'b', 2, 'c', 3L);
	check_two_steps("%s|%5s|%-5s|%.2s|%.*s|%*s|%s", "abc", "abc", "abc", "abc", 1, "xyz", -9,
			"left", "");
	check_two_steps("%s %d", (char *)NULL, 5);
	check_two_steps("%p|%px|%pS|%ps|%pB|%10ps|%pe", (void *)0x1012UL, (void *)0x1012UL,
			(void *)0x1012UL, (void *)0x1012UL, (void *)0x1012UL, (void *)0x1012UL,
			ERR_PTR(-ENOMEM));
	check_two_steps("%*ph %*phC %*phD %*phN %d", 3, bytes, 2, bytes, 3, bytes, 1, bytes, 7);
	check_two_steps("%*.*d|%-*d|%y|%", 8, 3, 42, 6, 1);
}

static size_t pack(u32 *words, size_t count, const char *format, ...)
{
	va_list args;
	size_t n;

	va_start(args, format);
	n = vbin_printf(words, count, format, args);
	va_end(args);
	return n;
}

/* The layout is that of Linux, because programs that read trace_pipe_raw expect it. */
static void test_packed_arguments_lie_as_linux_has_them(void **state)
{
	static const u8 wanted[] = { 'x', 0, 2, 1, 4,	3, 2, 1, 8, 7, 6, 5, 4, 3,
				     2,	  1, 'h', 'i', 0, 0, 5, 0, 0, 0 };
	u32 words[8];

	(void)state;
	assert_int_equal(pack(words, 8, "%c %hd %d %lx %s %u", 'x', 0x102, 0x1020304,
			      0x102030405060708UL, "hi", 5),
			 sizeof(wanted) / 4);
	assert_memory_equal(words, wanted, sizeof(wanted));
	/* Copies the string now, and only the part that will be printed. */
	assert_int_equal(pack(words, 8, "%.3s", "abcdef"), 1);
	assert_memory_equal(words, "abc", 4);
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
		cmocka_unit_test(test_printing_in_two_steps_gives_the_same),
		cmocka_unit_test(test_packed_arguments_lie_as_linux_has_them),
		cmocka_unit_test(test_errors_have_names_and_texts),
	};

	return cmocka_run_group_tests_name("vsprintf", tests, NULL, NULL);
}
