/* The page [vvar]: what the kernel tells the vDSO. The kernel writes it, each program reads it. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"

#define VVAR_SIZE 4096 /* [vvar] lies directly below [vdso] */

/* The numbers of clocks for clock_gettime(2). */
#define CLOCK_REALTIME         0
#define CLOCK_MONOTONIC        1
#define CLOCK_MONOTONIC_RAW    4
#define CLOCK_REALTIME_COARSE  5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME         7
#define CLOCK_TAI              11
#define VDSO_CLOCKS            12

/* The clocks that are the time since the boot plus an offset. */
#define VDSO_CLOCK_BITS                                                                            \
	(BIT(CLOCK_REALTIME) | BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW) |                   \
	 BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_MONOTONIC_COARSE) | BIT(CLOCK_BOOTTIME) |          \
	 BIT(CLOCK_TAI))
struct vdso_data {
	/* ns since the boot = (TSC - tsc_base) * tsc_ns_mult >> 32. Constant when programs run. */
	u64 tsc_base, tsc_ns_mult;
	u64 offset[VDSO_CLOCKS]; /* ns: each clock - the time since the boot */
};
