/*
 * Text to numbers, as Linux's kstrto*(): the whole string must be one number, one newline may
 * follow.
 *
 * base 0 takes 0x… as hexadecimal and 0… as octal, 16 allows the 0x. A + may lead, a -
 * only in the signed forms. 0 and the value in *result; -EINVAL when it is not a number, -ERANGE
 * when it does not fit: *result is then untouched. Any context.
 */
#pragma once

#include "kernel/compiler.h"

int __must_check kstrtoull(const char *s, unsigned base, unsigned long long *result);
int __must_check kstrtoul(const char *s, unsigned base, unsigned long *result);
int __must_check kstrtol(const char *s, unsigned base, long *result);
int __must_check kstrtouint(const char *s, unsigned base, unsigned *result);
int __must_check kstrtoint(const char *s, unsigned base, int *result);
/* y, t, 1, on or n, f, 0, off, in either case, by the first one or two characters. */
int __must_check kstrtobool(const char *s, bool *result);

/*
 * Seconds with or without a fraction (1, 0.25), in nanoseconds; digits behind the ninth do not
 * count. -ERANGE from 2^32 s, 136 years, on.
 */
int __must_check kstrtons(const char *s, u64 *ns);

/* The digits at the start of s, wrapping when too many; *end is what follows. */
unsigned long simple_strtoul(const char *s, char **end, unsigned base);
/* The same with a suffix K, M, G, T, P or E (powers of 1024), for sizes on the command line. */
u64 memparse(const char *s, char **end);
