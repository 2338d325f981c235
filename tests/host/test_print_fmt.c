/*
 * The interpreter of print fmts in scripts/trace. Its expressions are C, so the compiler is the reference: SAME() compiles the
 * text of a print fmt, and has the interpreter read it.
 * sources: scripts/trace/print_parse.c scripts/trace/print_eval.c scripts/trace/print_text.c
 */
#include "test.h"

#include <inttypes.h>

#include "scripts/trace/print_fmt.h"

/* ---- what the reader of trace.dat does ---- */

void dat_symbol_text(const struct dat *dat, uint64_t address, char form, char text[DAT_SYMBOL_TEXT])
{
	(void)dat;
	snprintf(text, DAT_SYMBOL_TEXT, "symbol_%" PRIx64 "%s", address, form == 's' ? "" : "+0x0/0x10");
}

bool dat_symbol_address(const struct dat *dat, const char *name, uint64_t *address)
{
	(void)dat;
	*address = 0xffffffff80100000;
	return strcmp(name, "_stext") == 0;
}

const char *dat_string_at(const struct dat *dat, uint64_t address)
{
	(void)dat;
	return address == 0x1000 ? "a constant" : NULL;
}

/* ---- a record ---- */

struct sample {
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int16_t s16;
	uint32_t u32;
	int32_t s32;
	uint64_t u64;
	int64_t s64;
	char comm[16];
	unsigned long args[4];
	uint32_t text, words, nothing, relative;
	uint64_t synthetic;
	char data[64];
};

#define FIELD(name_, element_, array, where)                                                                                   \
	{                                                                                                                      \
		.name = #name_, .offset = offsetof(struct sample, name_), .size = sizeof(((struct sample *)0)->name_),         \
		.element = element_, .is_signed = (#name_)[0] == 's', .is_array = array, .place = where                        \
	}
static const struct event_field fields[] = {
	FIELD(u8, 1, false, PLACE_HERE),       FIELD(s8, 1, false, PLACE_HERE),	     FIELD(u16, 2, false, PLACE_HERE),
	FIELD(s16, 2, false, PLACE_HERE),      FIELD(u32, 4, false, PLACE_HERE),     FIELD(s32, 4, false, PLACE_HERE),
	FIELD(u64, 8, false, PLACE_HERE),      FIELD(s64, 8, false, PLACE_HERE),     FIELD(comm, 1, true, PLACE_HERE),
	FIELD(args, 8, true, PLACE_HERE),      FIELD(text, 1, false, PLACE_DYNAMIC), FIELD(words, 4, false, PLACE_DYNAMIC),
	FIELD(nothing, 1, false, PLACE_DYNAMIC), FIELD(relative, 1, false, PLACE_RELATIVE),
	FIELD(synthetic, 8, false, PLACE_DYNAMIC),
};
#define NR_FIELDS (sizeof(fields) / sizeof(*fields))

static uint64_t random64(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	/* Mostly small numbers, and numbers near 0. */
	return x & 0x300 ? (x >> 32) % 16 - (x & 0x400 ? 8 : 0) : x;
}

static struct sample make_sample(void)
{
	struct sample s = { .u8 = (uint8_t)random64(), .s8 = (int8_t)random64(), .u16 = (uint16_t)random64(),
			    .s16 = (int16_t)random64(), .u32 = (uint32_t)random64(), .s32 = (int32_t)random64(),
			    .u64 = random64(), .s64 = (int64_t)random64(), .comm = "a task" };
	uint32_t base = offsetof(struct sample, data);
	uint32_t words[] = { 0x11223344, 0xdeadbeef, 5 };
	uint64_t callers[] = { 0x2000, 0x3000 };

	for (unsigned i = 0; i < 4; i++)
		s.args[i] = random64();
	s.text = 6U << 16 | base;
	memcpy(s.data, "hello", 6);
	s.words = 12U << 16 | (base + 8);
	memcpy(s.data + 8, words, 12);
	s.nothing = base;
	s.relative = 6U << 16 | (base + 20 - (uint32_t)offsetof(struct sample, relative) - 4);
	memcpy(s.data + 20, "there", 6);
	s.synthetic = 16U << 16 | (base + 32);
	memcpy(s.data + 32, callers, 16);
	return s;
}

/* Makes the text of the first `size` bytes of the sample. */
static const char *text_of(const char *line, const void *sample, size_t size)
{
	static char text[4096];
	struct print_fmt *print = print_fmt_parse(line, fields, NR_FIELDS);
	struct record record = { .dat = (void *)1, .data = sample, .size = size, .print = print };

	if (!print)
		return "(refused)";
	print_fmt_text(&record, text, sizeof(text));
	print_fmt_free(print);
	return text;
}

static void expect(const char *line, const char *wanted)
{
	struct sample s = make_sample();

	assert_string_equal(text_of(line, &s, sizeof(s)), wanted);
}

/* ---- expressions ---- */

#define SAME(...)                                                                                                              \
	do {                                                                                                                   \
		char wanted_[1024];                                                                                            \
                                                                                                                               \
		snprintf(wanted_, sizeof(wanted_), __VA_ARGS__);                                                               \
		assert_string_equal(text_of(#__VA_ARGS__, REC, sizeof(*REC)), wanted_);                                        \
	} while (0)

typedef uint32_t gfp_t;

static void compare_integers(const struct sample *REC)
{
	SAME("%d %d %d", REC->u8, REC->s8, -REC->s8);
	SAME("%u %hd %hu %hhd", REC->u32, REC->s16, REC->u16, REC->s8);
	SAME("%ld %lu %lx %lo", REC->s64, REC->u64, REC->u64, REC->args[2]);
	SAME("%x %X %#x %o", REC->u32, REC->u32, REC->s32, REC->s32);
	SAME("%08lx|%-8d|%+d|% d|%5d|%.3d|%*d", REC->u64, REC->s32, REC->s32, REC->s32, REC->s8, REC->s8, 6, REC->s16);
	SAME("%lld %llx", (long long)REC->s32, (unsigned long long)REC->s32);
	SAME("%d", (int)REC->args[0]);
	SAME("%d %u %d", (unsigned char)REC->s32, (unsigned short)REC->u64, (signed char)REC->u32);
	SAME("%ld", REC->s64 / 2 - (long)REC->u64 / 2);
	SAME("%d", REC->u8 + REC->s8 * 3 - (REC->u16 >> 2));
	SAME("%d %d", REC->u32 < REC->u64, REC->s32 < 0);
	SAME("%d", REC->s32 < (int)REC->u32 || !REC->u8);
	SAME("%u", REC->u32 & (0x00040000 | 0x00080000 | 0x00100000 | 0x7));
	SAME("%u %lu", ~REC->u32, ~REC->u64 ^ 0xff00UL);
	SAME("%d %ld", REC->s32 >> 3, REC->s64 >> 60);
	SAME("%u %lu", REC->u32 << 3, REC->u64 << 40);
	SAME("%u %lu", REC->u32 >> 22, REC->u64 >> 63);
	SAME("%ld %ld", REC->s64 / 7, REC->s64 % 7);
	SAME("%lu %u", REC->u64 / 3, REC->u32 % 10);
	SAME("%d %d", REC->s32 / -3, REC->s32 % -3);
	SAME("%ld", REC->s64 / (REC->u8 ? REC->u8 : 1));
	SAME("%s", REC->s32 > 3 ? "more" : REC->s32 == 3 ? "three" : "less");
	SAME("%s", REC->u8 && REC->u64 != -1UL ? "yes" : "no");
	SAME("%d", (REC->u8 & 1) == 0 && (REC->u8 | 1) <= 5 ? 1 + 2 : 2 - 3 * 4);
	SAME("%d", REC->u16 ^ (REC->u8 & REC->u16));
	SAME("%d %d", REC->s8 >= REC->s16, REC->u64 <= 5UL);
	SAME("%lx", (unsigned long)(((gfp_t)(0x400u | 0x800u)) | ((gfp_t)0x40u)));
	SAME("%lu", (unsigned long)REC->u32 * 4096);
	SAME("%c%c", 'a' + (REC->u8 & 7), '\n');
	SAME("%d", 0x7fffff00 - 010 + '\x41');
	SAME("%llu", 18446744073709551615ULL - REC->u64);
	SAME("%lu", ((unsigned long)REC->u64 & ~(1UL << 63)) + !REC->s8);
}

static void test_expressions_have_the_values_of_c(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct sample s = make_sample();

		compare_integers(&s);
	}
}

static void test_strings_are_printed_as_c_prints_them(void **state)
{
	struct sample s = make_sample();
	const struct sample *REC = &s;

	(void)state;
	SAME("%s|%10s|%-10s|%.3s|%*s|%-*s|", REC->comm, REC->comm, REC->comm, REC->comm, 9, REC->comm, 9, REC->comm);
	SAME("100%% \"of\" it\t%s" " and" " more\n", "a\\b\x41\101");
	SAME("%s", "no argument");
	SAME("nothing to print");
	SAME("%c%5c%-5c|", REC->comm[0], REC->comm[2], REC->comm[3]);
	SAME("%lx %lx", REC->args[0], REC->args[3]);
	memset(s.comm, 'x', sizeof(s.comm)); /* a text that fills its array */
	assert_string_equal(text_of("\"%s|\", REC->comm", &s, sizeof(s)), "xxxxxxxxxxxxxxxx|");
}

/* ---- what the kernel adds to C ---- */

static void test_the_functions_of_print_fmts(void **state)
{
	(void)state;
	expect("\"%s %s\", __get_str(text), __get_rel_str(relative)", "hello there");
	expect("\"%d %d\", __get_dynamic_array_len(words), __get_dynamic_array_len(nothing)", "12 0");
	expect("\"%s.%s\", __get_str(nothing), __print_hex(__get_dynamic_array(words), 4)", ".44 33 22 11");
	expect("\"%s\", __print_hex_str(__get_str(text), 3)", "68656c");
	expect("\"%s\", __print_array(__get_dynamic_array(words), 3, 4)", "{0x11223344,0xdeadbeef,0x5}");
	expect("\"%x\", ((u32 *)__get_dynamic_array(words))[1]", "deadbeef");
	expect("\"%s\", __get_bitmask(words)", "00000005,deadbeef,11223344");
	expect("\"s=%s\", __get_stacktrace(synthetic)", "s=STACK:\n=> symbol_2000+0x0/0x10\n=> symbol_3000+0x0/0x10\n");
	expect("\"%s %s\", __print_symbolic(3 - 1, { 1, \"one\" }, { 1 + 1, \"two\" }), __print_symbolic(77, { 1, \"one\" })",
	       "two 0x4d");
	expect("\"%s\", __print_flags(5, \"|\", { 1, \"a\" }, { 2, \"b\" }, { 4, \"c\" })", "a|c");
	expect("\"%s\", __print_flags(0x13, \", \", { 3, \"both\" }, { 1, \"a\" })", "both, 0x10");
	expect("\"<%s>\", __print_flags(0, \"|\", { 0, \"none\" }, { 1, \"a\" })", "<>");
	expect("\"%s\", __print_flags(1 ? 2 : 3, \"\", {( unsigned long)(( gfp_t)0x02u), \"__GFP_HIGHMEM\"} )", "__GFP_HIGHMEM");
}

static void test_pointers_are_printed_as_the_kernel_prints_them(void **state)
{
	(void)state;
	expect("\"%ps|%pS|%p\", (void *)0x2000, (void *)0x3000, (void *)0xffff888000001000",
	       "symbol_2000|symbol_3000+0x0/0x10|ffff888000001000");
	expect("\"%p %20px %pK\", ((void *)0), (const char *)5, 7", "0000000000000000                    5 0000000000000007");
	expect("\"%pI4 %pM %*ph %*phC\", __get_str(text), __get_str(text), 3, __get_str(text), 2, __get_str(text)",
	       "104.101.108.108 68:65:6c:6c:6f:00 68 65 6c 68:65");
	expect("\"%p\", (((struct page *)0x1000) + (2))", "0000000000001080");
	expect("\"%s %s\", (char *)0x1000, (char *)0", "a constant (null)");
}

static void test_what_is_not_known_is_a_question_mark(void **state)
{
	struct sample s = make_sample();

	(void)state;
	expect("\"%p %d\", (((struct page *)vmemmap_base) + (7)), 8", "? 8");
	expect("\"%s %d %d\", no_such(REC->u8, \")\"), sizeof(struct page), 3", "? ? 3");
	expect("\"%d %d\", 4", "4 ?");
	expect("\"%d %d %d\", 1 / 0, 1 % 0, REC->args[4]", "? ? ?");
	expect("\"%d\", *REC->comm", "?");
	expect("\"%lx\", (unsigned long)(_stext) + 0x20", "ffffffff80100020");
	expect("\"at=%pS\", (void *)((unsigned long)(_stext) + REC->u8 * 0)", "at=symbol_ffffffff80100000+0x0/0x10");
	expect("\"%lx %lx\", (unsigned long)_stext, ((struct page *)vmemmap_base) + (1)", "ffffffff80100000 ?");
	expect("\"%s\", (char *)0x1234", "?");
	/* A record that is cut short. */
	assert_string_equal(text_of("\"%d %s %lx\", REC->u8 * 0, REC->comm, REC->args[1]", &s, offsetof(struct sample, comm) + 8),
			    "0 ? ?");
	assert_string_equal(text_of("\"%s\", __get_str(text)", &s, offsetof(struct sample, data) + 3), "?");
}

static void test_what_is_no_print_fmt_is_refused(void **state)
{
	static const char *const lines[] = {
		"",	       "REC->u8",	    "\"%d",	    "\"%d\", REC->nosuch", "\"%d\", REC->", "\"%d\", (1",
		"\"%d\", 1 +", "\"%d\", 1 ? 2",	    "\"%d\", 12x",  "\"%d\", \"",	   "\"%d\" 5",	    "\"%d\", 'a",
		"\"%d\", []",  "\"%s\", f(\"", "\"%s\", __get_str(5)", "\"%s\", __print_symbolic(1)",
		"\"%s\", __print_symbolic(1, { 1 })", "\"%s\", __print_flags(1, \"|\", { 1, \"a\" }", "\"%d\", 1,, 2",
	};
	char deep[2000];

	(void)state;
	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		expect(lines[i], "(refused)");
	memset(deep, '(', sizeof(deep));
	memcpy(deep, "\"%d\",", 5);
	deep[sizeof(deep) - 1] = '\0';
	expect(deep, "(refused)");
}

static void test_a_text_is_cut_at_the_end_of_its_buffer(void **state)
{
	struct sample s = make_sample();
	struct print_fmt *print = print_fmt_parse("\"%s and %s\", REC->comm, __print_symbolic(1, { 1, \"more\" })", fields, NR_FIELDS);
	struct record record = { .data = (void *)&s, .size = sizeof(s), .print = print };

	(void)state;
	for (size_t size = 1; size < 30; size++) {
		char *text = malloc(size); /* ASan watches its end */
		size_t length = print_fmt_text(&record, text, size);

		assert_int_equal(length, strlen(text));
		assert_memory_equal(text, "a task and more", length);
		assert_true(length == 15 || length == size - 1);
		free(text);
	}
	print_fmt_free(print);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions_have_the_values_of_c),
		cmocka_unit_test(test_strings_are_printed_as_c_prints_them),
		cmocka_unit_test(test_the_functions_of_print_fmts),
		cmocka_unit_test(test_pointers_are_printed_as_the_kernel_prints_them),
		cmocka_unit_test(test_what_is_not_known_is_a_question_mark),
		cmocka_unit_test(test_what_is_no_print_fmt_is_refused),
		cmocka_unit_test(test_a_text_is_cut_at_the_end_of_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
