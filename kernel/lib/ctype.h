/* Character classes of ASCII; bytes above 0x7f belong to none. Any context. */
#pragma once

#include "kernel/compiler.h"

#ifdef NOP5_HOST
#include <ctype.h>
#else
static __always_inline bool isdigit(int c)
{
	return (unsigned)c - '0' < 10;
}

static __always_inline bool isupper(int c)
{
	return (unsigned)c - 'A' < 26;
}

static __always_inline bool islower(int c)
{
	return (unsigned)c - 'a' < 26;
}

static __always_inline bool isalpha(int c)
{
	return ((unsigned)c | 0x20) - 'a' < 26;
}

static __always_inline bool isalnum(int c)
{
	return isalpha(c) || isdigit(c);
}

static __always_inline bool isxdigit(int c)
{
	return isdigit(c) || ((unsigned)c | 0x20) - 'a' < 6;
}

static __always_inline bool isspace(int c)
{
	return c == ' ' || (unsigned)c - '\t' < 5;
}

static __always_inline bool isprint(int c)
{
	return (unsigned)c - 0x20 < 0x5f;
}

static __always_inline bool iscntrl(int c)
{
	return (unsigned)c < 0x20 || c == 0x7f;
}

static __always_inline int tolower(int c)
{
	return isupper(c) ? c | 0x20 : c;
}

static __always_inline int toupper(int c)
{
	return islower(c) ? c & ~0x20 : c;
}
#endif
