/* Random numbers of the CPU. */
#pragma once

#include "kernel/types.h"

/* Gets 64 random bits from RDSEED or RDRAND. False: the CPU has none of them, or none ready. */
bool arch_get_random(u64 *value);
