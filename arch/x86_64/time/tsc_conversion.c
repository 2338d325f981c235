/* The clock of the kernel as programs compute it that read the TSC themselves. */
#include "arch/time/clock.h"

#define NS_SHIFT 32 /* of tsc_ns_mult */

void tsc_conversion(u32 *mult, u16 *shift, u64 *zero)
{
	u64 m = tsc_ns_mult, tsc = rdtsc();
	u16 s = NS_SHIFT;

	for (; m >> 32; s--)
		m >>= 1;
	*mult = (u32)m;
	*shift = s;
	/* Exact now: what m has lost counts from here on, and not from the start of the TSC. */
	*zero = (u64)((unsigned __int128)(tsc - tsc_base) * tsc_ns_mult >> NS_SHIFT) -
		(u64)((unsigned __int128)tsc * m >> s);
}
