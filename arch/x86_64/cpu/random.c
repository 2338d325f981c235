/* RDSEED and RDRAND (Intel SDM 1, 7.3.17). */
#include "arch/cpu/random.h"

#include "arch/boot/cpuinfo.h"

#define RETRIES 10 /* the SDM's recommendation for RDRAND */

bool arch_get_random(u64 *value)
{
	bool ok = false;

	for (unsigned i = 0; !ok && i < RETRIES && cpu_has(X86_FEATURE_RDSEED); i++)
		__asm__ __volatile__("rdseed %0" : "=r"(*value), "=@ccc"(ok));
	for (unsigned i = 0; !ok && i < RETRIES && cpu_has(X86_FEATURE_RDRAND); i++)
		__asm__ __volatile__("rdrand %0" : "=r"(*value), "=@ccc"(ok));
	return ok;
}
