/* The bytes of the kernel's own BTF, which are constant, and of its modules'. */
#pragma once

#include "kernel/atomic.h"
#include "kernel/lib/string.h"
#include "kernel/module_list.h"

extern const u8 __start_BTF[], __stop_BTF[], __start_BTF_id[], __stop_BTF_id[];

/* 0: the kernel was built without pahole. */
static inline size_t btf_vmlinux_size(void)
{
	return (size_t)(__stop_BTF - __start_BTF);
}

/*
 * Whether a module that comes has types, and they continue those of this kernel: then it has the
 * text of the section .BTF_id, which tells them from those of another kernel
 * (scripts/btf).
 */
static inline bool btf_module_has_types(const struct module *module)
{
	size_t size = (size_t)(__stop_BTF_id - __start_BTF_id);

	return module->btf && size && module->btf_id_size == size &&
	       !memcmp(module->btf_id, __start_BTF_id, size);
}

/* A copy of a module's types: the module's own go when it is LIVE. Constant but for refs. */
struct btf_module_data {
	atomic_t refs; /* [A] */
	size_t size;
	u8 bytes[];
};

/*
 * The copy, counted: all users have one. To be called while the module comes, by its loader. NULL:
 * no memory. put: task context, or a callback of RCU.
 */
struct btf_module_data *btf_module_data_get(struct module *module);
void btf_module_data_put(struct btf_module_data *data);
