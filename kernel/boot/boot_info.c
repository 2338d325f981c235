/*
 * boot_info, and the functions that the parsers of both boot protocols share. Runs on the host,
 * too.
 */
#include "kernel/boot/boot_info.h"
#include "kernel/compiler.h"
#include "kernel/lib/string.h"

struct boot_info boot_info;

void __init boot_info_problem(struct boot_info *info, const char *what)
{
	if (!info->problem)
		info->problem = what;
}

bool __init boot_info_copy_string(char *dst, size_t dst_size, const char *src, size_t src_size)
{
	size_t n = 0;

	while (n < src_size && src[n]) {
		if (n + 1 == dst_size) {
			dst[n] = '\0';
			return false;
		}
		dst[n] = src[n];
		n++;
	}
	dst[n] = '\0';
	return true;
}

void __init boot_info_add_memory(struct boot_info *info, u64 base, u64 size, u32 type)
{
	if (base + size < base) {
		boot_info_problem(info, "a memory region wraps around");
		size = ~0ULL - base;
	}
	if (size == 0)
		return;
	if (info->memory_count == BOOT_MEMORY_REGIONS) {
		boot_info_problem(info, "too many memory regions");
		return;
	}
	info->memory[info->memory_count++] =
		(struct memory_region){ .base = base, .size = size, .type = type };
}

void __init boot_info_add_module(struct boot_info *info, u64 start, u64 end, const char *cmdline,
				 size_t cmdline_size)
{
	struct boot_module *module = &info->modules[info->module_count];

	if (start >= end) {
		boot_info_problem(info, "a module ends before it starts");
		return;
	}
	if (info->module_count == BOOT_MODULES) {
		boot_info_problem(info, "too many modules");
		return;
	}
	module->start = start;
	module->end = end;
	if (!boot_info_copy_string(module->cmdline, sizeof(module->cmdline), cmdline, cmdline_size))
		boot_info_problem(info, "the command line of a module is too long");
	info->module_count++;
}

/* If regions overlap, the more restrictive type wins. Unknown types count as reserved. */
static unsigned __init restrictiveness(u32 type)
{
	switch (type) {
	case MEMORY_USABLE:
		return 0;
	case MEMORY_ACPI:
		return 1;
	case MEMORY_NVS:
		return 2;
	case MEMORY_UNUSABLE:
		return 4;
	default:
		return 3;
	}
}

/*
 * Gives the type of the address at, and in *until the next start or end of a region. False: no
 * region covers at.
 */
static bool __init type_at(const struct memory_region *map, unsigned count, u64 at, u32 *type,
			   u64 *until)
{
	bool found = false;

	*until = ~0ULL;
	*type = 0;
	for (unsigned i = 0; i < count; i++) {
		u64 start = map[i].base, end = map[i].base + map[i].size;

		if (at < start)
			*until = min(*until, start);
		if (at < start || at >= end)
			continue;
		*until = min(*until, end);
		if (!found || restrictiveness(map[i].type) > restrictiveness(*type))
			*type = map[i].type;
		found = true;
	}
	return found;
}

/*
 * Walks from one start or end of a region to the next. The result may have more regions than fit.
 * The regions that do not fit are not used as memory, which is safe.
 */
void __init boot_info_finish_memory(struct boot_info *info)
{
	static struct memory_region map[BOOT_MEMORY_REGIONS] __initdata;
	struct memory_region *last = NULL;
	unsigned count = info->memory_count;
	u64 until;

	memcpy(map, info->memory, sizeof(map));
	info->memory_count = 0;
	for (u64 at = 0; at != ~0ULL; at = until) {
		u32 type;

		if (!type_at(map, count, at, &type, &until))
			continue;
		if (last && last->type == type && last->base + last->size == at) {
			last->size += until - at;
			continue;
		}
		boot_info_add_memory(info, at, until - at, type);
		if (info->memory_count)
			last = &info->memory[info->memory_count - 1];
	}
}
