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

#define SYSRQ_KEYS 36 /* 0-9, a-z */

static const struct sysrq_key_op *sysrq_keys[SYSRQ_KEYS]; /* [A] each is set once, by cmpxchg */

static int sysrq_index(int key)
{
	if (key >= '0' && key <= '9')
		return key - '0';
	if (key >= 'a' && key <= 'z')
		return key - 'a' + 10;
	return -EINVAL;
}

int sysrq_register(int key, const struct sysrq_key_op *op)
{
	int index = sysrq_index(key);

	if (index < 0)
		return index;
	return cmpxchg(&sysrq_keys[index], NULL, op) ? -EBUSY : 0;
}

static void sysrq_help(void)
{
	pr_info("HELP : ");
	for (unsigned i = 0; i < SYSRQ_KEYS; i++) {
		const struct sysrq_key_op *op = READ_ONCE(sysrq_keys[i]);

		if (op)
			pr_cont("%s ", op->help_msg);
	}
	pr_cont("\n");
}

/* Runs the operation of key, or lists the keys. Task context. */
static void handle_sysrq(int key)
{
	int index = sysrq_index(key);
	const struct sysrq_key_op *op = index < 0 ? NULL : READ_ONCE(sysrq_keys[index]);

	if (!op) {
		sysrq_help();
		return;
	}
	pr_info("%s\n", op->action_msg);
	op->handler(key);
}

static void sysrq_show_cpus(int key)
{
	unsigned cpu, self;

	(void)key;
	self = get_cpu();
	printk(KERN_INFO "NMI backtrace for cpu %u\n", self);
	dump_stack();
	put_cpu();
	for_each_online_cpu (cpu)
		if (cpu != self)
			smp_backtrace_cpu(cpu);
}

static void sysrq_reboot(int key)
{
	(void)key;
	kmsg_dump(KMSG_DUMP_EMERG);
	machine_restart();
}

static void sysrq_poweroff(int key)
{
	(void)key;
	kernel_power_off();
}

static void sysrq_crash(int key __unused)
{
	panic("sysrq triggered crash");
}

static const struct {
	int key;
	struct sysrq_key_op op;
} builtin_keys[] = {
	{ 'b', { sysrq_reboot, "reboot(b)", "Resetting" } },
	{ 'c', { sysrq_crash, "crash(c)", "Trigger a crash" } },
	{ 'l',
	  { sysrq_show_cpus, "show-backtrace-all-active-cpus(l)",
	    "Show backtrace of all active CPUs" } },
	{ 'o', { sysrq_poweroff, "poweroff(o)", "Power Off" } },
};

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
	for (unsigned i = 0; i < ARRAY_SIZE(builtin_keys); i++)
		sysrq_register(builtin_keys[i].key, &builtin_keys[i].op);
	return proc_create("sysrq-trigger", 0200, NULL, &sysrq_fops) ? 0 : -ENOMEM;
}
device_initcall(proc_sysrq_init);
