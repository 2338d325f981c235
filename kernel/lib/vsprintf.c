/* Formatted text into a buffer: reads formats, prints numbers and strings. */
#include "kernel/lib/ctype.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf_internal.h"

u64 fmt_next_number(struct arguments *args, size_t size)
{
	size_t align = min(size, sizeof(u32));
	u64 value = 0;

	if (!args->packed) {
		value = size == sizeof(u64) ? va_arg(args->list, u64)
					    : (u64)va_arg(args->list, int);
		if (args->packer)
			fmt_pack(args->packer, &value, size, align);
		return value;
	}
	args->packed = (const u8 *)ALIGN((unsigned long)args->packed, align);
	if (size > (size_t)(args->end - args->packed)) {
		args->packed = args->end;
		return 0;
	}
	memcpy(&value, args->packed, size);
	args->packed += size;
	return value;
}

static int next_int(struct arguments *args)
{
	return (int)fmt_next_number(args, sizeof(int));
}

const char *fmt_next_text(struct arguments *args, struct format *f)
{
	const char *text;
	size_t room;

	if (!args->packed) {
		text = va_arg(args->list, const char *);
		return text ? text : "(null)";
	}
	text = (const char *)args->packed;
	room = strnlen(text, (size_t)(args->end - args->packed));
	if (f->precision < 0 || (size_t)f->precision > room)
		f->precision = (int)room;
	args->packed += room;
	if (args->packed < args->end)
		args->packed++;
	return text;
}

size_t fmt_text_length(const struct format *f, const char *s)
{
	return strnlen(s, f->precision < 0 ? SIZE_MAX : (size_t)f->precision);
}

static void fill(struct output *out, char c, int n)
{
	size_t room = out->size > out->length ? out->size - out->length : 0;

	if (n <= 0)
		return;
	if (room)
		memset(out->buf + out->length, c, min((size_t)n, room));
	out->length += (size_t)n;
}

void fmt_put_text(struct output *out, const struct format *f, const char *s, size_t n)
{
	int pad = f->width - (int)n;

	if (!(f->flags & FLAG_LEFT))
		fill(out, ' ', pad);
	for (size_t i = 0; i < n; i++)
		fmt_put(out, s[i]);
	if (f->flags & FLAG_LEFT)
		fill(out, ' ', pad);
}

void fmt_put_string(struct output *out, const struct format *f, const char *s)
{
	fmt_put_text(out, f, s, fmt_text_length(f, s));
}

void fmt_put_number(struct output *out, const struct format *f, u64 value, unsigned base)
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
		fmt_put(out, sign);
	while (*prefix)
		fmt_put(out, *prefix++);
	fill(out, '0', zeros);
	while (n)
		fmt_put(out, text[--n]);
	if (f->flags & FLAG_LEFT)
		fill(out, ' ', pad);
}

static int parse_number(const char **fmt)
{
	int n = 0;

	while (isdigit((u8)(*fmt)[0])) {
		n = min(n * 10 + (**fmt - '0'), FMT_WIDTH_MAX);
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
	case 'L': /* Linux's older form of ll, which the texts of some of its events have */
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

size_t fmt_number_size(const struct format *f)
{
	switch (f->length) {
	case 'H':
		return sizeof(u8);
	case 'h':
		return sizeof(u16);
	case 'l':
		return sizeof(u64);
	default:
		return sizeof(u32);
	}
}

const char *fmt_parse_conversion(const char *fmt, struct format *f, struct arguments *args)
{
	*f = (struct format){ .precision = -1 };
	fmt = parse_flags(fmt, f);
	if (*fmt == '*') {
		f->width = next_int(args);
		if (f->width < 0) {
			f->flags |= FLAG_LEFT;
			f->width = f->width < -FMT_WIDTH_MAX ? FMT_WIDTH_MAX : -f->width;
		}
		f->width = min(f->width, FMT_WIDTH_MAX);
		fmt++;
	} else {
		f->width = parse_number(&fmt);
	}
	if (*fmt == '.') {
		fmt++;
		if (*fmt == '*') {
			f->precision = min(max(next_int(args), -1), FMT_WIDTH_MAX);
			fmt++;
		} else {
			f->precision = parse_number(&fmt);
		}
	}
	fmt = parse_length(fmt, f);
	f->conversion = *fmt;
	return *fmt ? fmt + 1 : fmt;
}

unsigned fmt_number_base(struct format *f)
{
	switch (f->conversion) {
	case 'd':
	case 'i':
		f->flags |= FLAG_SIGNED;
		return 10;
	case 'u':
		return 10;
	case 'X':
		f->flags |= FLAG_UPPER;
		return 16;
	case 'x':
		return 16;
	case 'o':
		return 8;
	default:
		return 0;
	}
}

static const char *put_any_pointer(struct output *out, struct format *f, struct arguments *args,
				   const char *form)
{
	size_t length = fmt_pointer_form_length(form);

	if (args->packed && fmt_pointer_is_packed_as_text(form)) {
		struct format whole = { .precision = -1 };
		const char *text = fmt_next_text(args, &whole);

		fmt_put_string(out, &whole, text);
	} else {
		const void *ptr = fmt_next_pointer(args);

		if (!length && args->show_pointer)
			ptr = (const void *)args->show_pointer((unsigned long)ptr);
		fmt_put_pointer(out, f, ptr, form);
	}
	return form + length;
}

int fmt_print(char *buf, size_t size, const char *fmt, struct arguments *args)
{
	struct output out = { buf, size, 0 };

	while (*fmt) {
		const char *start = fmt;
		struct format f;
		unsigned base;
		char c;

		if (*fmt != '%') {
			fmt_put(&out, *fmt++);
			continue;
		}
		fmt = fmt_parse_conversion(fmt + 1, &f, args);
		base = fmt_number_base(&f);
		if (base) {
			fmt_put_number(&out, &f,
				       narrow(&f, fmt_next_number(args, fmt_number_size(&f))),
				       base);
			continue;
		}
		switch (f.conversion) {
		case 'c':
			c = (char)fmt_next_number(args, sizeof(c));
			fmt_put_text(&out, &f, &c, 1);
			break;
		case 's':
			fmt_put_string(&out, &f, fmt_next_text(args, &f));
			break;
		case 'p':
			fmt = put_any_pointer(&out, &f, args, fmt);
			break;
		case '%':
			fmt_put(&out, '%');
			break;
		default: /* Not a conversion: prints the text unchanged. */
			fmt = start + 1;
			fmt_put(&out, '%');
		}
	}
	if (size)
		buf[min(out.length, size - 1)] = '\0';
	return (int)min(out.length, (size_t)INT32_MAX);
}

int vsnprintf_pointers(char *buf, size_t size, const char *fmt, va_list list,
		       unsigned long (*show_pointer)(unsigned long address))
{
	struct arguments args = { .packed = NULL, .show_pointer = show_pointer };
	int length;

	va_copy(args.list, list);
	length = fmt_print(buf, size, fmt, &args);
	va_end(args.list);
	return length;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list list)
{
	return vsnprintf_pointers(buf, size, fmt, list, NULL);
}
EXPORT_SYMBOL(vsnprintf);

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return n;
}
EXPORT_SYMBOL(snprintf);

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int n = vsnprintf(buf, size, fmt, args);

	if (!size)
		return 0;
	return (size_t)n < size ? n : (int)size - 1;
}
EXPORT_SYMBOL(vscnprintf);

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return n;
}
EXPORT_SYMBOL(scnprintf);

int sprintf(char *buf, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(buf, INT32_MAX, fmt, args);
	va_end(args);
	return n;
}
EXPORT_SYMBOL(sprintf);
