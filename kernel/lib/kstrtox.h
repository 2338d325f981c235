/*
 * Converts text to numbers, as Linux's kstrto*(). The whole string must be one number. A newline
 * may follow it.
 *
 * With base 0, a number that starts with 0x is hexadecimal, one that starts with 0 is octal. Base
 * 16 allows a leading 0x. A leading + is allowed, a leading - only in the signed functions. Returns
 * 0; -EINVAL: not a number; -ERANGE: does not fit. After an error *result is unchanged. Any
 * context.
 */
#pragma once

#include "kernel/compiler.h"

int __must_check kstrtoull(const char *s, unsigned base, unsigned long long *result);
int __must_check kstrtoul(const char *s, unsigned base, unsigned long *result);
int __must_check kstrtol(const char *s, unsigned base, long *result);
int __must_check kstrtouint(const char *s, unsigned base, unsigned *result);
int __must_check kstrtoint(const char *s, unsigned base, int *result);
/*
 * True: y, t, 1, on. False: n, f, 0, off. Upper or lower case; only the first one or two characters
 * count.
 */
int __must_check kstrtobool(const char *s, bool *result);

/* Reads the digits at the start of s. Too large a number wraps. *end is the rest of s. */
unsigned long simple_strtoul(const char *s, char **end, unsigned base);
/*
 * The same, with an optional suffix K, M, G, T, P or E (powers of 1024). For sizes on the command
 * line.
 */
u64 memparse(const char *s, char **end);
