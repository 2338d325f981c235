/* Parses the bytes of the fuzzer as boot information, and checks the guarantees of kernel/boot/boot_info.h. */
#pragma once

#include "check.h"
#include "kernel/boot/boot_info.h"
#include "memory.h"

static const void *read_memory(u64 phys, size_t size)
{
	return memory_read(phys, size);
}

static int check_boot_info(int (*parse)(struct boot_info *, boot_read_fn, u64), const uint8_t *data,
			   size_t size)
{
	struct boot_info *info = calloc(1, sizeof(*info));
	int error;

	if (!info)
		abort();
	memory_set(data, size);
	error = parse(info, read_memory, MEMORY_BASE);
	CHECK(error <= 0);
	CHECK(info->memory_count <= BOOT_MEMORY_REGIONS);
	CHECK(info->module_count <= BOOT_MODULES);
	CHECK(memchr(info->cmdline, 0, sizeof(info->cmdline)));
	CHECK(memchr(info->loader, 0, sizeof(info->loader)));
	CHECK(info->rsdp_size == 0 || info->rsdp_size == 20 || info->rsdp_size == 36);
	for (unsigned i = 0; !error && i < info->memory_count; i++) {
		const struct memory_region *r = &info->memory[i];

		CHECK(r->size && r->base + (r->size - 1) >= r->base);
		CHECK(!i || r[-1].base + r[-1].size <= r->base);
		CHECK(!i || r[-1].base + r[-1].size != r->base || r[-1].type != r->type);
	}
	for (unsigned i = 0; !error && i < info->module_count; i++)
		CHECK(info->modules[i].start <= info->modules[i].end &&
		      memchr(info->modules[i].cmdline, 0, sizeof(info->modules[i].cmdline)));
	memory_free();
	free(info);
	return 0;
}
