/* /proc/{version,uptime,loadavg,kallsyms}. */
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/task/cred.h"
#include "kernel/time/ktime.h"
#include "kernel/boot/version.h"

static int version_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_puts(m, linux_proc_banner);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(version);

static void seq_seconds(struct seq_file *m, u64 ns, char end)
{
	seq_printf(m, "%llu.%02llu%c", (unsigned long long)(ns / NSEC_PER_SEC),
		   (unsigned long long)(ns % NSEC_PER_SEC / NSEC_PER_USER_TICK), end);
}

static int uptime_show(struct seq_file *m, void *v)
{
	struct sched_stat stat;
	u64 idle = 0;
	unsigned cpu;

	(void)v;
	for_each_online_cpu (cpu) {
		sched_cpu_stat(cpu, &stat);
		idle += stat.idle;
	}
	seq_seconds(m, ktime_get(), ' ');
	seq_seconds(m, idle, '\n');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(uptime);

/* Prints a load, which has 11 bits of fraction, rounded to hundredths. */
static void seq_load(struct seq_file *m, unsigned long load)
{
	load += (1UL << 11) / 200;
	seq_printf(m, "%lu.%02lu ", load >> 11, (load & 0x7ff) * 100 >> 11);
}

static int loadavg_show(struct seq_file *m, void *v)
{
	unsigned long loads[3];
	unsigned nr_threads = 0;
	struct task_struct *p;

	(void)v;
	spin_lock(&tasklist_lock);
	for_each_task (p)
		nr_threads++;
	spin_unlock(&tasklist_lock);

	get_avenrun(loads);
	for (unsigned i = 0; i < ARRAY_SIZE(loads); i++)
		seq_load(m, loads[i]);
	seq_printf(m, "%u/%u %d\n", nr_running(), nr_threads, last_pid());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(loadavg);

/*
 * The iterator is the index + 1. The symbols of the image come first, then those of modules, from
 * MODULE_SYMBOLS on, then the dynamic ones.
 */
#define MODULE_SYMBOLS  0x10000000L
#define DYNAMIC_SYMBOLS 0x20000000L

static void *kallsyms_start(struct seq_file *m, loff_t *pos)
{
	char name[KSYM_NAME_LEN], module[KSYM_MODULE_LEN], type;
	struct kallsyms_dynamic symbol;
	unsigned long address;

	(void)m;
	if (*pos >= (loff_t)kallsyms_num_symbols() && *pos < MODULE_SYMBOLS)
		*pos = MODULE_SYMBOLS;
	if (*pos >= MODULE_SYMBOLS && *pos < DYNAMIC_SYMBOLS &&
	    !kallsyms_get_module((unsigned)(*pos - MODULE_SYMBOLS), &address, &type, name, module))
		*pos = DYNAMIC_SYMBOLS;
	if (*pos >= DYNAMIC_SYMBOLS &&
	    !kallsyms_get_dynamic((unsigned)(*pos - DYNAMIC_SYMBOLS), &symbol))
		return NULL;
	return (void *)(*pos + 1);
}

static void *kallsyms_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)v;
	++*pos;
	return kallsyms_start(m, pos);
}

static void kallsyms_stop(struct seq_file *m, void *v)
{
	(void)m, (void)v;
}

static unsigned long shown(const struct seq_file *m, unsigned long address)
{
	return m->private ? address : 0;
}

static int kallsyms_show(struct seq_file *m, void *v)
{
	unsigned index = (unsigned)(unsigned long)v - 1;
	char name[KSYM_NAME_LEN], module[KSYM_MODULE_LEN], type;
	struct kallsyms_dynamic symbol;
	unsigned long address;

	if (index < MODULE_SYMBOLS && kallsyms_get(index, &address, &type, name))
		seq_printf(m, "%016lx %c %s\n", shown(m, address), type, name);
	else if (index < DYNAMIC_SYMBOLS &&
		 kallsyms_get_module(index - MODULE_SYMBOLS, &address, &type, name, module))
		seq_printf(m, "%016lx %c %s\t[%s]\n", shown(m, address), type, name, module);
	else if (index >= DYNAMIC_SYMBOLS && kallsyms_get_dynamic(index - DYNAMIC_SYMBOLS, &symbol))
		seq_printf(m, "%016lx t %s\t[%s]\n", shown(m, symbol.address), symbol.name,
			   symbol.module);
	else
		return SEQ_SKIP;
	return 0;
}

static const struct seq_operations kallsyms_sops = {
	.start = kallsyms_start,
	.next = kallsyms_next,
	.stop = kallsyms_stop,
	.show = kallsyms_show,
};

/* Who sees addresses of the kernel: 0 and 1: who has CAP_SYSLOG; 2: nobody. */
static int kptr_restrict;
SYSCTL_INT(kptr_restrict, "kernel", kptr_restrict, proc_dointvec_positive, .most = 2);

/* A set-user-ID program may get a descriptor as its input. So this is asked at the open. */
static bool may_see_addresses(void)
{
	return READ_ONCE(kptr_restrict) < 2 && capable(CAP_SYSLOG);
}

int seq_open_addresses(struct file *file, const struct seq_operations *op)
{
	int err = seq_open(file, op);

	if (!err)
		((struct seq_file *)file->private_data)->private = (void *)may_see_addresses();
	return err;
}

static int kallsyms_open(struct inode *inode, struct file *file)
{
	(void)inode;
	return seq_open_addresses(file, &kallsyms_sops);
}

static const struct file_operations kallsyms_fops = {
	.owner = THIS_MODULE,
	.open = kallsyms_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

static int __init proc_kernel_init(void)
{
	proc_create("version", 0444, NULL, &version_fops);
	proc_create("uptime", 0444, NULL, &uptime_fops);
	proc_create("loadavg", 0444, NULL, &loadavg_fops);
	proc_create("kallsyms", 0444, NULL, &kallsyms_fops);
	return 0;
}
device_initcall(proc_kernel_init);
