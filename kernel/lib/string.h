/*
 * Strings and blocks of memory, under the names of the C library and of Linux. Any context.
 *
 * On the host, the C library provides the first half of these functions.
 */
#pragma once

#include "kernel/compiler.h"

#ifdef NOP5_HOST
#include <string.h>
#else
/* arch/cpu/string.asm. The regions of memcpy() must not overlap. */
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int byte, size_t n);

int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int byte, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strchrnul(const char *s, int c); /* returns the end of s if c does not occur */
char *strstr(const char *s, const char *what);
size_t strspn(const char *s, const char *accept);
size_t strcspn(const char *s, const char *reject);
char *strpbrk(const char *s, const char *accept);
/*
 * Cuts the next token off *s at a delimiter, and moves *s behind it; to NULL after the last token.
 */
char *strsep(char **s, const char *delimiters);
#endif

/*
 * Copies at most size bytes with the NUL, and always writes the NUL. Returns the length; -E2BIG:
 * src was cut.
 */
ssize_t strscpy(char *dst, const char *src, size_t size);
/* Appends src to the string in dst, which has size bytes. Returns as strscpy(). */
ssize_t strscat(char *dst, const char *src, size_t size);
char *skip_spaces(const char *s);
/* Cuts white space off the end of s. Returns the first character of s that is not white space. */
char *strim(char *s);
/* True when s begins with prefix. */
bool strstarts(const char *s, const char *prefix);
/* The index of string in array; -EINVAL: array does not have it. */
int match_string(const char *const *array, size_t n, const char *string);
/* The first byte in s that differs from byte, or NULL. */
void *memchr_inv(const void *s, int byte, size_t n);
