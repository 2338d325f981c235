/* Time stamps of the stages of the boot. */
#include "kernel/boot/boot_time.h"
#include "arch/time/clock.h"

u64 boot_stage_tsc[BOOT_STAGES];

void boot_stamp(enum boot_stage stage)
{
	if (unlikely(!boot_stage_tsc[stage]))
		boot_stage_tsc[stage] = arch_cycles();
}
