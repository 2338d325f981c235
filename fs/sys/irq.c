/* /sys/kernel/irq/N: the interrupts of devices. The files are Linux's. */
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/init.h"
#include "kernel/irq/irq.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/smp.h"

static unsigned irq_of(const struct seq_file *m)
{
	return (unsigned)(unsigned long)m->private;
}

static int actions_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%s\n", irq_device_name(irq_of(m)));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(actions);

static int hwirq_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%u\n", irq_of(m));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hwirq);

/* How the CPU handles it: the interrupts of ISA devices are edges. */
static int name_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_puts(m, "edge\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(name);

static int per_cpu_count_show(struct seq_file *m, void *v)
{
	const char *separator = "";
	unsigned cpu;

	(void)v;
	for_each_online_cpu (cpu) {
		seq_printf(m, "%s%llu", separator,
			   (unsigned long long)irq_device_count(irq_of(m), cpu));
		separator = ",";
	}
	seq_putc(m, '\n');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(per_cpu_count);

static const struct {
	const char *name;
	const struct file_operations *fops;
} attributes[] = {
	{ "actions", &actions_fops },
	{ "hwirq", &hwirq_fops },
	{ "name", &name_fops },
	{ "per_cpu_count", &per_cpu_count_fops },
};

/* Devices ask for their interrupts in earlier initcalls, and never give them back. */
static int __init irq_sysfs_init(void)
{
	struct dentry *top = sysfs_create_dir("irq", sysfs_kernel_dir()), *file = top;

	for (unsigned irq = 0; irq < NR_ISA_IRQS && !IS_ERR(file); irq++) {
		struct dentry *dir;
		char number[12];

		if (!irq_device_name(irq))
			continue;
		snprintf(number, sizeof(number), "%u", irq);
		file = dir = sysfs_create_dir(number, top);
		for (unsigned i = 0; i < ARRAY_SIZE(attributes) && !IS_ERR(file); i++)
			file = sysfs_create_file(attributes[i].name, 0444, dir,
						 (void *)(unsigned long)irq, attributes[i].fops);
	}
	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
late_initcall(irq_sysfs_init);
