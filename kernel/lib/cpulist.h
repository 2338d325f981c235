/* Sets of CPUs as text: lists (0-3,5) and hexadecimal masks (ff,00000000), as Linux writes them. */
#pragma once

#include "kernel/cpumask.h"

/*
 * Reads a mask up to the end of the line: groups of 32 bits, each of up to 8 hexadecimal digits.
 * Commas or blanks separate. An empty line is an empty mask. 0; -EINVAL; -EOVERFLOW: a group has
 * more digits, or the mask more groups or bits than nr_cpu_ids needs.
 */
int __must_check cpumask_parse(const char *s, struct cpumask *mask);
/*
 * Reads a list, as Linux's admin-guide/kernel-parameters.rst describes it: 0-3,5 or 1-N (N: the
 * last CPU) or all, or 0-7:1/2 (of each 2 CPUs the first one). Commas, blanks or newlines separate.
 * An empty list is an empty mask. 0; -EINVAL; -ERANGE: a CPU that is not below nr_cpu_ids.
 */
int __must_check cpulist_parse(const char *s, struct cpumask *mask);
/*
 * Print into buf of size bytes, and return the length of the text in buf. A mask has as many
 * digits as nr_cpu_ids needs.
 */
int cpulist_print(char *buf, size_t size, const struct cpumask *mask);
int cpumask_print(char *buf, size_t size, const struct cpumask *mask);
