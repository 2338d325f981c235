/* The types of modules in BTF: one copy for all who show or read them. See vmlinux.h. */
#include "kernel/btf/vmlinux.h"
#include "kernel/mm/vmalloc.h"

struct btf_module_data *btf_module_data_get(struct module *module)
{
	struct btf_module_data *data = module->btf_data;

	if (data) {
		atomic_inc(&data->refs);
		return data;
	}
	data = kvzalloc(sizeof(*data) + module->btf_size, GFP_KERNEL);
	if (!data)
		return NULL;
	atomic_set(&data->refs, 1);
	data->size = module->btf_size;
	memcpy(data->bytes, module->btf, data->size);
	module->btf_data = data;
	return data;
}

void btf_module_data_put(struct btf_module_data *data)
{
	if (atomic_dec_and_test(&data->refs))
		kvfree(data);
}
