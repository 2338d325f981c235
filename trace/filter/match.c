/*
 * Running the program of a filter (program.h) on a record. Preemption off; any context, NMI
 * included. Nothing here allocates, locks or waits.
 */
#include "arch/cpu/percpu.h"
#include "kernel/current.h"
#include "kernel/lib/glob.h"
#include "kernel/lib/string.h"
#include "trace/filter/filter.h"
#include "trace/filter/program.h"
#include "trace/filter/string.h"

/* ---- numbers ---- */

#define NUMBER_CASE(comparison, operator, number, type)                                            \
	case FILTER_NUMBER(comparison, number): {                                                  \
		type field;                                                                        \
		__builtin_memcpy(&field, at, sizeof(field));                                       \
		return field operator(type) value;                                                 \
	}
#define NUMBER_CASES(comparison, operator)                                                         \
	NUMBER_CASE(comparison, operator, NUMBER_U8, u8)                                           \
	NUMBER_CASE(comparison, operator, NUMBER_S8, s8)                                           \
	NUMBER_CASE(comparison, operator, NUMBER_U16, u16)                                         \
	NUMBER_CASE(comparison, operator, NUMBER_S16, s16)                                         \
	NUMBER_CASE(comparison, operator, NUMBER_U32, u32)                                         \
	NUMBER_CASE(comparison, operator, NUMBER_S32, s32)                                         \
	NUMBER_CASE(comparison, operator, NUMBER_U64, u64)                                         \
	NUMBER_CASE(comparison, operator, NUMBER_S64, s64)

/* Compares the number at `at` with value. op is a FILTER_NUMBER(). */
static __always_inline bool compare_number(unsigned op, const void *at, u64 value)
{
	switch (op) {
		NUMBER_CASES(COMPARE_EQ, ==)
		NUMBER_CASES(COMPARE_LT, <)
		NUMBER_CASES(COMPARE_LE, <=)
		NUMBER_CASES(COMPARE_AND, &)
	}
	return false;
}

static bool is_in_function(const struct filter_step *step, const void *at)
{
	u64 address;

	__builtin_memcpy(&address, at, sizeof(address));
	return address - step->value < step->length;
}

/* ---- strings ---- */

static bool has_pattern_inside(const struct filter_step *step, const char *string, size_t length)
{
	for (size_t i = 0; i + step->length <= length; i++)
		if (memcmp(string + i, step->pattern, step->length) == 0)
			return true;
	return false;
}

/* Compares a string of length bytes. No NUL needs to be behind it. */
static bool pattern_matches(const struct filter_step *step, const char *string, size_t length)
{
	size_t n = step->length;

	switch ((enum filter_pattern)step->pattern_type) {
	case PATTERN_FULL:
		return length == n && memcmp(string, step->pattern, n) == 0;
	case PATTERN_FRONT:
		return length >= n && memcmp(string, step->pattern, n) == 0;
	case PATTERN_END:
		return length >= n && memcmp(string + length - n, step->pattern, n) == 0;
	case PATTERN_MIDDLE:
		return has_pattern_inside(step, string, length);
	case PATTERN_GLOB:
		return glob_match_n(step->pattern, string, length);
	}
	return false;
}

/* Compares the string at the address in the field. Memory that cannot be read matches nothing. */
static bool match_pointer(const struct filter_step *step, const char *at)
{
	struct filter_string_buffer *buffer = filter_string_get();
	const char *address;
	bool matched = false;
	long length;

	__builtin_memcpy(&address, at, sizeof(address));
	length = filter_string_read(buffer, address, step->string == STRING_USER);
	if (length >= 0)
		matched = pattern_matches(step, buffer->text, (size_t)length) != step->differs;
	filter_string_put();
	return matched;
}

static bool match_text(const struct filter_step *step, const char *rec)
{
	const char *string;
	size_t size;
	u32 location;

	switch ((enum filter_string)step->string) {
	case STRING_STATIC:
		string = rec + step->offset;
		/* The field at the end of ftrace:print has no size; its text ends with a NUL. */
		size = step->size ? step->size : strlen(string);
		break;
	case STRING_DYNAMIC:
	case STRING_RELATIVE:
		__builtin_memcpy(&location, rec + step->offset, sizeof(location));
		string = rec + (location & 0xffff);
		if (step->string == STRING_RELATIVE)
			string += step->offset + sizeof(location);
		size = location >> 16;
		break;
	case STRING_COMM:
		string = current_comm();
		size = strlen(string);
		break;
	default:
		return match_pointer(step, rec + step->offset);
	}
	return pattern_matches(step, string, strnlen(string, size)) != step->differs;
}

/* ---- sets of CPUs ---- */

/* Whether the set of the filter has the CPU whose number the field is. */
static bool is_in_cpus(const struct filter_step *step, const char *at)
{
	u64 cpu = 0;

	if (step->size)
		__builtin_memcpy(&cpu, at, step->size); /* little endian */
	else
		cpu = smp_processor_id();
	return cpu < NR_CPUS && cpumask_test_cpu((unsigned)cpu, step->cpus);
}

/* Compares the sets. What one of them has no bits for is not in it. */
static bool match_cpumask(const struct filter_step *step, const char *rec)
{
	struct cpumask field = { { 0 } };
	u32 location;

	__builtin_memcpy(&location, rec + step->offset, sizeof(location));
	memcpy(&field, rec + (location & 0xffff), min(location >> 16, (u32)sizeof(field)));
	if (step->comparison == COMPARE_EQ)
		return cpumask_equal(&field, step->cpus);
	for (unsigned i = 0; i < ARRAY_SIZE(field.bits); i++)
		if (field.bits[i] & step->cpus->bits[i])
			return true;
	return false;
}

/* ---- the program ---- */

/* All that is not a number in the record. */
static bool match_other(const struct filter_step *step, const char *rec)
{
	u64 cpu;

	switch (step->op) {
	case FILTER_OP_CPU:
		cpu = smp_processor_id();
		return compare_number(step->comparison, &cpu, step->value);
	case FILTER_OP_FUNCTION:
		return is_in_function(step, rec + step->offset);
	case FILTER_OP_STRING:
		return match_text(step, rec);
	case FILTER_OP_CPUS:
		return is_in_cpus(step, rec + step->offset);
	case FILTER_OP_CPUMASK:
		return match_cpumask(step, rec);
	default:
		return false;
	}
}

/* Runs the program from a step on. */
static noinline bool match_from(const struct event_filter *filter, const char *rec,
				const struct filter_step *step)
{
	for (;;) {
		bool matched = step->op < FILTER_OP_CPU
				       ? compare_number(step->op, rec + step->offset, step->value)
				       : match_other(step, rec);
		unsigned next = step->next[matched];

		if (next >= FILTER_REJECT)
			return next == FILTER_ACCEPT;
		step = &filter->steps[next];
	}
}

/* Many filters are one word, and most compare numbers only. That way saves no registers. */
bool event_filter_match(const struct event_filter *filter, const void *rec)
{
	const struct filter_step *step = filter->steps;

	if (likely(filter->word_at))
		return event_filter_match_word(filter, event_filter_word(filter, rec));
	for (;;) {
		const char *field = (const char *)rec + step->offset;
		unsigned next;

		if (unlikely(step->op >= FILTER_OP_CPU))
			return match_from(filter, rec, step);
		next = step->next[compare_number(step->op, field, step->value)];
		if (next >= FILTER_REJECT)
			return next == FILTER_ACCEPT;
		step = &filter->steps[next];
	}
}
