/*
 * The vDSO: a shared library that the kernel maps into each program (vdso(7)). Its functions read
 * clocks and the number of the CPU without a system call. C libraries find them by their names and
 * the version LINUX_2.6.
 *
 * This code runs in ring 3. It is linked by itself (vdso.ld), and is data for the kernel, so no
 * tracer can patch it.
 */
#include "arch/vdso/data.h"
#include "kernel/compiler.h"
#include "kernel/time/ntp.h"

#define __NR_gettimeofday  96
#define __NR_clock_gettime 228
#define __NR_clock_getres  229

/* The clocks that are the time since the boot plus an offset. */
#define CLOCKS                                                                                     \
	(BIT(CLOCK_REALTIME) | BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW) |                   \
	 BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_MONOTONIC_COARSE) | BIT(CLOCK_BOOTTIME) |          \
	 BIT(CLOCK_TAI))

/* Those of them that adjtimex(2) adjusts. */
#define REAL_CLOCKS (BIT(CLOCK_REALTIME) | BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_TAI))

#define CPU_SELECTOR 0x7b /* GDT_CPU of arch/descriptors.h with the rights of ring 3 */
#define NSEC_PER_SEC 1000000000ULL

/* As in the system calls of the same names. */
struct times {
	s64 seconds, fraction;
};

/* The page [vvar]; vdso.ld gives the address. */
extern const struct vdso_data vvar __attribute__((visibility("hidden")));

int __vdso_clock_gettime(int clock, struct times *ts);
int __vdso_clock_getres(int clock, struct times *res);
int __vdso_gettimeofday(struct times *tv, void *tz);
s64 __vdso_time(s64 *seconds);
long __vdso_getcpu(unsigned *cpu, unsigned *node, void *unused);

static __always_inline long call2(long number, long a, long b)
{
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b) : "rcx", "r11", "memory");
	return number;
}

/* The TSC, not before earlier loads. */
static __always_inline u64 rdtsc_ordered(void)
{
	u64 low, high;

	__asm__ volatile("lfence; rdtsc; shlq $32, %1" : "=a"(low), "=d"(high)::"memory");
	return high | low;
}

/* x86 does not reorder loads: barrier() is enough between them. */
static __always_inline u64 read_ns(unsigned clock)
{
	const struct vdso_data *data = &vvar;
	u64 ns;
	u32 seq;

	do {
		while (unlikely((seq = READ_ONCE(data->seq)) & 1))
			__asm__ volatile("pause" ::: "memory");
		barrier();
		ns = rdtsc_ordered() - data->tsc_base;
		__asm__("mulq %1; shrdq $32, %%rdx, %0"
			: "+a"(ns)
			: "m"(data->tsc_ns_mult)
			: "rdx", "cc");
		if (unlikely(READ_ONCE(data->real_rate)) && (REAL_CLOCKS >> clock & 1))
			ns += (u64)ntp_slew(ns - data->real_start, data->real_rate);
		ns += data->offset[clock];
		barrier();
	} while (unlikely(READ_ONCE(data->seq) != seq));
	return ns;
}

int __vdso_clock_gettime(int clock, struct times *ts)
{
	u64 ns;

	if (unlikely((unsigned)clock >= VDSO_CLOCKS || !(CLOCKS >> clock & 1)))
		return (int)call2(__NR_clock_gettime, clock, (long)ts);
	ns = read_ns((unsigned)clock);
	ts->seconds = (s64)(ns / NSEC_PER_SEC);
	ts->fraction = (s64)(ns % NSEC_PER_SEC);
	return 0;
}

int __vdso_clock_getres(int clock, struct times *res)
{
	return (int)call2(__NR_clock_getres, clock, (long)res);
}

int __vdso_gettimeofday(struct times *tv, void *tz)
{
	u64 ns;

	if (unlikely(tz))
		return (int)call2(__NR_gettimeofday, (long)tv, (long)tz);
	if (tv) {
		ns = read_ns(CLOCK_REALTIME);
		tv->seconds = (s64)(ns / NSEC_PER_SEC);
		tv->fraction = (s64)(ns % NSEC_PER_SEC / 1000);
	}
	return 0;
}

s64 __vdso_time(s64 *seconds)
{
	s64 now = (s64)(read_ns(CLOCK_REALTIME) / NSEC_PER_SEC);

	if (seconds)
		*seconds = now;
	return now;
}

/* The limit of a segment of the GDT, which each CPU has for itself, is the number of the CPU. */
long __vdso_getcpu(unsigned *cpu, unsigned *node, void *unused __unused)
{
	unsigned limit;

	__asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(CPU_SELECTOR) : "cc");
	if (cpu)
		*cpu = limit;
	if (node)
		*node = 0;
	return 0;
}

/* The names without the prefix, for callers that expect them. */
#define ALIAS(name)                                                                                \
	extern __typeof__(__vdso_##name) name __attribute__((weak, alias("__vdso_" #name)))
ALIAS(clock_gettime);
ALIAS(clock_getres);
ALIAS(gettimeofday);
ALIAS(time);
ALIAS(getcpu);
