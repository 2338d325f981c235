/* Sets of CPUs as text. */
#include "kernel/errno.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/vsprintf.h"

static bool ends_group(char c)
{
	return c == ',' || isspace((u8)c);
}

/* Reads the group of hexadecimal digits that ends before s[*end], and moves *end to its start. */
static int parse_group(const char *s, size_t *end, u32 *group)
{
	unsigned digits = 0;

	*group = 0;
	for (; *end && !ends_group(s[*end - 1]); --*end, digits++) {
		u8 c = (u8)s[*end - 1];

		if (!isxdigit(c))
			return -EINVAL;
		if (digits == 8)
			return -EOVERFLOW;
		*group |= (u32)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10) << (4 * digits);
	}
	return 0;
}

int cpumask_parse(const char *s, struct cpumask *mask)
{
	const unsigned groups = DIV_ROUND_UP(nr_cpu_ids, 32);
	struct cpumask result = { { 0 } };
	size_t end = 0;
	unsigned cpu;

	while (s[end] && s[end] != '\n')
		end++;
	for (unsigned i = 0;; i++) {
		u32 group;
		int error;

		while (end && ends_group(s[end - 1]))
			end--;
		if (!end)
			break;
		if (i == groups)
			return -EOVERFLOW;
		error = parse_group(s, &end, &group);
		if (error)
			return error;
		result.bits[i / 2] |= (unsigned long)group << (i % 2 * 32);
	}
	for_each_cpu (cpu, &result)
		if (cpu >= nr_cpu_ids)
			return -EOVERFLOW;
	*mask = result;
	return 0;
}

int cpulist_print(char *buf, size_t size, const struct cpumask *mask)
{
	unsigned first, last;
	int n = scnprintf(buf, size, "%s", "");

	for (first = cpumask_first(mask); first < NR_CPUS;
	     first = cpumask_next_from(last + 1, mask)) {
		for (last = first; last + 1 < NR_CPUS && cpumask_test_cpu(last + 1, mask);)
			last++;
		n += scnprintf(buf + n, size - (size_t)n, n ? ",%u" : "%u", first);
		if (last > first)
			n += scnprintf(buf + n, size - (size_t)n, "-%u", last);
	}
	return n;
}

int cpumask_print(char *buf, size_t size, const struct cpumask *mask)
{
	unsigned bits = min(max(nr_cpu_ids, 1U), (unsigned)NR_CPUS);
	int n = 0;

	/* Groups of 32 bits, the highest group first. It has only the digits it needs. */
	for (int group = (int)(bits - 1) / 32; group >= 0; group--) {
		u32 value = (u32)(mask->bits[group / 2] >> (group % 2 * 32));
		int width = n || bits % 32 == 0 ? 8 : (int)DIV_ROUND_UP(bits % 32, 4);

		n += scnprintf(buf + n, size - (size_t)n, "%s%0*x", n ? "," : "", width, value);
	}
	return n;
}
