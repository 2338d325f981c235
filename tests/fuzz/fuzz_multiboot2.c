/*
 * The information from GRUB: any bytes give a valid boot_info or an error.
 * sources: kernel/boot/boot_info.c kernel/boot/boot_info_multiboot2.c
 */
#include "boot_info_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return check_boot_info(boot_info_parse_multiboot2, data, size);
}
