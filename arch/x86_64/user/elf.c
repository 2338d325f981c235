/* What the auxiliary vector of a program says about the machine. */
#include "arch/user/elf.h"

#include "arch/boot/cpuinfo.h"

u64 arch_hwcap(void)
{
	return cpu_data(0)->words[CPUID_1_EDX];
}
