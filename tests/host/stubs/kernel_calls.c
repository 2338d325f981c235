/*
 * What kernel code may always call, for the programs of the labs that compile it on the host. They are weak: a program
 * that wants to know of a call defines the function itself.
 */
#include "kernel/bug.h"
#include "kernel/compiler.h"
#include "kernel/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SOH '\001' /* before the level of a message */

int printk(const char *fmt, ...);
void panic(const char *fmt, ...);
void dump_stack(void);
void msleep(unsigned ms);
void udelay(u64 us);

static int print(const char *fmt, va_list args)
{
	return vfprintf(stderr, fmt[0] == SOH ? fmt + 2 : fmt, args);
}

__attribute__((weak)) int printk(const char *fmt, ...)
{
	va_list args;
	int written;

	va_start(args, fmt);
	written = print(fmt, args);
	va_end(args);
	return written;
}

__attribute__((weak)) void panic(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print(fmt, args);
	va_end(args);
	abort();
}

__attribute__((weak)) void report_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "kernel BUG at %s:%d! (%s)\n", file, line, what);
	abort();
}

__attribute__((weak)) void report_warning(const char *file, int line, const char *what)
{
	fprintf(stderr, "WARNING: %s:%d: %s\n", file, line, what);
}

__attribute__((weak)) void dump_stack(void)
{
}

__attribute__((weak)) void msleep(unsigned ms __unused)
{
}

__attribute__((weak)) void udelay(u64 us __unused)
{
}
