/* Converts text to numbers. */
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"

static unsigned digit_value(char c)
{
	if (isdigit((u8)c))
		return c - '0';
	return isalpha((u8)c) ? (unsigned)(c | 0x20) - 'a' + 10 : 36;
}

/* Finds the base if *base is 0, and skips 0x. */
static const char *parse_base(const char *s, unsigned *base)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit_value(s[2]) < 16;

	if (*base == 0)
		*base = hex ? 16 : s[0] == '0' ? 8 : 10;
	return *base == 16 && hex ? s + 2 : s;
}

/* Reads the digits at *s, and moves *s behind them. -EINVAL: no digit; -ERANGE: too many digits. */
static int parse_digits(const char **s, unsigned base, u64 *result)
{
	const char *start = *s = parse_base(*s, &base);
	u64 value = 0;
	bool overflow = false;

	for (unsigned digit; (digit = digit_value(**s)) < base; ++*s) {
		overflow |= __builtin_mul_overflow(value, base, &value);
		overflow |= __builtin_add_overflow(value, digit, &value);
	}
	*result = value;
	if (*s == start)
		return -EINVAL;
	return overflow ? -ERANGE : 0;
}

static int parse_unsigned(const char *s, unsigned base, u64 limit, u64 *result)
{
	int err = parse_digits(&s, base, result);

	if (err == -EINVAL)
		return err;
	if (*s == '\n')
		s++;
	if (*s)
		return -EINVAL;
	return err ? err : *result > limit ? -ERANGE : 0;
}

static int parse_signed(const char *s, unsigned base, u64 limit, s64 *result)
{
	bool negative = *s == '-';
	u64 value;
	int err;

	if (*s == '-' || *s == '+')
		s++;
	err = parse_unsigned(s, base, limit + negative, &value);
	if (!err)
		*result = (s64)(negative ? -value : value);
	return err;
}

#define DEFINE_KSTRTO_UNSIGNED(name, type)                                                         \
	int name(const char *s, unsigned base, type *result)                                       \
	{                                                                                          \
		u64 value;                                                                         \
		int err = parse_unsigned(s + (*s == '+'), base, (type)~0ULL, &value);              \
                                                                                                   \
		if (!err)                                                                          \
			*result = (type)value;                                                     \
		return err;                                                                        \
	}

#define DEFINE_KSTRTO_SIGNED(name, type)                                                           \
	int name(const char *s, unsigned base, type *result)                                       \
	{                                                                                          \
		s64 value;                                                                         \
		int err = parse_signed(s, base, (1ULL << (sizeof(type) * 8 - 1)) - 1, &value);     \
                                                                                                   \
		if (!err)                                                                          \
			*result = (type)value;                                                     \
		return err;                                                                        \
	}

DEFINE_KSTRTO_UNSIGNED(kstrtoull, unsigned long long)
EXPORT_SYMBOL(kstrtoull);
DEFINE_KSTRTO_UNSIGNED(kstrtoul, unsigned long)
EXPORT_SYMBOL(kstrtoul);
DEFINE_KSTRTO_UNSIGNED(kstrtouint, unsigned)
EXPORT_SYMBOL(kstrtouint);
DEFINE_KSTRTO_SIGNED(kstrtol, long)
EXPORT_SYMBOL(kstrtol);
DEFINE_KSTRTO_SIGNED(kstrtoint, int)
EXPORT_SYMBOL(kstrtoint);

int kstrtobool(const char *s, bool *result)
{
	if (!s)
		return -EINVAL;
	switch (*s) {
	case 'y':
	case 'Y':
	case 't':
	case 'T':
	case '1':
		*result = true;
		return 0;
	case 'n':
	case 'N':
	case 'f':
	case 'F':
	case '0':
		*result = false;
		return 0;
	case 'o':
	case 'O':
		if (s[1] == 'n' || s[1] == 'N') {
			*result = true;
			return 0;
		}
		if (s[1] == 'f' || s[1] == 'F') {
			*result = false;
			return 0;
		}
		fallthrough;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL(kstrtobool);

unsigned long simple_strtoul(const char *s, char **end, unsigned base)
{
	const char *p = s;
	u64 value;

	if (parse_digits(&p, base, &value) == -EINVAL)
		p = s;
	if (end)
		*end = (char *)p;
	return value;
}
EXPORT_SYMBOL(simple_strtoul);

u64 memparse(const char *s, char **end)
{
	static const char suffixes[] = "kmgtpe";
	char *p;
	u64 value = simple_strtoul(s, &p, 0);

	for (unsigned i = 0; p != s && suffixes[i]; i++) {
		if ((*p | 0x20) == suffixes[i]) {
			value <<= 10 * (i + 1);
			p++;
			break;
		}
	}
	if (end)
		*end = p;
	return value;
}
