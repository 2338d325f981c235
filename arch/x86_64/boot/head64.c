/* The first C function: reads the boot loader's information and starts the kernel. */
#include "kernel/boot/boot_info.h"
#include "kernel/compiler.h"
#include "kernel/init.h"

#define MULTIBOOT2_BOOTLOADER_MAGIC 0x36d76289
#define PVH_START_MAGIC             0x336ec578

#define DIRECT_MAP_BASE  0xffff888000000000UL
#define BOOT_DIRECT_SIZE (4ULL << 30) /* the part that boot/entry.asm maps, read-only */

void x86_64_start_kernel(u32 magic, u64 info_phys);

static const void *__init boot_read(u64 phys, size_t size)
{
	if (size > BOOT_DIRECT_SIZE || phys > BOOT_DIRECT_SIZE - size)
		return NULL;
	return (const void *)(DIRECT_MAP_BASE + phys);
}

/*
 * Called once by boot/entry.asm, which describes the state of the machine. magic names the boot
 * protocol, and so the structure at info_phys. Prints nothing: start_kernel() reports
 * boot_info.problem.
 */
void __init x86_64_start_kernel(u32 magic, u64 info_phys)
{
	if (magic == MULTIBOOT2_BOOTLOADER_MAGIC)
		boot_info_parse_multiboot2(&boot_info, boot_read, info_phys);
	else if (magic == PVH_START_MAGIC)
		boot_info_parse_pvh(&boot_info, boot_read, info_phys);
	else
		boot_info_problem(&boot_info, "loaded by neither multiboot2 nor PVH");
	start_kernel();
}
