/* What the auxiliary vector of a program says about the machine. */
#pragma once

#include "kernel/types.h"

u64 arch_hwcap(void); /* AT_HWCAP: CPUID.1:EDX */
