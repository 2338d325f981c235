/*
 * Printing with a format and arguments that a program gives. A format of the kernel may do what a
 * program must not: follow pointers, or write. So each conversion is checked, and printed alone.
 *
 * A format may be in memory that user space changes at the same time (BPF_F_MMAPABLE). So each
 * conversion is copied before it is checked, and the format ends at its size at the latest.
 *
 * Pure, but for reading strings.
 */
#include "trace/bpf/helpers/format.h"

#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/random/hash_pointer.h"
#include "trace/bpf/helpers/helpers.h"

#define MAX_FLAGS        4
#define MAX_WIDTH_DIGITS 3 /* padding is written byte by byte */
/* A conversion, as "%-+0 123pks", and the byte behind it. */
#define MAX_CONVERSION (1 + MAX_FLAGS + MAX_WIDTH_DIGITS + 3 + 1)

/* A conversion: from % on. */
struct conversion {
	u32 length;    /* in the format */
	char text[16]; /* what snprintf() gets for it, with 64-bit numbers as ll */
	bool left;     /* flag - */
	u32 width;
	enum {
		LITERAL_PERCENT,
		NUMBER_SIGNED_32,
		NUMBER_UNSIGNED_32,
		NUMBER_64,
		CHARACTER,
		POINTER,
		HASHED_POINTER,
		STRING,
		KERNEL_STRING,
		USER_STRING,
	} kind;
};

/* Where the text grows. length counts what would not fit, too. */
struct output {
	char *to;
	size_t size, length;
};

/* ---- reading a format ---- */

static bool is_text(char c)
{
	return (c >= ' ' && c <= '~') || isspace(c);
}

/* Whether nothing that would belong to the conversion follows. */
static bool ends_here(char next)
{
	return !next || (is_text(next) && !isalnum(next));
}

/* %p and what follows it, from the p on. Sets kind. Returns the bytes, 0: unknown. */
static u32 parse_pointer(const char *fmt, struct conversion *c)
{
	if ((fmt[1] == 'k' || fmt[1] == 'u') && fmt[2] == 's' && ends_here(fmt[3])) {
		c->kind = fmt[1] == 'k' ? KERNEL_STRING : USER_STRING;
		return 3;
	}
	c->kind = fmt[1] == 'K' || ends_here(fmt[1]) ? HASHED_POINTER : POINTER;
	if (ends_here(fmt[1]))
		return 1;
	return strchr("KxsSB", fmt[1]) ? 2 : 0;
}

/* d i u x X with l, from its first letter on. Returns the bytes, 0: unknown. */
static u32 parse_number(const char *fmt, struct conversion *c)
{
	u32 longs = fmt[0] != 'l' ? 0 : fmt[1] != 'l' ? 1 : 2;
	char letter = fmt[longs];

	if (!letter || !strchr("diuxX", letter))
		return 0;
	if (longs)
		c->kind = NUMBER_64;
	else
		c->kind = letter == 'd' || letter == 'i' ? NUMBER_SIGNED_32 : NUMBER_UNSIGNED_32;
	return longs + 1;
}

static u32 parse_letter(const char *fmt, struct conversion *c)
{
	switch (*fmt) {
	case 'p':
		return parse_pointer(fmt, c);
	case 's':
		c->kind = STRING;
		return ends_here(fmt[1]);
	case 'c':
		c->kind = CHARACTER;
		return ends_here(fmt[1]);
	default:
		return parse_number(fmt, c);
	}
}

/* fmt begins with %, and ends with a NUL. False: the conversion is not known. */
static bool parse(const char *fmt, struct conversion *c)
{
	u32 at = 1, digits = 0, bytes;
	const char *letter;
	size_t used;

	*c = (struct conversion){ .kind = LITERAL_PERCENT, .length = 2 };
	if (fmt[1] == '%')
		return true;
	for (; fmt[at] && strchr("0+- ", fmt[at]); at++) {
		c->left |= fmt[at] == '-';
		if (at > MAX_FLAGS)
			return false;
	}
	for (; isdigit(fmt[at]); at++, digits++) {
		if (digits == MAX_WIDTH_DIGITS)
			return false;
		c->width = 10 * c->width + (u32)(fmt[at] - '0');
	}
	bytes = parse_letter(fmt + at, c);
	if (!bytes)
		return false;
	c->length = at + bytes;
	/* Numbers are passed as 64 bits, extended as their kind says. */
	letter = fmt + at + (c->kind <= NUMBER_64 ? bytes - 1 : 0);
	used = at;
	memcpy(c->text, fmt, used);
	if (c->kind <= NUMBER_64) {
		c->text[used++] = 'l';
		c->text[used++] = 'l';
	}
	c->text[used++] = *letter;
	if (c->kind == POINTER)
		c->text[used] = letter[1];
	return true;
}

/* ---- printing ---- */

static size_t room(const struct output *out)
{
	return out->length < out->size ? out->size - out->length : 0;
}

static void put_char(struct output *out, char c)
{
	if (room(out) > 1)
		out->to[out->length] = c;
	out->length++;
}

static void put_formatted(struct output *out, const char *fmt, ...)
{
	size_t left = room(out);
	va_list args;

	va_start(args, fmt);
	out->length += (size_t)vsnprintf_pointers(left ? out->to + out->length : NULL, left, fmt,
						  args, hash_pointer);
	va_end(args);
}

/* Puts spaces before or behind a string of so many bytes that is at start, where left bytes are. */
static void pad(char *start, size_t left, size_t length, size_t spaces, bool behind)
{
	size_t moved = left - 1 > spaces ? min(length, left - 1 - spaces) : 0;

	if (behind) {
		memset(start + length, ' ', min(spaces, left - 1 - length));
		return;
	}
	memmove(start + min(spaces, left - 1), start, moved);
	memset(start, ' ', min(spaces, left - 1));
}

/* A string that cannot be read is empty. */
static void put_string(struct output *out, const struct conversion *c, u64 address)
{
	bool user = c->kind == USER_STRING || (c->kind == STRING && (s64)address >= 0);
	size_t left = room(out), length = 0, spaces;
	s64 n = 0;

	if (left) {
		u64 to = (u64)(out->to + out->length);

		n = (s64)(user ? bpf_probe_read_user_str(to, left, address, 0, 0)
			       : bpf_probe_read_kernel_str(to, left, address, 0, 0));
		length = n > 0 ? (size_t)n - 1 : 0;
	}
	spaces = c->width > length ? c->width - length : 0;
	if (left && spaces)
		pad(out->to + out->length, left, length, spaces, c->left);
	out->length += length + spaces;
}

static void put_conversion(struct output *out, const struct conversion *c, u64 arg)
{
	switch (c->kind) {
	case NUMBER_SIGNED_32:
		put_formatted(out, c->text, (long long)(s32)arg);
		break;
	case NUMBER_UNSIGNED_32:
		put_formatted(out, c->text, (unsigned long long)(u32)arg);
		break;
	case NUMBER_64:
		put_formatted(out, c->text, (unsigned long long)arg);
		break;
	case CHARACTER:
		put_formatted(out, c->text, (int)(u8)arg);
		break;
	case POINTER:
	case HASHED_POINTER:
		put_formatted(out, c->text, (void *)arg);
		break;
	default:
		put_string(out, c, arg);
	}
}

/* Copies and checks the conversion at fmt, of which left bytes are behind its %. */
static bool read_conversion(const char *fmt, u32 left, struct conversion *c)
{
	char copy[MAX_CONVERSION + 1] = "%";

	for (u32 i = 1; i < MAX_CONVERSION && i <= left; i++) {
		copy[i] = READ_ONCE(fmt[i]);
		if (!copy[i])
			break;
	}
	return parse(copy, c);
}

s64 bpf_format(char *to, size_t size, const char *fmt, u32 fmt_size, const u64 *args, u32 nr_args)
{
	struct output out = { .to = to, .size = size };
	struct conversion c;
	u32 used = 0;

	for (u32 at = 0;; at += c.length) {
		char letter = at < fmt_size ? READ_ONCE(fmt[at]) : '\x7f'; /* no NUL: no text */

		if (!letter)
			break;
		if (!is_text(letter))
			return -EINVAL;
		c.length = 1;
		if (letter != '%') {
			put_char(&out, letter);
			continue;
		}
		if (!read_conversion(fmt + at, fmt_size - at - 1, &c))
			return -EINVAL;
		if (c.kind == LITERAL_PERCENT) {
			put_char(&out, '%');
			continue;
		}
		if (used == nr_args)
			return -EINVAL;
		put_conversion(&out, &c, args[used++]);
	}
	if (size)
		to[min(out.length, size - 1)] = '\0';
	return (s64)out.length;
}
