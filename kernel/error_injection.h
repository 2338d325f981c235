/*
 * Functions in which an error may be injected: trace/inject/ makes them return at once, as if they
 * had failed. A function is marked only if all its callers handle the error, and if it has no
 * effect before the error: it must fail as a whole.
 *
 * ALLOW_ERROR_INJECTION(map_kernel_page, ERRNO) stands behind the function. System calls are marked
 * by SYSCALL_DEFINEn(). Names and kinds are Linux's.
 */
#pragma once

#include "kernel/linker_table.h"
#include "kernel/types.h"

/* What a function returns when it fails. */
enum error_injection_type {
	EI_ETYPE_NULL,       /* NULL */
	EI_ETYPE_ERRNO,      /* a negative errno, as int or long */
	EI_ETYPE_ERRNO_NULL, /* an ERR_PTR or NULL */
	EI_ETYPE_TRUE,       /* true */
};

struct error_injection_entry {
	const void *function;
	u64 type; /* enum error_injection_type */
};

#define ALLOW_ERROR_INJECTION(name, kind)                                                          \
	static const struct error_injection_entry error_injection_##name LINKER_TABLE_ENTRY(       \
		rodata, error_injections, #name) = { (const void *)name, EI_ETYPE_##kind }
