/*
 * The one-shot timer of the local APIC: TSC deadline mode if the CPU has it, else count-down mode.
 *
 * An interrupt that comes before its event is due finds nothing to do and programs the rest: each
 * tick would cost two interrupts. So all roundings here make the counter late, never early.
 */
#include "arch/irq/apic.h"
#include "arch/time/clock.h"
#include "arch/boot/cpuinfo.h"
#include "arch/cpu/msr.h"
#include "arch/time/tsc.h"
#include "arch/irq/vectors.h"
#include "kernel/time/ktime.h"

#define TICKS_SHIFT 24 /* ticks = ns * ticks_mult >> TICKS_SHIFT */
#define MAX_TICKS   0xffffffffU
#define POINT_TRIES 5

/* A count, and the TSC before and after it was read. */
struct timer_point {
	u64 before, after;
	u32 ticks;
};

static struct timer_point start_point __initdata;
static bool tsc_deadline;
static u64 ticks_mult; /* 0: the frequency is not known */
/*
 * An event further away is programmed in steps: the handler finds nothing due and programs the next
 * step.
 */
static u64 max_delta_ns;

/* Reads a few times, and keeps the read that took the shortest time. */
static struct timer_point __init read_count(void)
{
	struct timer_point best = { 0, ~0ULL, 0 };

	for (unsigned i = 0; i < POINT_TRIES; i++) {
		struct timer_point point = { .before = rdtsc() };

		point.ticks = MAX_TICKS - apic_read(APIC_TMCCT);
		point.after = rdtsc();
		if (point.after - point.before < best.after - best.before)
			best = point;
	}
	return best;
}

void __init local_apic_timer_start_count(void)
{
	apic_write(APIC_TDCR, APIC_TDR_DIV_16);
	apic_write(APIC_LVTT, APIC_LVT_MASKED | LOCAL_TIMER_VECTOR);
	apic_write(APIC_TMICT, MAX_TICKS);
	start_point = read_count();
}

u64 __init local_apic_timer_calibrate(void)
{
	struct timer_point end = read_count();
	u64 ns = ((unsigned __int128)(end.before - start_point.after) * tsc_ns_mult) >> 32;
	u64 ticks = end.ticks - start_point.ticks + 1;

	ticks_mult = (ticks << TICKS_SHIFT) / ns + 1;
	max_delta_ns = ((u64)(MAX_TICKS - 1) << TICKS_SHIFT) / ticks_mult;
	return ticks_mult * NSEC_PER_MSEC >> TICKS_SHIFT;
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
	apic_write(APIC_TMICT, (u32)ticks + 1);
}
