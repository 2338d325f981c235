/* Puts the arguments of a print fmt into its string, as the kernel's printf() does. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_fmt.h"

#define WIDTH_MAX     1000
#define HEX_BYTES_MAX 64

/* A conversion: %-08.3lx. */
struct conversion {
	char flags[8];
	int width, precision; /* precision -1: none */
	uint8_t size;	      /* of its argument */
	char letter;
	char form[4]; /* the letters behind %p */
};

struct text {
	struct record *record;
	unsigned argument; /* the next one */
	char *buf;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	size_t room = text->size - text->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buf + text->length, room, format, args);
	va_end(args);
	if (n > 0)
		text->length += (size_t)n < room ? (size_t)n : room - 1;
}

static struct value next_argument(struct text *text)
{
	struct value none = { .unknown = true };
	unsigned argument = text->argument;

	if (!argument)
		return none;
	text->argument = text->record->print->nodes[argument].next;
	return print_eval(text->record, argument);
}

/* ---- reading a conversion ---- */

static int take_number(struct text *text, const char **at)
{
	int number = 0;

	if (**at == '*') {
		++*at;
		number = (int)next_argument(text).number;
		return number > WIDTH_MAX || number < -WIDTH_MAX ? WIDTH_MAX : number;
	}
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (number < WIDTH_MAX)
			number = number * 10 + (**at - '0');
	return number < WIDTH_MAX ? number : WIDTH_MAX;
}

static uint8_t take_size(const char **at)
{
	uint8_t size = 4;

	for (; **at && strchr("hlLqjzt", **at); ++*at) {
		if (**at == 'h')
			size = size == 2 ? 1 : 2;
		else
			size = 8;
	}
	return size;
}

/* The letters behind %p which the kernel understands. */
static void take_form(const char **at, char form[4])
{
	static const char *const forms[] = { "hC", "hD", "hN", "h", "I4", "I6c", "I6", "MF", "M", "S", "s", "F", "f",
					     "B",  "K",  "x",  "e", "U" };

	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strncmp(*at, forms[i], strlen(forms[i]))) {
			strcpy(form, forms[i]);
			*at += strlen(form);
			return;
		}
}

/* Reads a conversion behind its '%'. Returns what is behind it. */
static const char *take_conversion(struct text *text, const char *at, struct conversion *c)
{
	unsigned flags = 0;

	*c = (struct conversion){ .precision = -1 };
	for (; *at && strchr("-+ #0", *at); at++)
		if (!strchr(c->flags, *at))
			c->flags[flags++] = *at;
	c->width = take_number(text, &at);
	if (c->width < 0) {
		c->width = -c->width;
		if (!strchr(c->flags, '-'))
			c->flags[flags++] = '-';
	}
	if (*at == '.') {
		at++;
		c->precision = take_number(text, &at);
	}
	c->size = take_size(&at);
	c->letter = *at;
	if (*at)
		at++;
	if (c->letter == 'p')
		take_form(&at, c->form);
	return at;
}

/* ---- printing an argument ---- */

static void put_number(struct text *text, const struct conversion *c, uint64_t number)
{
	unsigned shift = 64 - 8U * c->size;
	bool is_signed = c->letter == 'd' || c->letter == 'i';
	char format[64];
	int n = snprintf(format, sizeof(format), "%%%s", c->flags);

	if (c->width)
		n += snprintf(format + n, sizeof(format) - (size_t)n, "%d", c->width);
	if (c->precision >= 0)
		n += snprintf(format + n, sizeof(format) - (size_t)n, ".%d", c->precision);
	snprintf(format + n, sizeof(format) - (size_t)n, "ll%c", c->letter);
	number <<= shift;
	number = is_signed ? (uint64_t)((int64_t)number >> shift) : number >> shift;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	put(text, format, (long long)number);
#pragma GCC diagnostic pop
}

static void put_string(struct text *text, const struct conversion *c, const char *string, size_t size)
{
	if (c->precision >= 0 && (size_t)c->precision < size)
		size = (size_t)c->precision;
	put(text, strchr(c->flags, '-') ? "%-*.*s" : "%*.*s", c->width, (int)strnlen(string, size), string);
}

/* A text outside the record: the trace has those that are constants of the kernel. */
static void put_text(struct text *text, const struct conversion *c, struct value value)
{
	const char *string = NULL;

	if (value.text)
		string = value.text;
	else if (!value.number)
		string = "(null)";
	else if (text->record->dat)
		string = dat_string_at(text->record->dat, value.number);
	if (!string)
		string = "?";
	put_string(text, c, string, value.text ? value.size : strlen(string));
}

static void put_hex_bytes(struct text *text, const struct conversion *c, struct value value)
{
	size_t count = c->width ? (size_t)c->width : 1;
	const char *between = c->form[1] == 'C' ? ":" : c->form[1] == 'D' ? "-" : c->form[1] == 'N' ? "" : " ";

	for (size_t i = 0; i < count && i < HEX_BYTES_MAX && i < value.size; i++)
		put(text, "%s%02x", i ? between : "", (uint8_t)value.text[i]);
}

static void put_bytes(struct text *text, const struct conversion *c, struct value value)
{
	const uint8_t *b = (const uint8_t *)value.text;

	if (c->form[0] == 'h') {
		put_hex_bytes(text, c, value);
	} else if (c->form[0] == 'M' && value.size >= 6) {
		const char *between = c->form[1] == 'F' ? "-" : ":";

		for (unsigned i = 0; i < 6; i++)
			put(text, "%s%02x", i ? between : "", b[i]);
	} else if (!strcmp(c->form, "I4") && value.size >= 4) {
		put(text, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
	} else if (c->form[0] == 'I' && value.size >= 16) {
		for (unsigned i = 0; i < 16; i += 2)
			put(text, "%s%02x%02x", i ? ":" : "", b[i], b[i + 1]);
	} else {
		put(text, "?");
	}
}

static void put_pointer(struct text *text, const struct conversion *c, struct value value)
{
	struct conversion plain = *c;
	char name[DAT_SYMBOL_TEXT];

	if (value.text) {
		put_bytes(text, c, value);
		return;
	}
	if (c->form[0] && strchr("SsFfB", c->form[0]) && text->record->dat) {
		dat_symbol_text(text->record->dat, value.number, c->form[0], name);
		put_string(text, c, name, sizeof(name));
		return;
	}
	plain.letter = 'x';
	plain.size = 8;
	if (!plain.width) {
		plain.width = 16;
		strcpy(plain.flags, "0");
	}
	put_number(text, &plain, value.number);
}

static void put_argument(struct text *text, const struct conversion *c)
{
	struct value value = next_argument(text);

	if (value.unknown) {
		put(text, "?");
		return;
	}
	switch (c->letter) {
	case 's':
		put_text(text, c, value);
		break;
	case 'p':
		put_pointer(text, c, value);
		break;
	case 'c':
		put_string(text, c, (char[]){ (char)value.number }, 1);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		if (!value.text) {
			put_number(text, c, value.number);
			break;
		}
		/* fall through */
	default:
		put(text, "?");
	}
}

size_t print_fmt_text(struct record *record, char *buf, size_t size)
{
	struct text text = { .record = record, .argument = record->print->arguments, .buf = buf, .size = size };
	const char *at = record->print->text;

	buf[0] = '\0';
	record->nr_made = 0;
	while (*at && text.length + 1 < size) {
		struct conversion c;
		size_t plain = strcspn(at, "%");

		if (plain) {
			put(&text, "%.*s", (int)plain, at);
			at += plain;
			continue;
		}
		at = take_conversion(&text, at + 1, &c);
		if (c.letter == '%')
			put(&text, "%%");
		else if (c.letter)
			put_argument(&text, &c);
	}
	return text.length;
}
