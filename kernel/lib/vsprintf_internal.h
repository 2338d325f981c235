/*
 * Inside the formatting code: vsprintf.c parses formats and prints, vsprintf_pointer.c prints the
 * forms of %p, vsprintf_binary.c stores arguments for later.
 */
#pragma once

#include "kernel/lib/vsprintf.h"

#define FMT_HEX_BYTES_MAX 64        /* bytes of one %*ph */
#define FMT_WIDTH_MAX     (1 << 20) /* a larger width or precision counts as this */

struct output {
	char *buf;
	size_t size;
	size_t length; /* of the whole text; bytes from size on are counted, but not written */
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

/* One conversion of a format. */
struct format {
	unsigned flags;
	int width;     /* 0: none */
	int precision; /* -1: none */
	char length;   /* 0, 'H' for hh, 'h', 'l' (every length of 64 bits) */
	char conversion;
};

/* The output of vbin_printf(). */
struct packer {
	u8 *buf;
	size_t size;
	size_t length; /* of all arguments; bytes from size on are counted, but not written */
};

/* The source of a format's arguments: the arguments of a call, or the output of a packer. */
struct arguments {
	va_list list;          /* of a call, if packed is NULL */
	const u8 *packed;      /* the next packed argument */
	const u8 *end;         /* of the packed arguments; a multiple of 4 bytes */
	struct packer *packer; /* packs each argument of a call as it is taken; may be NULL */
	/* Returns what %p alone prints for an address. NULL: the address. */
	unsigned long (*show_pointer)(unsigned long address);
};

static inline void fmt_put(struct output *out, char c)
{
	if (out->length < out->size)
		out->buf[out->length] = c;
	out->length++;
}

/* ---- vsprintf.c ---- */

/*
 * Reads a conversion. fmt points behind the %. Takes the arguments that a * asks for. Returns the
 * address behind the conversion's letter.
 */
const char *fmt_parse_conversion(const char *fmt, struct format *f, struct arguments *args);
/*
 * Returns the base of a number's conversion, and sets the flags that its letter implies. 0: the
 * conversion does not print a number.
 */
unsigned fmt_number_base(struct format *f);
/* The size of a number's argument when it is packed. */
size_t fmt_number_size(const struct format *f);
/* Takes the next argument: a number or a pointer of size bytes, packed as Linux packs it. */
u64 fmt_next_number(struct arguments *args, size_t size);
/*
 * Takes the next argument: a string. f's precision becomes the number of bytes that may be read, if
 * it is larger.
 */
const char *fmt_next_text(struct arguments *args, struct format *f);

static inline const void *fmt_next_pointer(struct arguments *args)
{
	return (const void *)fmt_next_number(args, sizeof(void *));
}

/* The number of bytes of s to print. */
size_t fmt_text_length(const struct format *f, const char *s);

/* Prints into out, as f says. */
void fmt_put_text(struct output *out, const struct format *f, const char *s, size_t n);
void fmt_put_string(struct output *out, const struct format *f, const char *s);
void fmt_put_number(struct output *out, const struct format *f, u64 value, unsigned base);
/* Prints a whole format: vsnprintf() with any source of arguments. */
int fmt_print(char *buf, size_t size, const char *fmt, struct arguments *args);

/* ---- vsprintf_pointer.c; form is the text behind %p ---- */

/* The number of characters that belong to the form. */
size_t fmt_pointer_form_length(const char *form);
/*
 * True for forms that read the memory behind the pointer, and for forms that user programs cannot
 * print. vbin_printf() packs these as text.
 */
bool fmt_pointer_is_packed_as_text(const char *form);
void fmt_put_pointer(struct output *out, struct format *f, const void *ptr, const char *form);

/* ---- vsprintf_binary.c ---- */

/* Appends an argument, aligned to align bytes. */
void fmt_pack(struct packer *p, const void *bytes, size_t size, size_t align);
