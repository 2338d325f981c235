/* What the auxiliary vector of a program says about the machine. */
#pragma once

#include "kernel/types.h"

u64 arch_hwcap(void);  /* AT_HWCAP: CPUID.1:EDX */
u64 arch_hwcap2(void); /* AT_HWCAP2: HWCAP2_FSGSBASE if programs may use RDFSBASE and its kin */
u64 arch_min_sigstack(void); /* AT_MINSIGSTKSZ: bytes of the largest signal frame */
