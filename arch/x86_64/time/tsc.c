/*
 * Time from the TSC, and the measurement of its frequency.
 *
 * CPUID may give the frequency (leaves 15h and 16h). Otherwise the TSC is measured against a clock
 * of known frequency, the HPET or the 8254: two points, each a read of the clock between two reads
 * of the TSC. The distance between the two TSC reads is the maximum error of the point. So a point
 * that the host interrupted is recognized and taken again. The measurement ends when the errors of
 * both points are small compared with the time between the points. A third point, when the boot has
 * used some milliseconds for other work, refines it.
 */
#include "arch/time/tsc.h"

#include "arch/irq/apic.h"
#include "arch/time/clock.h"
#include "arch/mm/pgtable.h"
#include "arch/cpu/io.h"
#include "arch/cpu/processor.h"
#include "arch/cpu/special_insns.h"
#include "kernel/acpi/acpi.h"
#include "kernel/export.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"

#define NS_SHIFT           32 /* ns = tsc * tsc_ns_mult >> NS_SHIFT */
#define POINT_TRIES        5
#define PPM_WANTED         500U  /* the measurement ends when its error is at most this */
#define PPM_AGREE          5000U /* two measurements agree if they differ by less */
#define MEASURE_TRIES      10
#define FS_PER_MS          1000000000000ULL
#define CALIBRATION_MAX_MS 10U
#define CLOCK_READS        10000U /* a running clock changes within that many reads of 100 ns */

/* IA-PC HPET specification 1.0a, 2.3: period in fs in the upper half */
#define HPET_CAPABILITIES 0x000
#define HPET_CONFIG       0x010
#define HPET_COUNTER      0x0f0
#define HPET_ENABLE       1U
#define HPET_MIN_PERIOD   100000U    /* fs, 10 GHz: no clock is faster */
#define HPET_MAX_PERIOD   100000000U /* fs, section 2.3.4 */
#define HPET_SIZE         0x400

#define PIT_FREQUENCY 1193182U
#define PIT_CHANNEL2  0x42
#define PIT_COMMAND   0x43
#define PIT_MODE0_CH2 0xb0 /* channel 2, low byte before high byte, one count down */
#define PIT_LATCH_CH2 0x80
#define PIT_GATE_PORT 0x61
#define PIT_GATE      0x01
#define PIT_SPEAKER   0x02

u32 tsc_khz;
u64 tsc_ns_mult;
u64 tsc_base; /* the TSC at time 0 of the kernel */

/* A reference clock that counts up. The period is in femtoseconds. */
struct reference_clock {
	const char *name;
	u64 (*read)(void);
	u64 period_fs;
	u64 mask;
};

struct sample {
	u64 tsc; /* the middle of the two TSC reads */
	u64 clock;
	u64 uncertainty; /* TSC ticks between the two reads */
};

static volatile u32 *hpet; /* NULL: none. Only used until time_refine() */

/* Returns a * b / c with a 128-bit product. The quotient must fit in 64 bits. */
static u64 mul_div(u64 a, u64 b, u64 c)
{
	u64 quotient, remainder;

	__asm__("mulq %3\n\tdivq %4"
		: "=a"(quotient), "=&d"(remainder)
		: "a"(a), "rm"(b), "r"(c)
		: "cc");
	return quotient;
}

static u64 tsc_to_ns(u64 tsc_delta)
{
	return (u64)(((unsigned __int128)tsc_delta * tsc_ns_mult) >> NS_SHIFT);
}

ktime_t ktime_get(void)
{
	return arch_ktime();
}
EXPORT_SYMBOL(ktime_get);

u64 tsc_at(ktime_t time)
{
	return tsc_base + mul_div(min(time, TSC_AT_MAX), tsc_khz, NSEC_PER_MSEC) + 1;
}

static void ndelay(u64 ns)
{
	u64 start = rdtsc();

	while (tsc_to_ns(rdtsc() - start) < ns)
		cpu_relax();
}

void udelay(u64 us)
{
	ndelay(us * NSEC_PER_USEC);
}
EXPORT_SYMBOL(udelay);

/*
 * Two calls in a loop are a few microseconds apart, even in an emulator. Time beyond this limit
 * belonged to the host, an interrupt or another task.
 */
#define RUNNING_STEP_MAX (100 * NSEC_PER_USEC)

void running_time_start(struct running_time *time)
{
	*time = (struct running_time){ .last = ktime_get() };
}

u64 running_time_elapsed(struct running_time *time)
{
	ktime_t now = ktime_get();

	time->elapsed += min(now - time->last, RUNNING_STEP_MAX);
	time->last = now;
	return time->elapsed;
}

static u64 __init hpet_read(void)
{
	return hpet[HPET_COUNTER / 4];
}

/* Tests that the clock runs. A measurement against a stopped clock would never end. */
static bool __init counts(const struct reference_clock *clock)
{
	u64 first = clock->read();

	for (unsigned i = 0; i < CLOCK_READS; i++)
		if (clock->read() != first)
			return true;
	return false;
}

static bool __init hpet_open(struct reference_clock *clock)
{
	u32 period;

	if (!acpi_info.have_hpet)
		return false;
	hpet = fixmap_device(acpi_info.hpet_address, HPET_SIZE);
	period = hpet ? hpet[HPET_CAPABILITIES / 4 + 1] : 0;
	if (period >= HPET_MIN_PERIOD && period <= HPET_MAX_PERIOD) {
		hpet[HPET_CONFIG / 4] |= HPET_ENABLE;
		*clock = (struct reference_clock){ "HPET", hpet_read, period, 0xffffffff };
		if (counts(clock))
			return true;
	}
	pr_warn("tsc: no HPET counts at 0x%lx\n", acpi_info.hpet_address);
	return false;
}

/* Channel 2 counts down once from 65535, which takes 55 ms. */
static u64 __init pit_read(void)
{
	u64 low;

	outb(PIT_COMMAND, PIT_LATCH_CH2);
	low = inb(PIT_CHANNEL2);
	return 0xffff - (low | (u64)inb(PIT_CHANNEL2) << 8);
}

static bool __init pit_open(struct reference_clock *clock)
{
	outb(PIT_GATE_PORT, (u8)((inb(PIT_GATE_PORT) & ~PIT_SPEAKER) | PIT_GATE));
	outb(PIT_COMMAND, PIT_MODE0_CH2);
	outb(PIT_CHANNEL2, 0xff);
	outb(PIT_CHANNEL2, 0xff);
	*clock = (struct reference_clock){ "PIT", pit_read, FS_PER_MS * 1000 / PIT_FREQUENCY,
					   0xffff };
	return counts(clock);
}

/* What time_refine() needs of time_init(). */
static struct reference_clock clock __initdata;
static struct sample first_sample __initdata;
static bool khz_from_cpuid __initdata;

/* The frequency in kHz, from two points that lie less than one round of the clock apart. */
static u64 __init khz_between(const struct sample *start, const struct sample *end)
{
	u64 elapsed_fs = ((end->clock - start->clock) & clock.mask) * clock.period_fs;

	return elapsed_fs ? mul_div(max(end->tsc - start->tsc, 1UL), FS_PER_MS, elapsed_fs) : 0;
}

/* Takes a few points and keeps the one with the smallest distance between its two TSC reads. */
static void __init take_sample(struct sample *best)
{
	best->uncertainty = ~0ULL;
	for (unsigned i = 0; i < POINT_TRIES; i++) {
		u64 before = rdtsc();
		u64 value = clock.read();
		u64 after = rdtsc();

		if (after - before < best->uncertainty)
			*best = (struct sample){ before + (after - before) / 2, value,
						 after - before };
	}
}

struct measurement {
	struct sample start;
	u64 tsc_khz;
	u64 ppm; /* maximum error */
};

static void __init measure(struct measurement *m)
{
	struct sample end;
	u64 ticks;

	take_sample(&m->start);
	do {
		for (unsigned i = 0; i < 100; i++)
			cpu_relax();
		take_sample(&end);
		ticks = max(end.tsc - m->start.tsc, 1UL);
		m->ppm = (m->start.uncertainty + end.uncertainty) * 1000000 / ticks;
		m->tsc_khz = khz_between(&m->start, &end);
	} while (!m->tsc_khz || (m->ppm > PPM_WANTED && ticks < m->tsc_khz * CALIBRATION_MAX_MS));
}

static bool __init agree(u64 a, u64 b)
{
	return max(a, b) - min(a, b) <= max(a, b) / 1000 * PPM_AGREE / 1000;
}

/*
 * Measures until two measurements in a row agree. A host that stops this CPU at a bad moment spoils
 * one measurement (the 8254 wraps every 55 ms), but not two in the same way.
 */
static struct measurement __init measure_twice(void)
{
	struct measurement last, now;

	measure(&last);
	for (unsigned i = 0; i < MEASURE_TRIES; i++) {
		measure(&now);
		if (agree(last.tsc_khz, now.tsc_khz))
			return now.ppm < last.ppm ? now : last;
		last = now;
	}
	pr_warn("tsc: measurements against the %s do not agree\n", clock.name);
	return last;
}

/* Returns the frequency from CPUID in kHz, or 0 (Intel SDM 3B 18.7.3). */
static u64 __init tsc_khz_from_cpuid(void)
{
	u32 max_leaf, denominator, numerator, crystal, base_mhz, b, c, d;

	cpuid(0, 0, &max_leaf, &b, &c, &d);
	if (max_leaf < 0x15)
		return 0;
	cpuid(0x15, 0, &denominator, &numerator, &crystal, &d);
	if (denominator && numerator && crystal)
		return (u64)crystal * numerator / denominator / 1000;
	if (max_leaf < 0x16)
		return 0;
	cpuid(0x16, 0, &base_mhz, &b, &c, &d);
	return (u64)(base_mhz & 0xffff) * 1000;
}

/* From now on, khz. The time of the kernel goes on where it is. */
static void __init set_tsc_khz(u64 khz)
{
	u64 now = rdtsc(), base = now - mul_div(tsc_to_ns(now - tsc_base), khz, NSEC_PER_MSEC);

	tsc_khz = (u32)khz;
	tsc_ns_mult = (NSEC_PER_MSEC << NS_SHIFT) / khz;
	tsc_base = base;
}

void __init time_init(void)
{
	u64 khz = tsc_khz_from_cpuid();
	struct measurement m;

	if (!hpet_open(&clock) && !pit_open(&clock))
		panic("No clock to measure the TSC against: neither HPET nor PIT counts");
	local_apic_timer_start_count();
	m = measure_twice();
	first_sample = m.start;
	/*
	 * A correct value in CPUID is exact, but an emulator may show the value of another machine.
	 */
	khz_from_cpuid = agree(khz, m.tsc_khz);
	if (!khz_from_cpuid)
		khz = m.tsc_khz;
	set_tsc_khz(khz);
	pr_info("tsc: %lu.%03lu MHz by %s\n", khz / 1000, khz % 1000,
		khz_from_cpuid ? "CPUID" : clock.name);
}

void __init time_refine(void)
{
	struct sample end;
	u64 khz;

	take_sample(&end);
	khz = khz_between(&first_sample, &end);
	/*
	 * They do not agree if the clock has wrapped or the host has stopped this CPU between them.
	 */
	if (!khz_from_cpuid && agree(khz, tsc_khz)) {
		set_tsc_khz(khz);
		pr_info("tsc: %lu.%03lu MHz by %s, refined\n", khz / 1000, khz % 1000, clock.name);
	}
}
