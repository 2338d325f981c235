/* Formatted text in memory from kmalloc(). */
#include "kernel/export.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

char *kvasprintf(gfp_t gfp, const char *fmt, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = kmalloc((size_t)n + 1, gfp);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, args);
	return text;
}

char *kasprintf(gfp_t gfp, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = kvasprintf(gfp, fmt, args);
	va_end(args);
	return text;
}
EXPORT_SYMBOL(kasprintf);
