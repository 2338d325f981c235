/*
 * The information from the boot loader, in one structure for all boot protocols.
 *
 * x86_64_start_kernel() calls the parser of the loader's protocol, which fills it before
 * start_kernel(). Later it is constant. The structures of the loader are not needed afterwards:
 * their memory is ordinary usable RAM.
 */
#pragma once

#include "kernel/types.h"

#define BOOT_MEMORY_REGIONS 128
#define BOOT_MODULES        8
#define BOOT_CMDLINE_SIZE   2048

/*
 * The types of the E820 map of the BIOS (ACPI specification 6.4, table 15.4). Other types are kept.
 */
enum memory_region_type {
	MEMORY_USABLE = 1,
	MEMORY_RESERVED = 2,
	MEMORY_ACPI = 3, /* ACPI tables: free RAM after the kernel has read them */
	MEMORY_NVS = 4,
	MEMORY_UNUSABLE = 5,
};

struct memory_region {
	u64 base; /* physical, in bytes */
	u64 size; /* never 0; base + size does not wrap */
	u32 type;
};

struct boot_module {
	u64 start, end; /* physical, in bytes; the memory map does not exclude it, so the kernel
			   must reserve it */
	char cmdline[64];
};

struct boot_info {
	const char *protocol; /* "multiboot2" or "PVH"; NULL: neither */
	char loader[64];      /* "GRUB 2.06"; "": unknown */
	const char *problem;  /* the first error in the information, or NULL */
	char cmdline[BOOT_CMDLINE_SIZE];
	/*
	 * Sorted, without overlaps, neighbours of one type joined. Addresses outside all regions
	 * are holes.
	 */
	struct memory_region memory[BOOT_MEMORY_REGIONS];
	unsigned memory_count;
	u8 rsdp[36];   /* a copy of the ACPI root pointer; the parsers do not verify its checksum */
	u32 rsdp_size; /* 0 (no root pointer), 20 (ACPI 1.0) or 36 */
	struct boot_module modules[BOOT_MODULES];
	unsigned module_count;
};

extern struct boot_info boot_info;

/*
 * Gives a parser size bytes of physical memory at phys. The pointer is valid until the parser
 * returns. NULL: the bytes cannot be read. Host tests pass a function of their own.
 */
typedef const void *(*boot_read_fn)(u64 phys, size_t size);

/*
 * Fill *info, zeroed by the caller, from the structure at physical address phys. They depend only
 * on the bytes from read(), and trust none of them. 0; -EINVAL: nothing can be used. Parts with
 * smaller errors are ignored, and info->problem names the first error.
 */
int boot_info_parse_multiboot2(struct boot_info *info, boot_read_fn read, u64 phys);
int boot_info_parse_pvh(struct boot_info *info, boot_read_fn read, u64 phys);

/* ---- for the parsers ---- */
void boot_info_problem(struct boot_info *info, const char *what);
void boot_info_add_memory(struct boot_info *info, u64 base, u64 size, u32 type);
void boot_info_add_module(struct boot_info *info, u64 start, u64 end, const char *cmdline,
			  size_t cmdline_size);
/* Copies a string of at most src_size bytes, with or without a NUL. False: it was cut. */
bool boot_info_copy_string(char *dst, size_t dst_size, const char *src, size_t src_size);
/*
 * Sorts the map and resolves overlaps: the more restrictive type wins. Call it after the last add.
 */
void boot_info_finish_memory(struct boot_info *info);
