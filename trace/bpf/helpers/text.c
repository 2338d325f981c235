/* Helpers that read text: numbers and comparisons. Pure. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/bpf/helpers/helpers.h"

/* The verifier knows that text2 has a NUL. */
BPF_CALL_3(bpf_strncmp, const char *, text, u32, size, const char *, text2)
{
	return (u64)(s64)strncmp(text, text2, size);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value of a digit in a base up to 16; 16 or more: it is none. */
static u32 digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (u32)(c - '0');
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? (u32)(c - 'a') + 10 : 16;
}

/* Base 0 becomes that of the prefix. Returns the bytes of the prefix of a hexadecimal number. */
static u32 skip_prefix(const char *text, u32 size, u32 *base)
{
	bool is_hex = size > 1 && text[0] == '0' && (text[1] | 0x20) == 'x';

	if (*base == 0 && is_hex && size > 2 && digit_of(text[2]) < 16)
		*base = 16;
	if (*base == 0)
		*base = size && text[0] == '0' ? 8 : 10;
	return *base == 16 && is_hex ? 2 : 0;
}

/*
 * Reads a number, with spaces before it and perhaps a minus. base 0: as C writes numbers. Returns
 * how many bytes it has read; -EINVAL: no number; -ERANGE: too large.
 */
static s64 parse(const char *text, u32 size, u64 flags, u64 *value, bool *negative)
{
	u32 base = flags & 0x1f, at = 0, start;

	*value = 0;
	if (!text || !size || (flags & ~0x1fULL) ||
	    (base != 0 && base != 8 && base != 10 && base != 16))
		return -EINVAL;
	while (at < size && is_space(text[at]))
		at++;
	*negative = at < size && text[at] == '-';
	if (*negative)
		at++;
	at += skip_prefix(text + at, size - at, &base);
	for (start = at; at < size && digit_of(text[at]) < base; at++)
		if (__builtin_mul_overflow(*value, (u64)base, value) ||
		    __builtin_add_overflow(*value, (u64)digit_of(text[at]), value))
			return -ERANGE;
	return at == start ? -EINVAL : (s64)at;
}

BPF_CALL_4(bpf_strtol, const char *, text, u32, size, u64, flags, s64 *, result)
{
	bool negative;
	u64 value;
	s64 length = parse(text, size, flags, &value, &negative);

	*result = 0;
	if (length < 0)
		return (u64)length;
	if (value > (u64)INT64_MAX + negative)
		return (u64)-ERANGE;
	*result = negative ? (s64)(0 - value) : (s64)value;
	return (u64)length;
}

BPF_CALL_4(bpf_strtoul, const char *, text, u32, size, u64, flags, u64 *, result)
{
	bool negative;
	u64 value;
	s64 length = parse(text, size, flags, &value, &negative);

	*result = 0;
	if (length < 0)
		return (u64)length;
	if (negative)
		return (u64)-EINVAL;
	*result = value;
	return (u64)length;
}
