/*
 * Formatted text into a buffer. Any context, NMI included.
 *
 * Conversions: %d %i %u %x %X %o %c %s %p %%, with the flags "-+ #0", width and precision (also *),
 * and the lengths hh h l ll z t j. The forms of %p are those of Linux's
 * Documentation/core-api/printk-formats.rst:
 *
 *	%p  %px	  the address, 16 hexadecimal digits
 *	%pS	  symbol+0x1/0x23
 *	%ps	  symbol
 *	%pB	  as %pS, for a return address
 *	%pe	  the name of an error pointer, -ENOMEM; any other pointer as %p
 *	%*ph	  a number of bytes in hexadecimal, separated by spaces; %*phC: by colons, %*phD:
 *		  by dashes, %*phN: by nothing
 *
 * A NULL string prints "(null)". %n and floating point are not supported.
 */
#pragma once

#include "kernel/compiler.h"

/*
 * Prints the symbol of an address into buf for the forms S, s and B of %p, and returns the length.
 * kernel/kallsyms.c defines it. An image without symbols has a default, which prints the address.
 * Any context.
 */
#define VSPRINTF_SYMBOL_MAX 236 /* bytes, with the NUL */
size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form);

#ifdef NOP5_HOST /* the kernel's functions get other names, because the C library has functions    \
		    with these names */
#include <stdio.h>
#define vsnprintf nop5_vsnprintf
#define snprintf  nop5_snprintf
#define sprintf   nop5_sprintf
#endif

/*
 * Write at most size bytes with the NUL. They always write the NUL, unless size is 0. snprintf()
 * returns the length of the whole text, scnprintf() the length of the text in buf.
 */
__printf(3, 0) int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);
/* The same as vsnprintf(), but %p alone prints the number that show_pointer returns for it. */
__printf(3, 0) int vsnprintf_pointers(char *buf, size_t size, const char *fmt, va_list args,
				      unsigned long (*show_pointer)(unsigned long address));
__printf(3, 4) int snprintf(char *buf, size_t size, const char *fmt, ...);
__printf(3, 0) int vscnprintf(char *buf, size_t size, const char *fmt, va_list args);
__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);
__printf(2, 3) int sprintf(char *buf, const char *fmt, ...);

/*
 * Printing in two steps. vbin_printf() stores the arguments in count words, in Linux's layout. A
 * number is aligned to its size, at most to a word. Strings are copied with their NUL, and so is
 * the text of %pB and %*ph. Returns the number of words that all arguments need. If that is more
 * than count, some are not stored. bstr_printf() prints the stored arguments; buf, size and result
 * as for snprintf(). It never reads beyond the words, even if they hold nonsense.
 */
__printf(3, 0) size_t vbin_printf(u32 *words, size_t count, const char *fmt, va_list args);
__printf(3, 0) int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *words,
			       size_t count);
