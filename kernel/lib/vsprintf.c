/* Formatted text into a buffer. */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/errname.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

struct output {
	char *buf;
	size_t size;
	size_t length; /* of the whole text; what lies at size and beyond is not written */
};

enum {
	FLAG_LEFT = 1,  /* - */
	FLAG_PLUS = 2,  /* + */
	FLAG_SPACE = 4, /* space */
	FLAG_ALT = 8,   /* # */
	FLAG_ZERO = 16, /* 0 */
	FLAG_UPPER = 32,
	FLAG_SIGNED = 64,
};

struct format {
	unsigned flags;
	int width;     /* 0: none */
	int precision; /* -1: none */
	char length;   /* 0, 'H' for hh, 'h', 'l' (all of 64 bits) */
};

static void put(struct output *out, char c)
{
	if (out->length < out->size)
		out->buf[out->length] = c;
	out->length++;
}

static void fill(struct output *out, char c, int n)
{
	while (n-- > 0)
		put(out, c);
}

static void put_text(struct output *out, const struct format *f, const char *s, size_t n)
{
	int pad = f->width - (int)n;

	if (!(f->flags & FLAG_LEFT))
		fill(out, ' ', pad);
	for (size_t i = 0; i < n; i++)
		put(out, s[i]);
	if (f->flags & FLAG_LEFT)
		fill(out, ' ', pad);
}

static void put_string(struct output *out, const struct format *f, const char *s)
{
	if (!s)
		s = "(null)";
	put_text(out, f, s, strnlen(s, f->precision < 0 ? SIZE_MAX : (size_t)f->precision));
}

static void put_number(struct output *out, const struct format *f, u64 value, unsigned base)
{
	const char *digits = f->flags & FLAG_UPPER ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[22]; /* 64 bits in octal; least significant digit first */
	char sign = 0;
	const char *prefix = "";
	int n = 0, zeros, pad;

	if (f->flags & FLAG_SIGNED) {
		if ((s64)value < 0) {
			sign = '-';
			value = -value;
		} else if (f->flags & FLAG_PLUS) {
			sign = '+';
		} else if (f->flags & FLAG_SPACE) {
			sign = ' ';
		}
	}
	if (f->flags & FLAG_ALT && base == 16 && value)
		prefix = f->flags & FLAG_UPPER ? "0X" : "0x";
	if (base == 10) {
		for (u64 v = value; v; v /= 10)
			text[n++] = (char)('0' + v % 10);
	} else {
		unsigned shift = base == 16 ? 4 : 3;

		for (u64 v = value; v; v >>= shift)
			text[n++] = digits[v & (base - 1)];
	}
	zeros = (f->precision < 0 ? 1 : f->precision) - n;
	if (f->flags & FLAG_ALT && base == 8 && zeros <= 0)
		zeros = 1;
	zeros = max(zeros, 0);
	pad = f->width - n - zeros - (sign != 0) - (int)strlen(prefix);
	if (f->flags & FLAG_ZERO && !(f->flags & FLAG_LEFT) && f->precision < 0) {
		zeros += max(pad, 0);
		pad = 0;
	}
	if (!(f->flags & FLAG_LEFT))
		fill(out, ' ', pad);
	if (sign)
		put(out, sign);
	while (*prefix)
		put(out, *prefix++);
	fill(out, '0', zeros);
	while (n)
		put(out, text[--n]);
	if (f->flags & FLAG_LEFT)
		fill(out, ' ', pad);
}

static void put_address(struct output *out, struct format *f, unsigned long address)
{
	if (!f->width) {
		f->width = 2 * sizeof(address);
		f->flags |= FLAG_ZERO;
	}
	put_number(out, f, address, 16);
}

/* %*ph: the width is the number of bytes, at most 64 as in Linux. */
static const char *put_hex_bytes(struct output *out, const struct format *f, const u8 *bytes,
				 const char *fmt)
{
	static const char digits[] = "0123456789abcdef";
	int n = f->width ? min(f->width, 64) : 1;
	char separator = ' ';

	if (*fmt == 'C' || *fmt == 'D' || *fmt == 'N')
		separator = *fmt == 'C' ? ':' : *fmt == 'D' ? '-' : '\0', fmt++;
	for (int i = 0; i < n; i++) {
		if (i && separator)
			put(out, separator);
		put(out, digits[bytes[i] >> 4]);
		put(out, digits[bytes[i] & 15]);
	}
	return fmt;
}

/* What follows %p selects the form; returns the rest of the format. */
static const char *put_pointer(struct output *out, struct format *f, const void *ptr,
			       const char *fmt)
{
	char symbol[KSYM_SYMBOL_LEN];
	const char *name;

	switch (*fmt) {
	case 'S':
		sprint_symbol(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		return fmt + 1;
	case 's':
		sprint_symbol_no_offset(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		return fmt + 1;
	case 'B':
		sprint_backtrace(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		return fmt + 1;
	case 'h':
		return put_hex_bytes(out, f, ptr, fmt + 1);
	case 'e':
		name = IS_ERR(ptr) ? errname((int)-PTR_ERR(ptr)) : NULL;
		if (name) {
			symbol[0] = '-';
			strscpy(symbol + 1, name, sizeof(symbol) - 1);
			put_string(out, f, symbol);
		} else {
			put_address(out, f, (unsigned long)ptr);
		}
		return fmt + 1;
	case 'x':
		put_address(out, f, (unsigned long)ptr);
		return fmt + 1;
	default:
		put_address(out, f, (unsigned long)ptr);
		return fmt;
	}
}

static int parse_number(const char **fmt)
{
	int n = 0;

	while (isdigit((u8)(*fmt)[0])) {
		n = min(n * 10 + (**fmt - '0'), 1 << 20);
		++*fmt;
	}
	return n;
}

static const char *parse_flags(const char *fmt, struct format *f)
{
	for (;; fmt++) {
		switch (*fmt) {
		case '-':
			f->flags |= FLAG_LEFT;
			break;
		case '+':
			f->flags |= FLAG_PLUS;
			break;
		case ' ':
			f->flags |= FLAG_SPACE;
			break;
		case '#':
			f->flags |= FLAG_ALT;
			break;
		case '0':
			f->flags |= FLAG_ZERO;
			break;
		default:
			return fmt;
		}
	}
}

static const char *parse_length(const char *fmt, struct format *f)
{
	switch (*fmt) {
	case 'h':
		f->length = fmt[1] == 'h' ? 'H' : 'h';
		return fmt + (fmt[1] == 'h' ? 2 : 1);
	case 'l':
		f->length = 'l';
		return fmt + (fmt[1] == 'l' ? 2 : 1);
	case 'z':
	case 't':
	case 'j':
		f->length = 'l';
		return fmt + 1;
	default:
		return fmt;
	}
}

static u64 narrow(const struct format *f, u64 value)
{
	bool is_signed = f->flags & FLAG_SIGNED;

	switch (f->length) {
	case 'H':
		return is_signed ? (u64)(s8)value : (u8)value;
	case 'h':
		return is_signed ? (u64)(s16)value : (u16)value;
	case 'l':
		return value;
	default:
		return is_signed ? (u64)(s32)value : (u32)value;
	}
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	struct output out = { buf, size, 0 };

	while (*fmt) {
		struct format f = { .precision = -1 };
		const char *start = fmt;
		unsigned base = 10;
		char c;

		if (*fmt != '%') {
			put(&out, *fmt++);
			continue;
		}
		fmt = parse_flags(fmt + 1, &f);
		if (*fmt == '*') {
			f.width = va_arg(args, int);
			if (f.width < 0) {
				f.flags |= FLAG_LEFT;
				f.width = f.width < -(1 << 20) ? 1 << 20 : -f.width;
			}
			fmt++;
		} else {
			f.width = parse_number(&fmt);
		}
		if (*fmt == '.') {
			fmt++;
			if (*fmt == '*') {
				f.precision = max(va_arg(args, int), -1);
				fmt++;
			} else {
				f.precision = parse_number(&fmt);
			}
		}
		fmt = parse_length(fmt, &f);
		switch (*fmt++) {
		case 'c':
			c = (char)va_arg(args, int);
			put_text(&out, &f, &c, 1);
			break;
		case 's':
			put_string(&out, &f, va_arg(args, const char *));
			break;
		case 'p':
			fmt = put_pointer(&out, &f, va_arg(args, void *), fmt);
			break;
		case '%':
			put(&out, '%');
			break;
		case 'd':
		case 'i':
			f.flags |= FLAG_SIGNED;
			goto number;
		case 'X':
			f.flags |= FLAG_UPPER;
			fallthrough;
		case 'x':
			base = 16;
			goto number;
		case 'o':
			base = 8;
			goto number;
		case 'u':
number:
			if (f.length == 'l')
				put_number(&out, &f, va_arg(args, u64), base);
			else
				put_number(&out, &f, narrow(&f, (u64)va_arg(args, int)), base);
			break;
		default: /* not a conversion: as it stands */
			fmt = start + 1;
			put(&out, '%');
		}
	}
	if (size)
		buf[min(out.length, size - 1)] = '\0';
	return (int)out.length;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return n;
}

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int n = vsnprintf(buf, size, fmt, args);

	if (!size)
		return 0;
	return (size_t)n < size ? n : (int)size - 1;
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return n;
}

int sprintf(char *buf, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, INT32_MAX, fmt, args);
	va_end(args);
	return n;
}
