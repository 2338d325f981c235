/* Text of programs: bpf_trace_printk() and its kin. format.c */
#pragma once

#include "kernel/types.h"

#define BPF_FORMAT_ARGS 12 /* of a format at most */

/*
 * Prints to `to`, at most size bytes with the NUL. fmt has fmt_size bytes; a NUL ends it. It may
 * change meanwhile: then the text is of the old format, of the new one, or a mixture. Returns the
 * length of the whole text, as snprintf(), or -EINVAL: the format or the number of arguments is
 * wrong. Strings are read carefully, and are cut where they do not fit. Any context.
 *
 *	%d %i %u %x %X		32 bits; with l or ll: 64 bits; flags 0 - + space, a width
 *	%c %%
 *	%s %pks %pus		a string at an address; of the kernel; of the program
 *	%p %pK %px		a pointer: a hash of it, the same, the address
 *	%ps %pS %pB		the symbol of an address
 */
s64 bpf_format(char *to, size_t size, const char *fmt, u32 fmt_size, const u64 *args, u32 nr_args);
