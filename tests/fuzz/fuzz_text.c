/*
 * Parsers of user input: patterns, numbers, CPU lists, formats. If the C library has the same function, both
 * results must be equal.
 * sources: kernel/lib/glob.c kernel/lib/kstrtox.c kernel/lib/cpulist.c kernel/lib/vsprintf*.c
 * sources: kernel/lib/errname.c kernel/lib/string_helpers.c
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tests/host/fake_kallsyms.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/kstrtox.h"

unsigned nr_cpu_ids = NR_CPUS;

int nop5_snprintf(char *buf, size_t size, const char *fmt, ...);
int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words, size_t count);

/* Only for patterns that mean the same in Linux and in POSIX. */
static void check_glob(const char *pattern, const char *text)
{
	bool match = glob_match(pattern, text);

	if (!strpbrk(pattern, "[]\\"))
		CHECK(match == !fnmatch(pattern, text, FNM_NOESCAPE));
}

static void check_number(const char *text)
{
	long value = 0, again = 0;
	char printed[32];

	if (kstrtol(text, 10, &value))
		return;
	CHECK(value == strtol(text, NULL, 10));
	snprintf(printed, sizeof(printed), "%ld", value);
	CHECK(!kstrtol(printed, 10, &again) && again == value);
}

/* Printing a parsed value and parsing it again must give the same value. */
static void check_cpumask(const char *text)
{
	struct cpumask mask, again;
	char printed[1024];

	if (cpumask_parse(text, &mask))
		return;
	CHECK(cpulist_print(printed, sizeof(printed), &mask) < (int)sizeof(printed));
	CHECK(cpumask_print(printed, sizeof(printed), &mask) < (int)sizeof(printed));
	CHECK(!cpumask_parse(printed, &again) && cpumask_equal(&mask, &again));
}

static const char conversions[] = "diuxXo";
static const char flags[] = "-+ #0";

static void check_format(const uint8_t *data, size_t size)
{
	char format[32] = "%", ours[512], theirs[512];
	size_t n = 1;
	long long value;
	int width, precision, length;

	if (size < 12)
		return;
	for (size_t i = 0; i < sizeof(flags) - 1; i++)
		if (data[0] & 1 << i)
			format[n++] = flags[i];
	width = data[1] % 40;
	precision = data[2] % 30;
	if (data[0] & 0x20)
		n += (size_t)snprintf(format + n, 8, "%d", width);
	if (data[0] & 0x40)
		n += (size_t)snprintf(format + n, 8, ".%d", precision);
	memcpy(&value, data + 4, sizeof(value));
	snprintf(format + n, 8, "ll%c", conversions[data[3] % (sizeof(conversions) - 1)]);
#pragma clang diagnostic ignored "-Wformat-nonliteral"
	length = nop5_snprintf(ours, sizeof(ours), format, value);
	CHECK(length == snprintf(theirs, sizeof(theirs), format, value));
	CHECK(!strcmp(ours, theirs));
	/* A shorter buffer must get the beginning of the same text. */
	nop5_snprintf(ours, (size_t)data[2] + 1, format, value);
	CHECK(!strncmp(ours, theirs, data[2]) && strlen(ours) <= data[2]);
}

/* With any words as the arguments of any format, no byte beyond the words is read. */
static void check_packed(const char *format, const uint8_t *data, size_t size)
{
	u32 *words = malloc(size / 4 * 4 + 1);
	char printed[64];

	memcpy(words, data, size / 4 * 4);
	CHECK(bstr_printf(printed, sizeof(printed), format, words, size / 4) >= 0);
	CHECK(strlen(printed) < sizeof(printed));
	free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *second;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	second = memchr(text, '\n', size);
	check_number(text);
	check_cpumask(text);
	if (second) {
		*second++ = '\0';
		check_glob(text, second);
		check_packed(text, data + (second - text), size - (size_t)(second - text));
	}
	check_format(data, size);
	free(text);
	return 0;
}
