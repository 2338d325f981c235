/*
 * Parses the information of a multiboot2 loader (Multiboot2 specification 2.0, 3.6). Runs on the
 * host, too.
 */
#include "kernel/boot/boot_info.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define INFO_SIZE_MAX (4U << 20) /* GRUB needs a few KiB */

enum tag_type {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER_NAME = 2,
	TAG_MODULE = 3,
	TAG_MEMORY_MAP = 6,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
};

struct tag {
	u32 type;
	u32 size; /* without the padding to 8 bytes */
};

struct module_tag {
	struct tag tag;
	u32 start, end;
	char cmdline[];
};

struct memory_map_tag {
	struct tag tag;
	u32 entry_size, entry_version;
};

struct memory_map_entry {
	u64 base, size;
	u32 type, reserved;
};

/*
 * Tags should be aligned to 8 bytes, but a loader may have an error. So everything is copied out.
 */

static void __init parse_memory_map(struct boot_info *info, const u8 *at, u32 size)
{
	struct memory_map_tag map;
	struct memory_map_entry entry;

	if (size < sizeof(map)) {
		boot_info_problem(info, "multiboot2: the memory map is cut short");
		return;
	}
	memcpy(&map, at, sizeof(map));
	if (map.entry_size < sizeof(entry)) {
		boot_info_problem(info, "multiboot2: memory map entries are too small");
		return;
	}
	for (u32 offset = sizeof(map); size - offset >= map.entry_size; offset += map.entry_size) {
		memcpy(&entry, at + offset, sizeof(entry));
		boot_info_add_memory(info, entry.base, entry.size, entry.type);
	}
}

static void __init parse_module(struct boot_info *info, const u8 *at, u32 size)
{
	struct module_tag module;

	if (size < sizeof(module)) {
		boot_info_problem(info, "multiboot2: a module is cut short");
		return;
	}
	memcpy(&module, at, sizeof(module));
	boot_info_add_module(info, module.start, module.end, (const char *)at + sizeof(module),
			     size - sizeof(module));
}

static void __init parse_rsdp(struct boot_info *info, const u8 *at, u32 size, u32 rsdp_size)
{
	if (size - sizeof(struct tag) < rsdp_size) {
		boot_info_problem(info, "multiboot2: the RSDP is cut short");
		return;
	}
	if (rsdp_size < info->rsdp_size)
		return; /* the newer RSDP is already stored */
	memcpy(info->rsdp, at + sizeof(struct tag), rsdp_size);
	info->rsdp_size = rsdp_size;
}

static void __init parse_tag(struct boot_info *info, const u8 *at, const struct tag *tag)
{
	const char *text = (const char *)at + sizeof(*tag);
	size_t text_size = tag->size - sizeof(*tag);

	switch (tag->type) {
	case TAG_CMDLINE:
		if (!boot_info_copy_string(info->cmdline, sizeof(info->cmdline), text, text_size))
			boot_info_problem(info, "the command line is too long");
		break;
	case TAG_LOADER_NAME:
		boot_info_copy_string(info->loader, sizeof(info->loader), text, text_size);
		break;
	case TAG_MODULE:
		parse_module(info, at, tag->size);
		break;
	case TAG_MEMORY_MAP:
		parse_memory_map(info, at, tag->size);
		break;
	case TAG_RSDP_OLD:
		parse_rsdp(info, at, tag->size, 20);
		break;
	case TAG_RSDP_NEW:
		parse_rsdp(info, at, tag->size, 36);
		break;
	}
}

int __init boot_info_parse_multiboot2(struct boot_info *info, boot_read_fn read, u64 phys)
{
	u32 offset = 2 * sizeof(u32); /* behind the total size and a reserved word */
	const u8 *base = read(phys, offset);
	u32 total_size = 0;

	info->protocol = "multiboot2";
	if (base)
		memcpy(&total_size, base, sizeof(total_size));
	if (total_size < offset || total_size > INFO_SIZE_MAX || !(base = read(phys, total_size))) {
		boot_info_problem(info, "multiboot2: the information cannot be read");
		return -EINVAL;
	}
	for (;;) {
		struct tag tag;

		if (total_size - offset < sizeof(tag)) {
			boot_info_problem(info, "multiboot2: the end tag is missing");
			break;
		}
		memcpy(&tag, base + offset, sizeof(tag));
		if (tag.type == TAG_END)
			break;
		if (tag.size < sizeof(tag) || tag.size > total_size - offset) {
			boot_info_problem(info, "multiboot2: a tag does not fit");
			break;
		}
		parse_tag(info, base + offset, &tag);
		offset = min(total_size, ALIGN(offset + tag.size, 8));
	}
	boot_info_finish_memory(info);
	return info->memory_count ? 0 : -EINVAL;
}
