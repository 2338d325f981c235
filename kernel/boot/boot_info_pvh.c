/*
 * Parses the information of a PVH loader (xen/include/public/arch-x86/hvm/start_info.h). Runs on
 * the host, too.
 */
#include "kernel/boot/boot_info.h"
#include "kernel/compiler.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define START_INFO_MAGIC 0x336ec578
#define ENTRIES_MAX      4096 /* no firmware has so many */

struct hvm_start_info {
	u32 magic;
	u32 version; /* 1: with the memory map */
	u32 flags;
	u32 nr_modules;
	u64 modlist_paddr;
	u64 cmdline_paddr;
	u64 rsdp_paddr;
	/* version 1 */
	u64 memmap_paddr;
	u32 memmap_entries;
	u32 reserved;
};
#define START_INFO_SIZE_V0 offsetof(struct hvm_start_info, memmap_paddr)

struct hvm_modlist_entry {
	u64 paddr, size, cmdline_paddr, reserved;
};

struct hvm_memmap_table_entry {
	u64 addr, size;
	u32 type, reserved; /* E820 types */
};

/* Copies a string from physical memory, a page at a time, because its length is unknown. */
static bool __init copy_string_at(char *dst, size_t dst_size, boot_read_fn read, u64 phys)
{
	size_t n = 0;

	while (n + 1 < dst_size) {
		size_t chunk = min(dst_size - 1 - n, (size_t)(4096 - (phys + n) % 4096));
		const char *src = read(phys + n, chunk);

		if (!src)
			break;
		for (size_t i = 0; i < chunk; i++) {
			dst[n] = src[i];
			if (!src[i])
				return true;
			n++;
		}
	}
	dst[n] = '\0';
	return false;
}

static void __init parse_modules(struct boot_info *info, boot_read_fn read,
				 const struct hvm_start_info *start)
{
	for (u32 i = 0; i < start->nr_modules && i <= BOOT_MODULES; i++) {
		char cmdline[sizeof(info->modules[0].cmdline)] = "";
		struct hvm_modlist_entry entry;
		const void *at = read(start->modlist_paddr + i * sizeof(entry), sizeof(entry));

		if (!at) {
			boot_info_problem(info, "PVH: the list of modules cannot be read");
			return;
		}
		memcpy(&entry, at, sizeof(entry));
		if (entry.cmdline_paddr &&
		    !copy_string_at(cmdline, sizeof(cmdline), read, entry.cmdline_paddr))
			boot_info_problem(info, "the command line of a module is too long");
		boot_info_add_module(info, entry.paddr, entry.paddr + entry.size, cmdline,
				     sizeof(cmdline));
	}
}

static void __init parse_memory_map(struct boot_info *info, boot_read_fn read,
				    const struct hvm_start_info *start)
{
	if (start->memmap_entries > ENTRIES_MAX)
		boot_info_problem(info, "PVH: the memory map is too long");
	for (u32 i = 0; i < min(start->memmap_entries, (u32)ENTRIES_MAX); i++) {
		struct hvm_memmap_table_entry entry;
		const void *at = read(start->memmap_paddr + i * sizeof(entry), sizeof(entry));

		if (!at) {
			boot_info_problem(info, "PVH: the memory map cannot be read");
			return;
		}
		memcpy(&entry, at, sizeof(entry));
		boot_info_add_memory(info, entry.addr, entry.size, entry.type);
	}
}

/* The first 20 bytes have the revision. From ACPI 2.0 on the structure has 36 bytes. */
static void __init parse_rsdp(struct boot_info *info, boot_read_fn read, u64 phys)
{
	const u8 *rsdp = read(phys, 20);
	u32 size = rsdp && rsdp[15] >= 2 ? 36 : 20;

	if (rsdp)
		rsdp = read(phys, size);
	if (!rsdp) {
		boot_info_problem(info, "PVH: the RSDP cannot be read");
		return;
	}
	memcpy(info->rsdp, rsdp, size);
	info->rsdp_size = size;
}

int __init boot_info_parse_pvh(struct boot_info *info, boot_read_fn read, u64 phys)
{
	const void *at = read(phys, START_INFO_SIZE_V0);
	struct hvm_start_info start = { 0 };

	info->protocol = "PVH";
	if (at)
		memcpy(&start, at, START_INFO_SIZE_V0);
	if (start.magic != START_INFO_MAGIC || start.version < 1 ||
	    !(at = read(phys, sizeof(start)))) {
		boot_info_problem(info, "PVH: the start information is damaged; "
					"QEMU does so with a long command line");
		return -EINVAL;
	}
	memcpy(&start, at, sizeof(start));
	if (start.cmdline_paddr &&
	    !copy_string_at(info->cmdline, sizeof(info->cmdline), read, start.cmdline_paddr))
		boot_info_problem(info, "the command line is too long or cannot be read");
	if (start.rsdp_paddr)
		parse_rsdp(info, read, start.rsdp_paddr);
	parse_modules(info, read, &start);
	parse_memory_map(info, read, &start);
	boot_info_finish_memory(info);
	return info->memory_count ? 0 : -EINVAL;
}
