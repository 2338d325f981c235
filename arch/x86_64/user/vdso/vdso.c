/*
 * The vDSO: a shared library that the kernel maps into each program (vdso(7)). Its functions read
 * clocks and the number of the CPU without a system call. C libraries find them by their names and
 * the version LINUX_2.6.
 *
 * This code runs in ring 3. It is linked by itself (vdso.ld), and is data for the kernel, so no
 * tracer can patch it.
 */
#include "arch/user/vdso/data.h"
#include "kernel/compiler.h"

#define __NR_gettimeofday  96
#define __NR_clock_gettime 228
#define __NR_clock_getres  229

#define CPU_SELECTOR 0x7b /* GDT_CPU of arch/irq/descriptors.h with the rights of ring 3 */
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

/* The time since the boot, in ns. */
static __always_inline u64 read_boot(const struct vdso_data *data)
{
	u64 ns = rdtsc_ordered() - data->tsc_base;

	__asm__("mulq %1; shrdq $32, %%rdx, %0" : "+a"(ns) : "m"(data->tsc_ns_mult) : "rdx", "cc");
	return ns;
}

/* Reads a clock of VDSO_CLOCK_BITS. */
static __always_inline u64 read_clock(unsigned clock)
{
	return read_boot(&vvar) + READ_ONCE(vvar.offset[clock]);
}

static __always_inline void set_times(struct times *ts, u64 ns)
{
	ts->seconds = (s64)(ns / NSEC_PER_SEC);
	ts->fraction = (s64)(ns % NSEC_PER_SEC);
}

int __vdso_clock_gettime(int clock, struct times *ts)
{
	if (unlikely((unsigned)clock >= VDSO_CLOCKS || !(VDSO_CLOCK_BITS >> clock & 1)))
		return (int)call2(__NR_clock_gettime, clock, (long)ts);
	set_times(ts, read_clock((unsigned)clock));
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
		ns = read_clock(CLOCK_REALTIME);
		tv->seconds = (s64)(ns / NSEC_PER_SEC);
		tv->fraction = (s64)(ns % NSEC_PER_SEC / 1000);
	}
	return 0;
}

s64 __vdso_time(s64 *seconds)
{
	s64 now = (s64)(read_clock(CLOCK_REALTIME) / NSEC_PER_SEC);

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
