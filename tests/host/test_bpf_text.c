/*
 * The text of eBPF programs: formats, as Linux prints and refuses them, and reading numbers.
 * sources: trace/bpf/helpers/format.c trace/bpf/helpers/text.c kernel/lib/vsprintf*.c kernel/lib/errname.c
 * sources: kernel/lib/string_helpers.c
 */
#include "test.h"

#include <sys/mman.h>

#include "fake_kallsyms.h"
#include "kernel/errno.h"
#include "kernel/random/hash_pointer.h"
#include "trace/bpf/helpers/format.h"
#include "trace/bpf/helpers/helpers.h"

static char text[128];
static char *overwritten; /* at the next string that is read; NULL: nothing */

unsigned long hash_pointer(unsigned long address)
{
	return address ? 0xabcd : 0;
}

/* A string at an address; below 4096 there is none. */
static u64 read_string(u64 to, u64 size, u64 from)
{
	size_t length;

	if (overwritten)
		*overwritten = 'x';
	if (from < 4096)
		return (u64)-EFAULT;
	length = strnlen((const char *)from, size - 1);
	memcpy((void *)to, (const void *)from, length);
	((char *)to)[length] = '\0';
	return length + 1;
}

u64 bpf_probe_read_user_str(u64 to, u64 size, u64 from, u64 r4 __unused, u64 r5 __unused)
{
	return read_string(to, size, from);
}

u64 bpf_probe_read_kernel_str(u64 to, u64 size, u64 from, u64 r4 __unused, u64 r5 __unused)
{
	return read_string(to, size, from);
}

static s64 print(size_t size, const char *fmt, u64 a, u64 b, u64 c)
{
	u64 args[] = { a, b, c };

	memset(text, '~', sizeof(text));
	return bpf_format(text, size, fmt, (u32)strlen(fmt) + 1, args, 3);
}

static void prints(const char *expected, const char *fmt, u64 a, u64 b, u64 c)
{
	assert_int_equal(print(sizeof(text), fmt, a, b, c), strlen(expected));
	assert_string_equal(text, expected);
}

static void refuses(const char *fmt)
{
	assert_int_equal(print(sizeof(text), fmt, 1, 2, 3), -EINVAL);
}

static void test_numbers_have_the_bits_that_the_format_says(void **state)
{
	(void)state;
	prints("-1 4294967295 -2", "%d %u %ld", ~0ULL, ~0ULL, -2ULL);
	prints("18446744073709551615 ffffffff FFFFFFFFFFFFFFFF", "%llu %x %lX", ~0ULL, ~0ULL,
	       ~0ULL);
	prints("<   42><42   ><0042>", "<%5d><%-5d><%04d>", 42, 42, 42);
	prints("+7 %  7% a", "%+d %% % d%% %c", 7, 7, 'a');
}

static void test_strings_are_padded_and_cut(void **state)
{
	u64 abc = (u64) "abc";

	(void)state;
	prints("abc <  abc> <abc  >", "%s <%5s> <%-5s>", abc, abc, abc);
	prints("abc,abc.", "%pks,%pus.", abc, abc, 0);
	prints("<   >", "<%3s>", 16, 0, 0);
	assert_int_equal(print(6, "%s%s", abc, abc, 0),
			 5); /* the second one is read as far as it fits */
	assert_string_equal(text, "abcab");
	assert_int_equal(print(4, "%9s|", abc, 0, 0), 10);
	assert_string_equal(text, "   ");
	assert_int_equal(print(8, "%9s|", abc, 0, 0), 10);
	assert_string_equal(text, "      a");
	assert_int_equal(print(7, "%-9s|", abc, 0, 0), 10);
	assert_string_equal(text, "abc   ");
	for (size_t size = 1; size < 12; size++) {
		print(size, "%-6s%6s", abc, abc, 0);
		assert_int_equal(strlen(text), size - 1);
		assert_int_equal(text[size], '~');
	}
}

static void test_nothing_is_written_without_room(void **state)
{
	u64 args[] = { 42, (u64) "abc" };

	(void)state;
	assert_int_equal(bpf_format(NULL, 0, "%d %5s", 7, args, 2), 8);
	print(1, "%d", 42, 0, 0);
	assert_int_equal(text[0], '\0');
	assert_int_equal(text[1], '~');
}

static void test_addresses_are_hashed_but_where_asked(void **state)
{
	(void)state;
	prints("000000000000abcd 000000000000abcd ffffffff81000000", "%p %pK %px",
	       0xffffffff81000000, 0xffffffff81000000, 0xffffffff81000000);
}

static void test_unknown_conversions_are_refused(void **state)
{
	static const char *const formats[] = {
		"%",   "%q",    "%n",     "%hd",          "%zu",   "%lld%lld%lld%lld",
		"%pe", "%pV",   "%pI4x",  "%sx",          "%ca",   "%lc",
		"%ls", "%llld", "%1234d", "%----------d", "%*d",   "%.3s",
		"%f",  "%o",    "a\x80",  "a\x01",        "%pusx",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		refuses(formats[i]);
	assert_int_equal(bpf_format(text, 8, "abc", 3, NULL, 0), -EINVAL);
	assert_int_equal(bpf_format(text, 8, "abc", 4, NULL, 0), 3);
	assert_int_equal(bpf_format(text, 8, "%d", 3, NULL, 0), -EINVAL);
}

static void reads(s64 length, s64 value, const char *number, u32 size, u64 base)
{
	s64 result = -1;

	assert_int_equal((s64)bpf_strtol((u64)number, size, base, (u64)&result, 0), length);
	assert_int_equal(result, value);
}

/* User space may change a format while it is printed. Behind this one there is no memory. */
static void test_a_format_that_loses_its_end_is_refused(void **state)
{
	static const char formats[][12] = { "%s", "%s-", "%s%d", "%s %", "%s %%", "%s%-+0 12" };
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 args[] = { (u64) "abc", 1, 2 };

	(void)state;
	assert_true(page != MAP_FAILED);
	assert_int_equal(mprotect(page + 4096, 4096, PROT_NONE), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
		u32 size = (u32)strlen(formats[i]) + 1;
		char *fmt = page + 4096 - size;

		memcpy(fmt, formats[i], size);
		overwritten = page + 4095;
		assert_int_equal(bpf_format(text, sizeof(text), fmt, size, args, 3), -EINVAL);
	}
	overwritten = NULL;
	munmap(page, 8192);
}

static void test_numbers_are_read_to_their_limits(void **state)
{
	u64 result;

	(void)state;
	reads(20, INT64_MIN, "-9223372036854775808", 20, 10);
	reads(-ERANGE, 0, "-9223372036854775809", 20, 10);
	reads(19, INT64_MAX, "9223372036854775807", 19, 10);
	reads(-ERANGE, 0, "9223372036854775808", 19, 10);
	reads(-ERANGE, 0, "99999999999999999999999", 23, 10);
	reads(6, -31, "\t-0x1f", 6, 0);
	reads(1, 0, "0xz", 3, 0);
	reads(-EINVAL, 0, "0x", 2, 16);
	reads(-EINVAL, 0, "", 0, 10);
	reads(-EINVAL, 0, "1", 1, 32);
	assert_int_equal(bpf_strtoul((u64) "18446744073709551615", 20, 10, (u64)&result, 0), 20);
	assert_int_equal(result, ~0ULL);
	assert_int_equal((s64)bpf_strtoul((u64) "-1", 2, 10, (u64)&result, 0), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_have_the_bits_that_the_format_says),
		cmocka_unit_test(test_strings_are_padded_and_cut),
		cmocka_unit_test(test_nothing_is_written_without_room),
		cmocka_unit_test(test_addresses_are_hashed_but_where_asked),
		cmocka_unit_test(test_unknown_conversions_are_refused),
		cmocka_unit_test(test_a_format_that_loses_its_end_is_refused),
		cmocka_unit_test(test_numbers_are_read_to_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
