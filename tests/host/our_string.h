/* Prototypes of the functions of kernel/lib/string.c, under the names of test_string.c. */
#pragma once

#include <stddef.h>

size_t our_strlen(const char *s);
size_t our_strnlen(const char *s, size_t max);
int our_strncmp(const char *a, const char *b, size_t n);
int our_strncasecmp(const char *a, const char *b, size_t n);
char *our_strchrnul(const char *s, int c);
char *our_strchr(const char *s, int c);
size_t our_strspn(const char *s, const char *accept);
size_t our_strcspn(const char *s, const char *reject);
char *our_strpbrk(const char *s, const char *accept);
