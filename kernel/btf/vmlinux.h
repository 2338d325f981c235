/* The bytes of the kernel's own BTF. Constant. */
#pragma once

#include "kernel/types.h"

extern const u8 __start_BTF[], __stop_BTF[], __stop_BTF_id[];

/* 0: the kernel was built without pahole. */
static inline size_t btf_vmlinux_size(void)
{
	return (size_t)(__stop_BTF - __start_BTF);
}

/*
 * The text behind it tells one kernel's BTF from that of another one. The types of a module
 * continue those of the kernel with the same text (scripts/btf).
 */
static inline size_t btf_vmlinux_id_size(void)
{
	return (size_t)(__stop_BTF_id - __stop_BTF);
}
