/*
 * What the boot loader told: one structure, whoever loaded us.
 *
 * x86_64_start_kernel() has it filled by the parser of the loader's protocol before start_kernel();
 * nobody writes it later. The loader's own structures are not needed afterwards: their memory is
 * ordinary usable RAM.
 */
#pragma once

#include "kernel/types.h"

#define BOOT_MEMORY_REGIONS 128
#define BOOT_MODULES        8
#define BOOT_CMDLINE_SIZE   2048

/* The types of the BIOS's E820 map (ACPI specification 6.4, table 15.4); others are kept. */
enum memory_region_type {
	MEMORY_USABLE = 1,
	MEMORY_RESERVED = 2,
	MEMORY_ACPI = 3, /* tables of ACPI: RAM that is free when they have been read */
	MEMORY_NVS = 4,
	MEMORY_UNUSABLE = 5,
};

struct memory_region {
	u64 base; /* physical, in bytes */
	u64 size; /* never 0; base + size does not wrap */
	u32 type;
};

struct boot_module {
	u64 start, end; /* physical, in bytes; not part of the memory map: reserve them */
	char cmdline[64];
};

struct boot_info {
	const char *protocol; /* "multiboot2" or "PVH"; NULL when neither */
	char loader[64];      /* "GRUB 2.06", "" when it did not say */
	const char *problem;  /* the first nonsense found in what the loader said, else NULL */
	char cmdline[BOOT_CMDLINE_SIZE];
	/* Sorted, without overlaps, neighbours of one type joined. What none covers is a hole. */
	struct memory_region memory[BOOT_MEMORY_REGIONS];
	unsigned memory_count;
	u8 rsdp[36];   /* a copy of ACPI's root pointer; its checksum is not verified here */
	u32 rsdp_size; /* 0 (none was given), 20 (ACPI 1.0) or 36 */
	struct boot_module modules[BOOT_MODULES];
	unsigned module_count;
};

extern struct boot_info boot_info;

/*
 * How a parser reads physical memory: a pointer to size bytes at phys, valid until the parser
 * returns, or NULL when they cannot be read. On the host, tests give bytes of their own.
 */
typedef const void *(*boot_read_fn)(u64 phys, size_t size);

/*
 * Fill *info, zeroed by the caller, from the structure at physical address phys. Pure functions of
 * what read() returns; they trust none of it. 0, or -EINVAL when nothing there can be used; lesser
 * nonsense is left out and named in info->problem.
 */
int boot_info_parse_multiboot2(struct boot_info *info, boot_read_fn read, u64 phys);
int boot_info_parse_pvh(struct boot_info *info, boot_read_fn read, u64 phys);

/* For the parsers (kernel/boot/boot_info.c). */
void boot_info_problem(struct boot_info *info, const char *what);
void boot_info_add_memory(struct boot_info *info, u64 base, u64 size, u32 type);
void boot_info_add_module(struct boot_info *info, u64 start, u64 end, const char *cmdline,
			  size_t cmdline_size);
/* Copy a string of at most src_size bytes, NUL within them or not; false when it was cut. */
bool boot_info_copy_string(char *dst, size_t dst_size, const char *src, size_t src_size);
/* Sort the map and resolve overlaps, the more restrictive type winning. After the last add. */
void boot_info_finish_memory(struct boot_info *info);
