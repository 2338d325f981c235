/*
 * /proc/sysrq-trigger: commands that help when other parts of the kernel no longer answer (Linux:
 * Documentation/admin-guide/sysrq.rst).
 */
#include "arch/unwind/stacktrace.h"
#include "fs/proc/internal.h"
#include "kernel/init.h"
#include "kernel/panic.h"
#include "kernel/printk/kmsg_dump.h"
#include "kernel/printk/printk.h"
#include "kernel/reboot.h"
#include "kernel/smp.h"

#undef pr_fmt
#define pr_fmt(fmt) "sysrq: " fmt

DEFINE_LINKER_TABLE(rodata, const struct sysrq_key, sysrq_keys);

static void sysrq_help(void)
{
	pr_info("HELP : ");
	for_each_linker_table_entry (op, sysrq_keys)
		pr_cont("%s ", op->help_msg);
	pr_cont("\n");
}

/* Runs the operation of key, or lists the keys. Task context. */
static void handle_sysrq(char key)
{
	for_each_linker_table_entry (op, sysrq_keys)
		if (op->key == key) {
			pr_info("%s\n", op->action_msg);
			op->handler();
			return;
		}
	sysrq_help();
}

static void sysrq_show_cpus(void)
{
	unsigned cpu, self = get_cpu();

	printk(KERN_INFO "NMI backtrace for cpu %u\n", self);
	dump_stack();
	put_cpu();
	for_each_online_cpu (cpu)
		if (cpu != self)
			smp_backtrace_cpu(cpu);
}

static void sysrq_reboot(void)
{
	kmsg_dump(KMSG_DUMP_EMERG);
	machine_restart();
}

static void sysrq_poweroff(void)
{
	kernel_power_off();
}

static void sysrq_crash(void)
{
	panic("sysrq triggered crash");
}

SYSRQ_KEY(b) = { 'b', sysrq_reboot, "reboot(b)", "Resetting" };
SYSRQ_KEY(c) = { 'c', sysrq_crash, "crash(c)", "Trigger a crash" };
SYSRQ_KEY(l) = { 'l', sysrq_show_cpus, "show-backtrace-all-active-cpus(l)",
		 "Show backtrace of all active CPUs" };
SYSRQ_KEY(o) = { 'o', sysrq_poweroff, "poweroff(o)", "Power Off" };

/* Uses only the first character of a write. */
static ssize_t sysrq_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	(void)file, (void)pos;
	if (count)
		handle_sysrq(buf[0]);
	return (ssize_t)count;
}

static const struct file_operations sysrq_fops = { .write = sysrq_write, .llseek = noop_llseek };

static int __init proc_sysrq_init(void)
{
	return proc_create("sysrq-trigger", 0200, NULL, &sysrq_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_sysrq_init);
