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
