/* /proc/cpuinfo. */
#include "arch/boot/cpuinfo.h"
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/cpumask.h"
#include "kernel/time/ktime.h"

static void *cpuinfo_start(struct seq_file *m, loff_t *pos)
{
	unsigned cpu =
		*pos < NR_CPUS ? cpumask_next_from((unsigned)*pos, &cpu_online_mask) : NR_CPUS;

	(void)m;
	*pos = cpu;
	return cpu < NR_CPUS ? (void *)((unsigned long)cpu + 1) : NULL;
}

static void *cpuinfo_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)v;
	++*pos;
	return cpuinfo_start(m, pos);
}

static void cpuinfo_stop(struct seq_file *m, void *v)
{
	(void)m, (void)v;
}

static void show_flags(struct seq_file *m, const struct cpuinfo_x86 *c)
{
	seq_puts(m, "flags\t\t:");
	for (unsigned i = 0; i < NR_CPUID_WORDS * 32; i++) {
		const char *name = x86_feature_name(i);

		if (name && (c->words[i / 32] >> (i % 32) & 1))
			seq_printf(m, " %s", name);
	}
	seq_putc(m, '\n');
}

static int cpuinfo_show(struct seq_file *m, void *v)
{
	unsigned cpu = (unsigned)(unsigned long)v - 1;
	const struct cpuinfo_x86 *c = cpu_data(cpu);

	seq_printf(m, "processor\t: %u\n", cpu);
	seq_printf(m, "vendor_id\t: %s\n", c->vendor);
	seq_printf(m, "cpu family\t: %u\n", c->family);
	seq_printf(m, "model\t\t: %u\n", c->model);
	seq_printf(m, "model name\t: %s\n", c->model_name);
	seq_printf(m, "stepping\t: %u\n", c->stepping);
	seq_printf(m, "cpu MHz\t\t: %u.%03u\n", tsc_khz / 1000, tsc_khz % 1000);
	seq_printf(m, "apicid\t\t: %u\n", c->apic_id);
	seq_printf(m, "initial apicid\t: %u\n", c->apic_id);
	seq_puts(m, "fpu\t\t: yes\nfpu_exception\t: yes\n");
	seq_printf(m, "cpuid level\t: %u\n", c->cpuid_level);
	seq_puts(m, "wp\t\t: yes\n");
	show_flags(m, c);
	seq_printf(m, "bogomips\t: %u.%02u\n", tsc_khz / 500, tsc_khz / 5 % 100);
	seq_printf(m, "clflush size\t: %u\n", c->clflush_size);
	seq_printf(m, "cache_alignment\t: %u\n", c->clflush_size);
	seq_printf(m, "address sizes\t: %u bits physical, %u bits virtual\n", c->phys_bits,
		   c->virt_bits);
	seq_puts(m, "power management:\n\n");
	return 0;
}

static const struct seq_operations cpuinfo_sops = {
	.start = cpuinfo_start,
	.next = cpuinfo_next,
	.stop = cpuinfo_stop,
	.show = cpuinfo_show,
};
DEFINE_SEQ_ATTRIBUTE(cpuinfo);

static int __init proc_cpuinfo_init(void)
{
	return proc_create("cpuinfo", 0444, NULL, &cpuinfo_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_cpuinfo_init);
