/*
 * Formatted text into a buffer. Any context, NMI included.
 *
 * Conversions: %d %i %u %x %X %o %c %s %p %%, with the flags "-+ #0", width and precision (also *),
 * and the lengths hh h l ll z t j. After %p, as Linux's
 * Documentation/core-api/printk-formats.rst has it:
 *
 *	%p  %px	  the address, 16 hexadecimal digits
 *	%pS	  symbol+0x1/0x23
 *	%ps	  symbol
 *	%pB	  as %pS, for a return address
 *	%pe	  an error pointer by name, -ENOMEM; any other pointer as %p
 *	%*ph	  that many bytes in hexadecimal, with spaces between; %*phC with colons, %*phD
 *		  with dashes, %*phN with nothing
 *
 * A NULL string prints "(null)". There is no %n and no floating point.
 */
#pragma once

#include "kernel/compiler.h"

/*
 * Prints the symbol of an address into buf for the forms S, s and B of %p, and returns the length.
 * kernel/kallsyms.c defines it. An image without symbols has a default, which prints the address.
 * Any context.
 */
#define VSPRINTF_SYMBOL_MAX 208 /* bytes, with the NUL */
size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form);

#ifdef NOP5_HOST /* our own functions under other names, so that the C library keeps its own */
#include <stdio.h>
#define vsnprintf nop5_vsnprintf
#define snprintf  nop5_snprintf
#define sprintf   nop5_sprintf
#endif

/*
 * At most size bytes with the NUL, which is always there unless size is 0. snprintf() returns the
 * length that the whole text has; scnprintf() the length that stands in buf.
 */
__printf(3, 0) int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);
__printf(3, 4) int snprintf(char *buf, size_t size, const char *fmt, ...);
__printf(3, 0) int vscnprintf(char *buf, size_t size, const char *fmt, va_list args);
__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);
__printf(2, 3) int sprintf(char *buf, const char *fmt, ...);

/*
 * Printing in two steps. vbin_printf() stores the arguments in count words, in Linux's layout: each
 * number aligned to its size but to no more than a word, strings with their NUL as they stand at
 * this moment, and so what %pB and %*ph would print. It returns how many words all of them take,
 * which may be more than count: then not all are stored.
 * bstr_printf() prints them: buf, size and what is returned as for snprintf(). It reads nothing
 * beyond the words, whatever they hold.
 */
__printf(3, 0) size_t vbin_printf(u32 *words, size_t count, const char *fmt, va_list args);
__printf(3, 0) int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words,
			       size_t count);
