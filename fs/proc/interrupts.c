/* /proc/interrupts. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/irq/irq.h"

static void show_header(struct seq_file *m)
{
	unsigned cpu;

	seq_puts(m, "           ");
	for_each_online_cpu (cpu)
		seq_printf(m, "CPU%-8u", cpu);
	seq_putc(m, '\n');
}

static int interrupts_show(struct seq_file *m, void *v)
{
	unsigned cpu;

	(void)v;
	show_header(m);
	for (unsigned irq = 0; irq < NR_ISA_IRQS; irq++) {
		const char *name = irq_device_name(irq);

		if (!name)
			continue;
		seq_printf(m, "%3u: ", irq);
		for_each_online_cpu (cpu)
			seq_printf(m, "%10llu ", (unsigned long long)irq_device_count(irq, cpu));
		seq_printf(m, " %8s %3u-%-8s  %s\n", "IO-APIC", irq, "edge", name);
	}
	for (unsigned kind = 0; kind < IRQ_STAT_COUNT; kind++) {
		seq_printf(m, "%3s: ", irq_stat_names[kind][0]);
		for_each_online_cpu (cpu)
			seq_printf(m, "%10llu ", (unsigned long long)irq_stat_read(kind, cpu));
		seq_printf(m, "  %s\n", irq_stat_names[kind][1]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(interrupts);

static int __init proc_interrupts_init(void)
{
	return proc_create("interrupts", 0444, NULL, &interrupts_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_interrupts_init);
