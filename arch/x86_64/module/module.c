/* The relocations of modules (System V ABI AMD64, 4.4). The host compiles this file, too. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/elf.h"

enum {
	R_X86_64_NONE = 0,
	R_X86_64_64 = 1,
	R_X86_64_PC32 = 2,
	R_X86_64_PLT32 = 4,
	R_X86_64_32 = 10,
	R_X86_64_32S = 11,
	R_X86_64_PC64 = 24,
};

int arch_relocate(u8 *to, size_t room, unsigned long at, unsigned type, unsigned long value)
{
	static const u8 zero[8];
	size_t size = 4;
	bool fits = true;

	switch (type) {
	case R_X86_64_NONE:
		return 0;
	case R_X86_64_64:
		size = 8;
		break;
	case R_X86_64_PC64:
		value -= at;
		size = 8;
		break;
	case R_X86_64_32:
		fits = value == (u32)value;
		break;
	case R_X86_64_32S:
		fits = (long)value == (s32)value;
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32: /* all functions of the kernel are within reach: no table is needed */
		value -= at;
		fits = (long)value == (s32)value;
		break;
	default:
		return -ENOEXEC;
	}
	if (room < size || memcmp(to, zero, size))
		return -EINVAL;
	if (!fits)
		return -ERANGE;
	memcpy(to, &value, size);
	return 0;
}
