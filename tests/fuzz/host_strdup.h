/* kstrdup(), kstrndup() and kasprintf() for fuzzers. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/host_kmalloc.h"

char *kstrndup(const char *s, size_t max, gfp_t gfp)
{
	size_t length = strnlen(s, max);
	char *copy = __kmalloc(length + 1, gfp);

	if (copy) {
		memcpy(copy, s, length);
		copy[length] = '\0';
	}
	return copy;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	return kstrndup(s, strlen(s), gfp);
}

char *kasprintf(gfp_t gfp, const char *fmt, ...)
{
	va_list args;
	int length;
	char *text;

	va_start(args, fmt);
	length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = __kmalloc((size_t)length + 1, gfp);
	va_start(args, fmt);
	if (text)
		vsnprintf(text, (size_t)length + 1, fmt, args);
	va_end(args);
	return text;
}
