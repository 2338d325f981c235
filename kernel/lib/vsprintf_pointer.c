/* Formatted text into a buffer: the forms of %p. */
#include "kernel/errno.h"
#include "kernel/lib/errname.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf_internal.h"

static void put_address(struct output *out, struct format *f, unsigned long address)
{
	if (!f->width) {
		f->width = 2 * sizeof(address);
		f->flags |= FLAG_ZERO;
	}
	fmt_put_number(out, f, address, 16);
}

/* Prints %*ph. The width is the number of bytes, at most 64 as in Linux. */
static void put_hex_bytes(struct output *out, const struct format *f, const u8 *bytes,
			  const char *form)
{
	static const char digits[] = "0123456789abcdef";
	int n = f->width ? min(f->width, FMT_HEX_BYTES_MAX) : 1;
	char separator = ' ';

	if (form[1] == 'C' || form[1] == 'D' || form[1] == 'N')
		separator = form[1] == 'C' ? ':' : form[1] == 'D' ? '-' : '\0';
	for (int i = 0; i < n; i++) {
		if (i && separator)
			fmt_put(out, separator);
		fmt_put(out, digits[bytes[i] >> 4]);
		fmt_put(out, digits[bytes[i] & 15]);
	}
}

size_t fmt_pointer_form_length(const char *form)
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

bool fmt_pointer_is_packed_as_text(const char *form)
{
	return *form == 'h' || *form == 'B';
}

notrace /* overridden by kernel/kallsyms.c: the linker drops its name, but not its code */
__weak size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form __unused)
{
	return (size_t)scnprintf(buf, size, "0x%lx", address);
}

void fmt_put_pointer(struct output *out, struct format *f, const void *ptr, const char *form)
{
	char text[VSPRINTF_SYMBOL_MAX];
	const char *name;

	switch (*form) {
	case 'S':
	case 's':
	case 'B':
		vsprintf_symbol(text, sizeof(text), (unsigned long)ptr, *form);
		fmt_put_string(out, f, text);
		break;
	case 'h':
		put_hex_bytes(out, f, ptr, form);
		break;
	case 'e':
		name = IS_ERR(ptr) ? errname((int)-PTR_ERR(ptr)) : NULL;
		if (name) {
			text[0] = '-';
			strscpy(text + 1, name, sizeof(text) - 1);
			fmt_put_string(out, f, text);
			break;
		}
		fallthrough;
	default:
		put_address(out, f, (unsigned long)ptr);
	}
}
