/*
 * The one-shot timer of the local APIC: TSC deadline mode if the CPU has it, else count-down mode.
 */
#include "arch/apic.h"
#include "arch/cpuinfo.h"
#include "arch/msr.h"
#include "arch/tsc.h"
#include "arch/vectors.h"
#include "kernel/time/ktime.h"

#define TICKS_SHIFT 24 /* ticks = ns * ticks_mult >> TICKS_SHIFT */
#define MAX_TICKS   0xffffffffU

static bool tsc_deadline;
static u64 ticks_mult; /* 0: the frequency is not known */
/*
 * An event further away is programmed in steps: the handler finds nothing due and programs the next
 * step.
 */
static u64 max_delta_ns;

void __init local_apic_timer_start_count(void)
{
	apic_write(APIC_TDCR, APIC_TDR_DIV_16);
	apic_write(APIC_LVTT, APIC_LVT_MASKED | LOCAL_TIMER_VECTOR);
	apic_write(APIC_TMICT, MAX_TICKS);
}

u32 __init local_apic_timer_count(void)
{
	return MAX_TICKS - apic_read(APIC_TMCCT);
}

void __init local_apic_timer_set_frequency(u64 ticks_per_ms)
{
	ticks_mult = (ticks_per_ms << TICKS_SHIFT) / NSEC_PER_MSEC;
	max_delta_ns = MAX_TICKS / ticks_per_ms * NSEC_PER_MSEC;
}

void local_apic_timer_setup(void)
{
	tsc_deadline = cpu_has(X86_FEATURE_TSC_DEADLINE_TIMER);
	apic_write(APIC_TMICT, 0);
	if (tsc_deadline) {
		apic_write(APIC_LVTT, APIC_LVT_TSC_DEADLINE | LOCAL_TIMER_VECTOR);
		wrmsr_fence(); /* the mode changes before the first deadline is written */
		return;
	}
	apic_write(APIC_TDCR, APIC_TDR_DIV_16);
	apic_write(APIC_LVTT, LOCAL_TIMER_VECTOR);
}

void clockevents_program_event(ktime_t expires)
{
	ktime_t now;
	u64 delta, ticks;

	if (tsc_deadline) {
		wrmsr(MSR_TSC_DEADLINE, expires == KTIME_MAX ? 0 : tsc_at(expires));
		return;
	}
	if (expires == KTIME_MAX) {
		apic_write(APIC_TMICT, 0);
		return;
	}
	now = ktime_get();
	delta = expires > now ? min(expires - now, max_delta_ns) : 0;
	ticks = (u64)(((unsigned __int128)delta * ticks_mult) >> TICKS_SHIFT);
	apic_write(APIC_TMICT, ticks ? (u32)ticks : 1);
}
