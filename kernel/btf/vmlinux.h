/* The bytes of the kernel's own BTF. Constant. */
#pragma once

#include "kernel/types.h"

extern const u8 __start_BTF[], __stop_BTF[];

/* 0: the kernel was built without pahole. */
static inline size_t btf_vmlinux_size(void)
{
	return (size_t)(__stop_BTF - __start_BTF);
}
