/* Lists of CPUs, such as 0-3,8, as users write them. */
#include "kernel/errno.h"
#include "kernel/lib/cpulist.h"
#include "kernel/lib/ctype.h"

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
