/* CPUID for host programs: the program that asks also has the answers. */
#pragma once

#include "kernel/types.h"

void cpuid(u32 leaf, u32 subleaf, u32 *a, u32 *b, u32 *c, u32 *d);
