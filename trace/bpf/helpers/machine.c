/* Helpers that tell of the machine: the time, the CPU, and random numbers. */
#include "arch/cpu/percpu.h"
#include "arch/time/clock.h"
#include "kernel/cpumask.h"
#include "kernel/init.h"
#include "kernel/random/random.h"
#include "kernel/time/ktime.h"
#include "trace/bpf/helpers/helpers.h"

/* The machine never sleeps, so that the clocks of Linux that differ by sleep are one here. */
BPF_CALL_0(bpf_ktime_get_ns)
{
	return (u64)arch_ktime();
}

BPF_CALL_0(bpf_ktime_get_boot_ns)
{
	return (u64)arch_ktime();
}

BPF_CALL_0(bpf_ktime_get_coarse_ns)
{
	return (u64)arch_ktime();
}

/* There is no tick to count; so many as Debian's Linux has in a second. */
BPF_CALL_0(bpf_jiffies64)
{
	return (u64)arch_ktime() / (NSEC_PER_SEC / 250);
}

BPF_CALL_0(bpf_get_smp_processor_id)
{
	return smp_processor_id();
}

BPF_CALL_0(bpf_get_numa_node_id)
{
	return 0;
}

/* xorshift64* of George Marsaglia: quick, and not secret. */
static DEFINE_PER_CPU(u64, random_state);

BPF_CALL_0(bpf_get_prandom_u32)
{
	u64 x = this_cpu_read(random_state);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	this_cpu_write(random_state, x);
	return x * 0x2545f4914f6cdd1dULL >> 32;
}

/* The state must not be 0. */
static int __init seed_random(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		per_cpu(random_state, cpu) = get_random_u64() | 1;
	return 0;
}
device_initcall(seed_random);
