/* Sets of CPUs as text: lists (0-3,5) and hexadecimal masks (ff,00000000), as Linux writes them. */
#pragma once

#include "kernel/cpumask.h"

/*
 * Read a list: numbers and ranges between commas, a newline at the end, nothing for the empty set.
 * 0; -EINVAL for what is no list, -ERANGE for a range that runs backwards or past NR_CPUS: *mask is
 * then untouched.
 */
int __must_check cpulist_parse(const char *s, struct cpumask *mask);
/* Read a mask: hexadecimal digits, commas allowed. 0, -EINVAL, -EOVERFLOW when too long. */
int __must_check cpumask_parse(const char *s, struct cpumask *mask);
/*
 * Print into buf of size bytes; the length that stands there. A mask has as many digits as
 * nr_cpu_ids needs.
 */
int cpulist_print(char *buf, size_t size, const struct cpumask *mask);
int cpumask_print(char *buf, size_t size, const struct cpumask *mask);
