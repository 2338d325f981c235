/*
 * The string functions of the C library. memcpy(), memmove() and memset() are in
 * arch/cpu/string.asm.
 */
#include "kernel/lib/string.h"
#include "kernel/export.h"

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *p = a, *q = b;
	u64 x, y;

	for (; n >= sizeof(x); p += sizeof(x), q += sizeof(x), n -= sizeof(x)) {
		__builtin_memcpy(&x, p, sizeof(x));
		__builtin_memcpy(&y, q, sizeof(y));
		if (x != y)
			break; /* the bytes say which is the greater one */
	}
	for (; n; p++, q++, n--)
		if (*p != *q)
			return *p - *q;
	return 0;
}
EXPORT_SYMBOL(memcmp);

void *memchr(const void *s, int byte, size_t n)
{
	for (const u8 *p = s; n; p++, n--)
		if (*p == (u8)byte)
			return (void *)p;
	return NULL;
}
EXPORT_SYMBOL(memchr);

size_t strlen(const char *s)
{
	return strnlen(s, SIZE_MAX);
}
EXPORT_SYMBOL(strlen);

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}
EXPORT_SYMBOL(strnlen);

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}
EXPORT_SYMBOL(strcmp);

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--)
		if (*a != *b || !*a)
			return (u8)*a - (u8)*b;
	return 0;
}
EXPORT_SYMBOL(strncmp);

char *strchrnul(const char *s, int c)
{
	while (*s && *s != (char)c)
		s++;
	return (char *)s;
}

char *strchr(const char *s, int c)
{
	s = strchrnul(s, c);
	return *s == (char)c ? (char *)s : NULL;
}
EXPORT_SYMBOL(strchr);

char *strrchr(const char *s, int c)
{
	const char *last = NULL;

	do {
		if (*s == (char)c)
			last = s;
	} while (*s++);
	return (char *)last;
}
EXPORT_SYMBOL(strrchr);

char *strstr(const char *s, const char *what)
{
	size_t n = strlen(what);

	for (;; s++) {
		if (!strncmp(s, what, n))
			return (char *)s;
		if (!*s)
			return NULL;
	}
}
EXPORT_SYMBOL(strstr);

size_t strspn(const char *s, const char *accept)
{
	size_t n = 0;

	while (s[n] && strchr(accept, s[n]))
		n++;
	return n;
}
EXPORT_SYMBOL(strspn);

size_t strcspn(const char *s, const char *reject)
{
	size_t n = 0;

	while (s[n] && !strchr(reject, s[n]))
		n++;
	return n;
}
EXPORT_SYMBOL(strcspn);

char *strpbrk(const char *s, const char *accept)
{
	s += strcspn(s, accept);
	return *s ? (char *)s : NULL;
}

char *strsep(char **s, const char *delimiters)
{
	char *token = *s, *end;

	if (!token)
		return NULL;
	end = strpbrk(token, delimiters);
	if (end)
		*end++ = '\0';
	*s = end;
	return token;
}
EXPORT_SYMBOL(strsep);

/* In assembly: arch/cpu/string.asm. */
EXPORT_SYMBOL(memcpy);
EXPORT_SYMBOL(memmove);
EXPORT_SYMBOL(memset);
