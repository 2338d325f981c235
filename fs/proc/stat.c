/* /proc/stat. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/irq/irq.h"
#include "kernel/irq/softirq.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/time/timekeeping.h"

static void show_cpu_line(struct seq_file *m, const struct sched_stat *s)
{
	const u64 ns[] = { s->user, s->nice, s->system, s->idle, s->iowait, s->irq, s->softirq };

	for (unsigned i = 0; i < ARRAY_SIZE(ns); i++)
		seq_put_decimal_ull_width(m, " ", ns[i] / NSEC_PER_USER_TICK, 0);
	seq_puts(m, " 0 0 0\n"); /* steal, guest, guest_nice */
}

static void add_stat(struct sched_stat *sum, const struct sched_stat *one)
{
	sum->user += one->user;
	sum->nice += one->nice;
	sum->system += one->system;
	sum->idle += one->idle;
	sum->iowait += one->iowait;
	sum->irq += one->irq;
	sum->softirq += one->softirq;
}

/*
 * Each CPU is read once: so the sum fits the lines, even if this task has to wait for a CPU in
 * between.
 */
static int show_cpus(struct seq_file *m)
{
	struct sched_stat all = { 0 }, *each = kvzalloc(NR_CPUS * sizeof(*each), GFP_KERNEL);
	unsigned cpu;

	if (!each)
		return -ENOMEM;
	for_each_online_cpu (cpu) {
		sched_cpu_stat(cpu, &each[cpu]);
		add_stat(&all, &each[cpu]);
	}
	seq_puts(m, "cpu ");
	show_cpu_line(m, &all);
	for_each_online_cpu (cpu) {
		seq_printf(m, "cpu%u", cpu);
		show_cpu_line(m, &each[cpu]);
	}
	kvfree(each);
	return 0;
}

/* Prints the count of all interrupts, then the count of each device. */
static void show_intr(struct seq_file *m)
{
	u64 total = 0, by_irq[NR_ISA_IRQS] = { 0 };
	unsigned cpu;

	for_each_online_cpu (cpu) {
		for (unsigned kind = 0; kind < IRQ_STAT_COUNT; kind++)
			total += irq_stat_read(kind, cpu);
		for (unsigned irq = 0; irq < NR_ISA_IRQS; irq++)
			by_irq[irq] += irq_device_count(irq, cpu);
	}
	for (unsigned irq = 0; irq < NR_ISA_IRQS; irq++)
		total += by_irq[irq];
	seq_put_decimal_ull_width(m, "intr ", total, 0);
	for (unsigned irq = 0; irq < NR_ISA_IRQS; irq++)
		seq_put_decimal_ull_width(m, " ", by_irq[irq], 0);
	seq_putc(m, '\n');
}

static unsigned count_blocked(void)
{
	struct task_struct *p;
	unsigned n = 0;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		n += READ_ONCE(p->__state) == TASK_UNINTERRUPTIBLE;
	spin_unlock(&tasklist_lock);
	return n;
}

static void show_softirq(struct seq_file *m)
{
	u64 sums[NR_SOFTIRQS] = { 0 }, total = 0;
	unsigned cpu;

	for_each_online_cpu (cpu)
		for (unsigned nr = 0; nr < NR_SOFTIRQS; nr++)
			sums[nr] += softirq_count_read((enum softirq)nr, cpu);
	for (unsigned nr = 0; nr < NR_SOFTIRQS; nr++)
		total += sums[nr];
	seq_put_decimal_ull_width(m, "softirq ", total, 0);
	for (unsigned nr = 0; nr < NR_SOFTIRQS; nr++)
		seq_put_decimal_ull_width(m, " ", sums[nr], 0);
	seq_putc(m, '\n');
}

static int stat_show(struct seq_file *m, void *v)
{
	u64 boot = (ktime_get_real() - ktime_get()) / NSEC_PER_SEC;
	int err;

	(void)v;
	err = show_cpus(m);
	if (err)
		return err;
	show_intr(m);
	seq_printf(m, "ctxt %llu\nbtime %llu\n", (unsigned long long)nr_context_switches(),
		   (unsigned long long)boot);
	seq_printf(m, "processes %llu\nprocs_running %u\nprocs_blocked %u\n",
		   (unsigned long long)total_forks(), nr_running(), count_blocked());
	show_softirq(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stat);

static int __init proc_stat_init(void)
{
	return proc_create("stat", 0444, NULL, &stat_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_stat_init);
