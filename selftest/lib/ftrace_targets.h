/* Functions for the tracing self-tests to trace. */
#pragma once

#include "kernel/compiler.h"

unsigned ftrace_target_add(unsigned a, unsigned b);
unsigned ftrace_target_multiply(unsigned a, unsigned b);
void ftrace_target_other(void);
/* Calls itself depth times. Returns depth. */
unsigned ftrace_target_recurse(unsigned depth);
/* Returns a value in two registers: high times 2^64 plus low. */
unsigned __int128 ftrace_target_wide(u64 low, u64 high);
/* Both return 0, unless a live patch has replaced both. */
unsigned ftrace_target_version(void);
unsigned ftrace_target_same_version(void);
/* Calls fn(arg). */
void ftrace_target_call(void (*fn)(void *arg), void *arg);

#define FTRACE_MANY 16 /* small functions: ftrace_many_0 .. ftrace_many_15 */
extern void (*const ftrace_many[FTRACE_MANY])(void);
/* The number of the function at ip; FTRACE_MANY: none of them. */
static inline unsigned ftrace_many_index(unsigned long ip)
{
	unsigned i = 0;

	while (i < FTRACE_MANY && (unsigned long)ftrace_many[i] != ip)
		i++;
	return i;
}
