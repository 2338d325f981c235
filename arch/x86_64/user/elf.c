/* What the auxiliary vector of a program says about the machine. */
#include "arch/user/elf.h"

#include "arch/boot/cpuinfo.h"

#define HWCAP2_FSGSBASE (1UL << 1) /* Linux: uapi/asm/hwcap2.h */

u64 arch_hwcap(void)
{
	return cpu_data(0)->words[CPUID_1_EDX];
}

u64 arch_hwcap2(void)
{
	return cpu_has(X86_FEATURE_FSGSBASE) ? HWCAP2_FSGSBASE : 0;
}
