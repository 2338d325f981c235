/*
 * Strings: compares our functions with those of the C library, and tests the others.
 * sources: kernel/lib/string_helpers.c
 * flags: -fno-builtin
 */
#include "test.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

/* Other names for the functions under test, because the library's have the same. */
#define memcmp      our_memcmp
#define memchr      our_memchr
#define strlen      our_strlen
#define strnlen     our_strnlen
#define strcmp      our_strcmp
#define strncmp     our_strncmp
#define strchrnul   our_strchrnul
#define strchr      our_strchr
#define strrchr     our_strrchr
#define strstr      our_strstr
#define strspn      our_strspn
#define strcspn     our_strcspn
#define strpbrk     our_strpbrk
#define strsep      our_strsep
#include "our_string.h"
#include "kernel/lib/string.c"
#undef memcmp
#undef memchr
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strstr
#undef strspn
#undef strcspn
#undef strpbrk
#undef strsep

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

/* Texts with few different characters, so that matches are common. Allocations have the exact size, so that ASan sees every overrun. */
static char *random_text(void)
{
	static const char letters[] = "abAB \xe4";
	size_t n = (size_t)rand() % 12;
	char *s = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		s[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
	s[n] = '\0';
	return s;
}

static void test_functions_agree_with_the_c_library(void **state)
{
	(void)state;
	srand(2);
	for (unsigned i = 0; i < 50000; i++) {
		char *a = random_text(), *b = random_text();
		size_t n = (size_t)rand() % 14, common = min(strlen(a), strlen(b)) + 1;
		int c = "abAB \xe4\0"[rand() % 7];

		assert_int_equal(our_strlen(a), strlen(a));
		assert_int_equal(our_strnlen(a, n), strnlen(a, n));
		assert_int_equal(sign(our_strcmp(a, b)), sign(strcmp(a, b)));
		assert_int_equal(sign(our_strncmp(a, b, n)), sign(strncmp(a, b, n)));
		assert_int_equal(sign(our_memcmp(a, b, common)), sign(memcmp(a, b, common)));
		assert_ptr_equal(our_memchr(a, c, common), memchr(a, c, common));
		assert_ptr_equal(our_strchr(a, c), strchr(a, c));
		assert_ptr_equal(our_strrchr(a, c), strrchr(a, c));
		assert_ptr_equal(our_strstr(a, b), strstr(a, b));
		assert_int_equal(our_strspn(a, b), strspn(a, b));
		assert_int_equal(our_strcspn(a, b), strcspn(a, b));
		assert_ptr_equal(our_strpbrk(a, b), strpbrk(a, b));
		free(a);
		free(b);
	}
}

static void test_strsep_gives_every_token_and_the_empty_ones(void **state)
{
	char text[] = "a,,bc;", *rest = text;

	(void)state;
	assert_string_equal(our_strsep(&rest, ",;"), "a");
	assert_string_equal(our_strsep(&rest, ",;"), "");
	assert_string_equal(our_strsep(&rest, ",;"), "bc");
	assert_string_equal(our_strsep(&rest, ",;"), "");
	assert_null(our_strsep(&rest, ",;"));
}

static void test_strscpy_terminates_and_reports_a_cut(void **state)
{
	char buf[4] = "zzz";

	(void)state;
	assert_int_equal(strscpy(buf, "abc", sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(strscpy(buf, "abcd", sizeof(buf)), -E2BIG);
	assert_string_equal(buf, "abc");
	assert_int_equal(strscpy(buf, "x", 0), -E2BIG);
	assert_string_equal(buf, "abc");
	assert_int_equal(strscpy(buf, "x", sizeof(buf)), 1);
	assert_int_equal(strscat(buf, "yz", sizeof(buf)), 3);
	assert_string_equal(buf, "xyz");
	assert_int_equal(strscat(buf, "!", sizeof(buf)), -E2BIG);
	assert_string_equal(buf, "xyz");
}

static void test_strim_cuts_white_space_at_both_ends(void **state)
{
	char text[] = " \t a b \n", blank[] = "  ";

	(void)state;
	assert_string_equal(strim(text), "a b");
	assert_string_equal(strim(blank), "");
}

static void test_match_string_and_memchr_inv_find_or_say_no(void **state)
{
	const char *const names[] = { "nop", "function", NULL };

	(void)state;
	assert_int_equal(match_string(names, 3, "function"), 1);
	assert_int_equal(match_string(names, 3, "func"), -EINVAL);
	assert_null(memchr_inv("aaaa", 'a', 4));
	assert_string_equal(memchr_inv("aaba", 'a', 4), "ba");
	assert_true(strstarts("function_graph", "function"));
	assert_false(strstarts("func", "function"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_agree_with_the_c_library),
		cmocka_unit_test(test_strsep_gives_every_token_and_the_empty_ones),
		cmocka_unit_test(test_strscpy_terminates_and_reports_a_cut),
		cmocka_unit_test(test_strim_cuts_white_space_at_both_ends),
		cmocka_unit_test(test_match_string_and_memchr_inv_find_or_say_no),
	};

	return cmocka_run_group_tests_name("string", tests, NULL, NULL);
}
