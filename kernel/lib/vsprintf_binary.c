/*
 * Formatted text in two steps, for tracers: vbin_printf() stores the arguments of a format,
 * bstr_printf() prints them when a user reads the trace.
 */
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf_internal.h"

void fmt_pack(struct packer *p, const void *bytes, size_t size, size_t align)
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

/* Appends the first length bytes of text, and a NUL. */
static void pack_text(struct packer *p, const char *text, size_t length)
{
	fmt_pack(p, text, length, 1);
	fmt_pack(p, "", 1, 1);
}

static const char *pack_pointer(struct arguments *args, struct format *f, const char *form)
{
	if (fmt_pointer_is_packed_as_text(form)) {
		char text[VSPRINTF_SYMBOL_MAX + 3 * FMT_HEX_BYTES_MAX];
		struct output out = { text, sizeof(text), 0 };

		fmt_put_pointer(&out, f, va_arg(args->list, void *), form);
		pack_text(args->packer, text, min(out.length, sizeof(text)));
	} else {
		fmt_next_pointer(args);
	}
	return form + fmt_pointer_form_length(form);
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
		fmt = fmt_parse_conversion(fmt, &f, &args);
		switch (f.conversion) {
		case 'c':
			fmt_next_number(&args, sizeof(char));
			break;
		case 's':
			text = fmt_next_text(&args, &f);
			pack_text(&packer, text, fmt_text_length(&f, text));
			break;
		case 'p':
			fmt = pack_pointer(&args, &f, fmt);
			break;
		case '%':
			break;
		default:
			if (fmt_number_base(&f))
				fmt_next_number(&args, fmt_number_size(&f));
			else
				fmt = start + 1;
		}
	}
	fmt_pack(&packer, "", 0, sizeof(u32));
	va_end(args.list);
	return packer.length / sizeof(u32);
}

int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words, size_t count)
{
	struct arguments args = { .packed = (const u8 *)words, .end = (const u8 *)(words + count) };

	return fmt_print(buf, size, fmt, &args);
}
