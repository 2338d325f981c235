/* Counts the CPUs and allocates a per-CPU area for each. */
#include "arch/irq/apic.h"
#include "arch/irq/descriptors.h"
#include "arch/boot/smpboot.h"
#include "arch/cpu/special_insns.h"
#include "kernel/acpi/acpi.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/printk/printk.h"
#include "kernel/sections.h"
#include "kernel/smp.h"

unsigned long __per_cpu_offset[NR_CPUS];
EXPORT_SYMBOL(__per_cpu_offset);
DEFINE_PER_CPU(unsigned long, this_cpu_off);
EXPORT_SYMBOL(this_cpu_off);
DEFINE_PER_CPU(unsigned, cpu_number);
EXPORT_SYMBOL(cpu_number);

u32 cpu_apic_ids[NR_CPUS];
static unsigned max_cpus __initdata = NR_CPUS - 1;

/* maxcpus=N: use at most N CPUs. 0 is the same as nosmp, as in Linux. */
static int __init maxcpus_setup(const char *value)
{
	unsigned n;
	int error = value ? kstrtouint(value, 0, &n) : -EINVAL;

	if (!error)
		max_cpus = max(n, 1U);
	return error;
}
__setup("maxcpus", maxcpus_setup);

static int __init nosmp_setup(const char *value __unused)
{
	max_cpus = 1;
	return 0;
}
__setup("nosmp", nosmp_setup);

/* CPU 0 is the boot CPU. The others follow in the order of the MADT. */
static void __init count_cpus(void)
{
	u32 boot_id = apic_read_id();
	unsigned unreachable = 0;

	cpu_apic_ids[0] = boot_id;
	for (unsigned i = 0; i < acpi_info.cpu_count && nr_cpu_ids < max_cpus; i++) {
		u32 id = acpi_info.apic_ids[i];

		if (id == boot_id)
			continue;
		if (id >= 255 && !x2apic_mode) /* 255 addresses all CPUs */
			unreachable++;
		else
			cpu_apic_ids[nr_cpu_ids++] = id;
	}
	if (unreachable)
		pr_warn("smp: %u CPUs have an APIC ID that only an x2APIC can reach\n",
			unreachable);
	if (nr_cpu_ids > 1 && !smp_reserve_trampoline()) {
		pr_warn("smp: no memory below 1 MiB to start other CPUs from\n");
		nr_cpu_ids = 1;
	}
}

void __init setup_per_cpu_areas(void)
{
	size_t size = (size_t)(__per_cpu_end - __per_cpu_start);

	count_cpus();
	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++) {
		char *area = memblock_alloc(size, PAGE_SIZE);

		memcpy(area, __per_cpu_start, size);
		__per_cpu_offset[cpu] = (unsigned long)area - (unsigned long)__per_cpu_start;
		per_cpu(this_cpu_off, cpu) = __per_cpu_offset[cpu];
		per_cpu(cpu_number, cpu) = cpu;
		cpumask_set_cpu(cpu, &cpu_possible_mask);
	}
	__wrmsr(MSR_GS_BASE, __per_cpu_offset[0]);
	load_descriptors();
	cpumask_set_cpu(0, &cpu_online_mask);
	smp_call_init();
	pr_info("smp: %u of %u CPUs may be used, per-CPU area %zu bytes\n", nr_cpu_ids,
		max(acpi_info.cpu_count, 1U), size);
}
