/* Sets of CPUs as text. */
#include "kernel/errno.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/vsprintf.h"

int cpumask_parse(const char *s, struct cpumask *mask)
{
	struct cpumask result = { { 0 } };
	const unsigned words = ARRAY_SIZE(result.bits);

	for (;;) {
		unsigned long group = 0;
		unsigned digits = 0;

		for (; isxdigit((u8)*s); s++, digits++) {
			if (digits == 8)
				return -EOVERFLOW;
			group = group << 4 |
				(unsigned long)(isdigit((u8)*s) ? *s - '0'
								: (*s | 0x20) - 'a' + 10);
		}
		if (!digits)
			return -EINVAL;
		if (result.bits[words - 1] >> 32)
			return -EOVERFLOW;
		for (unsigned i = words; i-- > 1;)
			result.bits[i] = result.bits[i] << 32 | result.bits[i - 1] >> 32;
		result.bits[0] = result.bits[0] << 32 | group;
		if (*s != ',')
			break;
		s++;
	}
	if (*s && (*s != '\n' || s[1]))
		return -EINVAL;
	*mask = result;
	return 0;
}

/* Reads a number in decimal, or N. 0, -EINVAL or -ERANGE. Moves *s behind it. */
static int parse_cpu(const char **s, unsigned *cpu)
{
	if (**s == 'N') {
		*cpu = nr_cpu_ids - 1;
		++*s;
		return 0;
	}
	if (!isdigit((u8) * *s))
		return -EINVAL;
	for (*cpu = 0; isdigit((u8) * *s); ++*s) {
		*cpu = *cpu * 10 + (unsigned)(**s - '0');
		if (*cpu > NR_CPUS)
			return -ERANGE;
	}
	return 0;
}

/* A part of a list: the first used CPUs of each group, from first to last. */
struct cpu_range {
	unsigned first, last, used, group;
};

static int parse_range(const char **s, struct cpu_range *range)
{
	int error = parse_cpu(s, &range->first);

	range->last = range->first;
	range->used = range->group = 1;
	if (error || **s != '-')
		return error;
	++*s;
	error = parse_cpu(s, &range->last);
	if (error || **s != ':')
		return error;
	++*s;
	error = parse_cpu(s, &range->used);
	if (error)
		return error;
	if (**s != '/')
		return -EINVAL;
	++*s;
	return parse_cpu(s, &range->group);
}

static int parse_list_part(const char **s, struct cpu_range *range)
{
	if (((*s)[0] | 0x20) == 'a' && ((*s)[1] | 0x20) == 'l' && ((*s)[2] | 0x20) == 'l') {
		*range = (struct cpu_range){ 0, nr_cpu_ids - 1, 1, 1 };
		*s += 3;
		return 0;
	}
	return parse_range(s, range);
}

static bool is_list_separator(char c)
{
	return c == ',' || isspace((u8)c);
}

int cpulist_parse(const char *s, struct cpumask *mask)
{
	struct cpumask result = { { 0 } };
	struct cpu_range range;
	int error;

	for (;;) {
		while (is_list_separator(*s))
			s++;
		if (!*s)
			break;
		error = parse_list_part(&s, &range);
		if (error)
			return error;
		if ((*s && !is_list_separator(*s)) || range.first > range.last || !range.group ||
		    range.used > range.group)
			return -EINVAL;
		if (range.last >= nr_cpu_ids)
			return -ERANGE;
		for (unsigned cpu = range.first; cpu <= range.last; cpu++)
			if ((cpu - range.first) % range.group < range.used)
				cpumask_set_cpu(cpu, &result);
	}
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
