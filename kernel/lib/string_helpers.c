/* String functions of Linux that the C library does not have. */
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"

ssize_t strscpy(char *dst, const char *src, size_t size)
{
	size_t n;

	if (!size)
		return -E2BIG;
	n = strnlen(src, size);
	if (n == size) {
		memcpy(dst, src, size - 1);
		dst[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(dst, src, n + 1);
	return (ssize_t)n;
}
EXPORT_SYMBOL(strscpy);

ssize_t strscat(char *dst, const char *src, size_t size)
{
	size_t used = strnlen(dst, size);
	ssize_t n = strscpy(dst + used, src, size - used);

	return n < 0 ? n : (ssize_t)used + n;
}
EXPORT_SYMBOL(strscat);

char *skip_spaces(const char *s)
{
	while (isspace((u8)*s))
		s++;
	return (char *)s;
}
EXPORT_SYMBOL(skip_spaces);

char *strim(char *s)
{
	size_t n = strlen(s);

	while (n && isspace((u8)s[n - 1]))
		n--;
	s[n] = '\0';
	return skip_spaces(s);
}
EXPORT_SYMBOL(strim);

bool strstarts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}
EXPORT_SYMBOL(strstarts);

int match_string(const char *const *array, size_t n, const char *string)
{
	for (size_t i = 0; i < n && array[i]; i++)
		if (!strcmp(array[i], string))
			return (int)i;
	return -EINVAL;
}
EXPORT_SYMBOL(match_string);

void *memchr_inv(const void *s, int byte, size_t n)
{
	for (const u8 *p = s; n; p++, n--)
		if (*p != (u8)byte)
			return (void *)p;
	return NULL;
}
