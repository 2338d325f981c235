/*
 * Strings and blocks of memory: the C library's names and Linux's. Any context.
 *
 * On the host the C library has the first half itself; only what it lacks is ours there.
 */
#pragma once

#include "kernel/compiler.h"

#ifdef NOP5_HOST
#include <string.h>
#else
/* arch/string.asm. Regions of memcpy() must not overlap. */
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
char *strchrnul(const char *s, int c); /* the end of s when c does not occur */
char *strstr(const char *s, const char *what);
size_t strspn(const char *s, const char *accept);
size_t strcspn(const char *s, const char *reject);
char *strpbrk(const char *s, const char *accept);
/* Cut the next token off *s at a delimiter; *s moves behind it, to NULL after the last. */
char *strsep(char **s, const char *delimiters);
#endif

/* Copy at most size bytes with the NUL, which is always there: the length, or -E2BIG when cut. */
ssize_t strscpy(char *dst, const char *src, size_t size);
/* Append src to dst, which holds size bytes in all: as strscpy. */
ssize_t strscat(char *dst, const char *src, size_t size);
char *skip_spaces(const char *s);
/* Write a NUL over trailing white space; returns the first character that is not white space. */
char *strim(char *s);
/* True when s begins with prefix. */
bool strstarts(const char *s, const char *prefix);
/* The index of string in array, -EINVAL when it is not there. */
int match_string(const char *const *array, size_t n, const char *string);
/* The first byte that is not byte, or NULL. */
void *memchr_inv(const void *s, int byte, size_t n);
/*
 * Make bytes of \a \b \e \f \n \r \t \v \\, and of \0 with up to three octal digits, in place, as
 * POSIX's echo and echo -e do; what else follows a \ stays. The new length: there may be NULs in
 * it.
 */
size_t string_unescape_inplace(char *s);
/*
 * Cut s into words, which white space separates: how many, max at most. What follows the last one
 * is left out; those of words that are not found point to an empty string.
 */
unsigned split_words(char *s, const char *words[], unsigned max);
