/*
 * Formatted text into a buffer; and in two steps, for tracers: vbin_printf() stores the arguments
 * of a format, bstr_printf() makes the text of them when somebody reads it.
 */
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/errname.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

#define HEX_BYTES_MAX 64        /* of one %*ph */
#define WIDTH_MAX     (1 << 20) /* a larger width or precision counts as this */

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
	char conversion;
};

/* What vbin_printf() makes. */
struct packer {
	u8 *buf;
	size_t size;
	size_t length; /* of all; what does not lie below size is not written */
};

/* Where the arguments of a format come from. */
struct arguments {
	va_list list;          /* a call; or, if packed is not NULL, */
	const u8 *packed;      /* what a packer has made: the next one, */
	const u8 *end;         /* and the end of the last one, a multiple of 4 */
	struct packer *packer; /* not NULL: each one is packed as it is taken */
};

static void pack(struct packer *p, const void *bytes, size_t size, size_t align)
{
	while (p->length % align) {
		if (p->length < p->size)
			p->buf[p->length] = 0;
		p->length++;
	}
	if (size && p->length + size <= p->size)
		memcpy(p->buf + p->length, bytes, size);
	p->length += size;
}

/* Text, as much of it as its precision lets through, with a NUL. */
static void pack_text(struct packer *p, const char *text, size_t length)
{
	pack(p, text, length, 1);
	pack(p, "", 1, 1);
}

/* The next argument, a number or a pointer of size bytes. Packed as Linux packs it. */
static u64 next_number(struct arguments *args, size_t size)
{
	size_t align = min(size, sizeof(u32));
	u64 value = 0;

	if (!args->packed) {
		value = size == sizeof(u64) ? va_arg(args->list, u64)
					    : (u64)va_arg(args->list, int);
		if (args->packer)
			pack(args->packer, &value, size, align);
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
	return (int)next_number(args, sizeof(int));
}

/* The next argument, a string: what of it may be read is in f's precision. */
static const char *next_text(struct arguments *args, struct format *f)
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

static size_t text_length(const struct format *f, const char *s)
{
	return strnlen(s, f->precision < 0 ? SIZE_MAX : (size_t)f->precision);
}

static void put(struct output *out, char c)
{
	if (out->length < out->size)
		out->buf[out->length] = c;
	out->length++;
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
	put_text(out, f, s, text_length(f, s));
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
static void put_hex_bytes(struct output *out, const struct format *f, const u8 *bytes,
			  const char *form)
{
	static const char digits[] = "0123456789abcdef";
	int n = f->width ? min(f->width, HEX_BYTES_MAX) : 1;
	char separator = ' ';

	if (form[1] == 'C' || form[1] == 'D' || form[1] == 'N')
		separator = form[1] == 'C' ? ':' : form[1] == 'D' ? '-' : '\0';
	for (int i = 0; i < n; i++) {
		if (i && separator)
			put(out, separator);
		put(out, digits[bytes[i] >> 4]);
		put(out, digits[bytes[i] & 15]);
	}
}

/* How many characters after %p select its form. */
static size_t pointer_form_length(const char *form)
{
	switch (*form) {
	case 'S':
	case 's':
	case 'B':
	case 'e':
	case 'x':
		return 1;
	case 'h':
		return form[1] == 'C' || form[1] == 'D' || form[1] == 'N' ? 2 : 1;
	default:
		return 0;
	}
}

/* Forms that look at what the pointer points to, or that readers cannot make: packed as text. */
static bool pointer_is_packed_as_text(const char *form)
{
	return *form == 'h' || *form == 'B';
}

static void put_pointer(struct output *out, struct format *f, const void *ptr, const char *form)
{
	char symbol[KSYM_SYMBOL_LEN];
	const char *name;

	switch (*form) {
	case 'S':
		sprint_symbol(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		break;
	case 's':
		sprint_symbol_no_offset(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		break;
	case 'B':
		sprint_backtrace(symbol, (unsigned long)ptr);
		put_string(out, f, symbol);
		break;
	case 'h':
		put_hex_bytes(out, f, ptr, form);
		break;
	case 'e':
		name = IS_ERR(ptr) ? errname((int)-PTR_ERR(ptr)) : NULL;
		if (name) {
			symbol[0] = '-';
			strscpy(symbol + 1, name, sizeof(symbol) - 1);
			put_string(out, f, symbol);
			break;
		}
		fallthrough;
	default:
		put_address(out, f, (unsigned long)ptr);
	}
}

static const void *next_pointer(struct arguments *args)
{
	return (const void *)next_number(args, sizeof(void *));
}

static int parse_number(const char **fmt)
{
	int n = 0;

	while (isdigit((u8)(*fmt)[0])) {
		n = min(n * 10 + (**fmt - '0'), WIDTH_MAX);
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

/* Bytes of a number's argument as it is packed. */
static size_t number_size(const struct format *f)
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

/* A conversion, from behind its % up to behind its letter; takes the arguments that * asks for. */
static const char *parse_conversion(const char *fmt, struct format *f, struct arguments *args)
{
	*f = (struct format){ .precision = -1 };
	fmt = parse_flags(fmt, f);
	if (*fmt == '*') {
		f->width = next_int(args);
		if (f->width < 0) {
			f->flags |= FLAG_LEFT;
			f->width = f->width < -WIDTH_MAX ? WIDTH_MAX : -f->width;
		}
		f->width = min(f->width, WIDTH_MAX);
		fmt++;
	} else {
		f->width = parse_number(&fmt);
	}
	if (*fmt == '.') {
		fmt++;
		if (*fmt == '*') {
			f->precision = min(max(next_int(args), -1), WIDTH_MAX);
			fmt++;
		} else {
			f->precision = parse_number(&fmt);
		}
	}
	fmt = parse_length(fmt, f);
	f->conversion = *fmt;
	return *fmt ? fmt + 1 : fmt;
}

/* The base of a conversion of numbers, 0 of others; sets the flags that its letter stands for. */
static unsigned number_base(struct format *f)
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
	if (args->packed && pointer_is_packed_as_text(form)) {
		struct format whole = { .precision = -1 };
		const char *text = next_text(args, &whole);

		put_string(out, &whole, text);
	} else {
		put_pointer(out, f, next_pointer(args), form);
	}
	return form + pointer_form_length(form);
}

static int print_text(char *buf, size_t size, const char *fmt, struct arguments *args)
{
	struct output out = { buf, size, 0 };

	while (*fmt) {
		const char *start = fmt;
		struct format f;
		unsigned base;
		char c;

		if (*fmt != '%') {
			put(&out, *fmt++);
			continue;
		}
		fmt = parse_conversion(fmt + 1, &f, args);
		base = number_base(&f);
		if (base) {
			put_number(&out, &f, narrow(&f, next_number(args, number_size(&f))), base);
			continue;
		}
		switch (f.conversion) {
		case 'c':
			c = (char)next_number(args, sizeof(c));
			put_text(&out, &f, &c, 1);
			break;
		case 's':
			put_string(&out, &f, next_text(args, &f));
			break;
		case 'p':
			fmt = put_any_pointer(&out, &f, args, fmt);
			break;
		case '%':
			put(&out, '%');
			break;
		default: /* not a conversion: as it stands */
			fmt = start + 1;
			put(&out, '%');
		}
	}
	if (size)
		buf[min(out.length, size - 1)] = '\0';
	return (int)min(out.length, (size_t)INT32_MAX);
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list list)
{
	struct arguments args = { .packed = NULL };
	int length;

	va_copy(args.list, list);
	length = print_text(buf, size, fmt, &args);
	va_end(args.list);
	return length;
}

static const char *pack_pointer(struct arguments *args, struct format *f, const char *form)
{
	if (pointer_is_packed_as_text(form)) {
		char text[KSYM_SYMBOL_LEN + 3 * HEX_BYTES_MAX]; /* the longest of them */
		struct output out = { text, sizeof(text), 0 };

		put_pointer(&out, f, va_arg(args->list, void *), form);
		pack_text(args->packer, text, min(out.length, sizeof(text)));
	} else {
		next_pointer(args);
	}
	return form + pointer_form_length(form);
}

size_t vbin_printf(u32 *words, size_t count, const char *fmt, va_list list)
{
	struct packer packer = { (u8 *)words, count * sizeof(*words), 0 };
	struct arguments args = { .packer = &packer };
	const char *text;
	struct format f;

	va_copy(args.list, list);
	while (*fmt) {
		const char *start = fmt;

		if (*fmt++ != '%')
			continue;
		fmt = parse_conversion(fmt, &f, &args);
		switch (f.conversion) {
		case 'c':
			next_number(&args, sizeof(char));
			break;
		case 's':
			text = next_text(&args, &f);
			pack_text(&packer, text, text_length(&f, text));
			break;
		case 'p':
			fmt = pack_pointer(&args, &f, fmt);
			break;
		case '%':
			break;
		default:
			if (number_base(&f))
				next_number(&args, number_size(&f));
			else
				fmt = start + 1;
		}
	}
	pack(&packer, "", 0, sizeof(u32));
	va_end(args.list);
	return packer.length / sizeof(u32);
}

int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words, size_t count)
{
	struct arguments args = { .packed = (const u8 *)words, .end = (const u8 *)(words + count) };

	return print_text(buf, size, fmt, &args);
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
