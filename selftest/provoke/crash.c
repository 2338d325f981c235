/*
 * /sys/kernel/debug/provoke-crash/DIRECT: a write commits the named fault, so that you can see its
 * report. Reading lists the names. The names are those of Linux's LKDTM
 * (Documentation/fault-injection/provoke-crashes.rst).
 */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/processor.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/bug.h"
#include "kernel/console/serial_core.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"

#define EXEC_SIZE 64 /* bytes of code, copied to memory that is not executable */

static const unsigned long rodata_word = 0xaa55aa55;
static u8 data_area[EXEC_SIZE] = { 0xc3 }; /* ret */
static const u8 rodata_area[EXEC_SIZE] = { 0xc3 };
static DEFINE_SPINLOCK(lock_me_up);

static void provoke_panic(void)
{
	panic("dumptest");
}

/*
 * As if another CPU had been stopped while it sends a line: it has taken bytes, and not sent them.
 */
static void take_bytes(void)
{
	unsigned long flags;

	console_flush();
	uart_port_lock(&serial8250_ports[0], &flags);
	pr_emerg("the line that is being sent\n");
	while (uart_next_char(&serial8250_ports[0], true) != 's')
		;
}

static void provoke_panic_in_line(void)
{
	take_bytes();
	panic("dumptest");
}

static void provoke_bug(void)
{
	BUG();
}

static void provoke_warning(void)
{
	WARN_ON(true);
}

/* The pointer is volatile because the compiler would detect the write to NULL. */
static void provoke_exception(void)
{
	volatile int *volatile null = NULL;

	*null = 0;
}

/* The panic itself faults, before it has sent anything. */
static void provoke_panic_in_panic(void)
{
	oops_dump_hook = provoke_exception;
	provoke_panic_in_line();
}

static bool other_cpu_sends;

/*
 * Holds the console in the middle of a line until it is stopped. If the console is taken from it
 * while its CPU still runs, two CPUs send: this one takes the bytes of the report.
 */
static int hold_console(void *unused __unused)
{
	take_bytes();
	WRITE_ONCE(other_cpu_sends, true);
	while (READ_ONCE(serial8250_ports[0].lock_cpu) == (int)smp_processor_id())
		cpu_relax();
	while (uart_next_char(&serial8250_ports[0], true) >= 0)
		;
	return 0;
}

/* The same while another CPU sends, which the panic has not stopped yet. */
static void provoke_panic_beside_sender(void)
{
	struct task_struct *sender = kthread_create(hold_console, NULL, "sender");

	if (IS_ERR(sender) || nr_cpu_ids == 1)
		return;
	local_irq_disable(); /* an interrupt of the UART here would wait for the sender, for ever */
	kthread_bind(sender, (smp_processor_id() + 1) % nr_cpu_ids);
	wake_up_process(sender);
	while (!READ_ONCE(other_cpu_sends))
		cpu_relax();
	oops_dump_hook = provoke_exception;
	panic("dumptest");
}

static void provoke_exception_locked(void)
{
	spin_lock(&lock_me_up);
	provoke_exception();
}

static void provoke_access_null(void)
{
	volatile unsigned long *volatile null = NULL;

	pr_info("attempting bad read at %px\n", (void *)null);
	*null += 1;
}

/* Uses its frame and the result of the call, so that the compiler cannot make a loop of it. */
static noinline int recursive_loop(int remaining)
{
	volatile char frame[THREAD_SIZE / 32];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = (char)remaining;
	return remaining ? recursive_loop(remaining - 1) + frame[remaining % (int)sizeof(frame)]
			 : 0;
}

static void provoke_exhaust_stack(void)
{
	pr_info("recursion depth: %d\n", recursive_loop(100000));
}

static void provoke_softlockup(void)
{
	preempt_disable();
	for (;;)
		cpu_relax();
}

static void provoke_hardlockup(void)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
}

/* Waits for ever for a lock that it holds itself. */
static void provoke_spinlockup(void)
{
	spin_lock(&lock_me_up);
	spin_lock(&lock_me_up);
}

static void provoke_hung_task(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
}

static void provoke_write_ro(void)
{
	volatile unsigned long *word = (volatile unsigned long *)(uintptr_t)&rodata_word;

	pr_info("attempting bad rodata write at %px\n", (void *)(uintptr_t)word);
	*word ^= 0xabcd1234;
}

static void provoke_write_kern(void)
{
	volatile u8 *text = (volatile u8 *)(uintptr_t)provoke_warning;

	pr_info("attempting bad write at %px\n", (void *)(uintptr_t)text);
	*text = 0x90;
}

static void execute_location(const void *code)
{
	void (*fn)(void) = (void (*)(void))(uintptr_t)code;

	pr_info("attempting bad execution at %px\n", code);
	fn();
}

static void provoke_exec_data(void)
{
	execute_location(data_area);
}

static void provoke_exec_rodata(void)
{
	execute_location(rodata_area);
}

static void provoke_exec_kmalloc(void)
{
	void *code = kmemdup(rodata_area, EXEC_SIZE, GFP_KERNEL);

	if (code)
		execute_location(code);
	kfree(code);
}

static void provoke_exec_vmalloc(void)
{
	void *code = vmalloc(EXEC_SIZE);

	if (!code)
		return;
	memcpy(code, rodata_area, EXEC_SIZE);
	execute_location(code);
	vfree(code);
}

static void provoke_exec_null(void)
{
	execute_location(NULL);
}

static const struct {
	const char *name;
	void (*provoke)(void);
} crash_types[] = {
	{ "PANIC", provoke_panic },
	{ "BUG", provoke_bug },
	{ "WARNING", provoke_warning },
	{ "EXCEPTION", provoke_exception },
	{ "EXCEPTION_LOCKED", provoke_exception_locked }, /* only in nop5: with a spinlock held */
	{ "EXHAUST_STACK", provoke_exhaust_stack },
	{ "TRIPLE_FAULT", machine_triple_fault },               /* only in nop5 */
	{ "PANIC_IN_LINE", provoke_panic_in_line },             /* only in nop5 */
	{ "PANIC_IN_PANIC", provoke_panic_in_panic },           /* only in nop5 */
	{ "PANIC_BESIDE_SENDER", provoke_panic_beside_sender }, /* only in nop5 */
	{ "SOFTLOCKUP", provoke_softlockup },
	{ "HARDLOCKUP", provoke_hardlockup },
	{ "SPINLOCKUP", provoke_spinlockup },
	{ "HUNG_TASK", provoke_hung_task },
	{ "ACCESS_NULL", provoke_access_null },
	{ "WRITE_RO", provoke_write_ro },
	{ "WRITE_KERN", provoke_write_kern },
	{ "EXEC_DATA", provoke_exec_data },
	{ "EXEC_RODATA", provoke_exec_rodata },
	{ "EXEC_KMALLOC", provoke_exec_kmalloc },
	{ "EXEC_VMALLOC", provoke_exec_vmalloc },
	{ "EXEC_NULL", provoke_exec_null },
};

static int crash_types_show(struct seq_file *m, void *unused __unused)
{
	seq_puts(m, "Available crash types:\n");
	for (unsigned i = 0; i < ARRAY_SIZE(crash_types); i++)
		seq_printf(m, "%s\n", crash_types[i].name);
	return 0;
}

static int direct_open(struct inode *inode, struct file *file)
{
	return single_open(file, crash_types_show, inode->i_private);
}

static ssize_t direct_write(struct file *file __unused, const char *buf, size_t count,
			    loff_t *pos __unused)
{
	char name[32];

	if (!count || count >= sizeof(name))
		return -EINVAL;
	memcpy(name, buf, count);
	name[count] = '\0';
	strim(name);
	for (unsigned i = 0; i < ARRAY_SIZE(crash_types); i++) {
		if (strcmp(crash_types[i].name, name))
			continue;
		pr_info("lkdtm: Performing direct entry %s\n", name);
		crash_types[i].provoke();
		return (ssize_t)count;
	}
	return -EINVAL;
}

static const struct file_operations direct_fops = {
	.open = direct_open,
	.read = seq_read,
	.write = direct_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init provoke_crash_init(void)
{
	struct dentry *directory = debugfs_create_dir("provoke-crash", NULL);
	struct dentry *file = debugfs_create_file("DIRECT", 0644, directory, NULL, &direct_fops);

	return IS_ERR(file) ? (int)PTR_ERR(file) : 0;
}
late_initcall(provoke_crash_init);
