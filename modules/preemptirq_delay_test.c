/*
 * Keeps interrupts or preemption off for a chosen time, so that the tracers of such times have
 * something to find.
 *
 *	modprobe preemptirq_delay_test test_mode=irq delay=500
 *	echo 1 > /sys/kernel/preemptirq_delay_test/trigger	once more
 *
 * test_mode: irq, preempt, or alternate, which takes them in turn. delay: in microseconds.
 * burst_size: how often, at most 10; each time it is another function.
 */
#include "arch/cpu/irqflags.h"
#include "fs/vfs/seq_file.h"
#include "fs/sys/sysfs.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/moduleparam.h"
#include "kernel/preempt.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/kthread.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"

#define MAX_BURST 10

static unsigned long delay = 100;
static char test_mode[12] = "irq";
static int burst_size = 1;

module_param_named(delay, delay, ulong, 0444);
module_param_string(test_mode, test_mode, sizeof(test_mode), 0444);
module_param_named(burst_size, burst_size, int, 0444);
MODULE_PARM_DESC(delay, "microseconds (default 100)");
MODULE_PARM_DESC(test_mode, "irq, preempt or alternate (default irq)");
MODULE_PARM_DESC(burst_size, "how often, up to 10 (default 1)");

static struct dentry *directory;
static DECLARE_COMPLETION(done);

static void execute_irq(void)
{
	unsigned long flags;

	local_irq_save(flags);
	udelay(delay);
	local_irq_restore(flags);
}

static void execute_preempt(void)
{
	preempt_disable();
	udelay(delay);
	preempt_enable();
}

static noinline void execute(unsigned n)
{
	bool irq = strcmp(test_mode, "irq") == 0 || (strcmp(test_mode, "alternate") == 0 && n % 2 == 0);

	if (irq)
		execute_irq();
	else
		execute_preempt();
}

/* One function for each turn, so that traces tell them apart. */
#define DECLARE_TURN(n)                                                                            \
	static noinline void preemptirqtest_##n(void)                                              \
	{                                                                                          \
		execute(n);                                                                        \
		barrier();                                                                         \
	}
DECLARE_TURN(0)
DECLARE_TURN(1)
DECLARE_TURN(2)
DECLARE_TURN(3)
DECLARE_TURN(4)
DECLARE_TURN(5)
DECLARE_TURN(6)
DECLARE_TURN(7)
DECLARE_TURN(8)
DECLARE_TURN(9)

static void (*const turns[MAX_BURST])(void) = {
	preemptirqtest_0, preemptirqtest_1, preemptirqtest_2, preemptirqtest_3, preemptirqtest_4,
	preemptirqtest_5, preemptirqtest_6, preemptirqtest_7, preemptirqtest_8, preemptirqtest_9,
};

static int delay_task(void *unused __unused)
{
	for (int i = 0; i < min(burst_size, MAX_BURST); i++)
		turns[i]();
	complete(&done);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	set_current_state(TASK_RUNNING);
	return 0;
}

/* Runs the turns in a task of their own, and waits for its end. */
static int run_test(void)
{
	struct task_struct *task;

	init_completion(&done);
	task = kthread_run(delay_task, NULL, "%s_test", test_mode);
	if (IS_ERR(task))
		return (int)PTR_ERR(task);
	wait_for_completion(&done);
	kthread_stop(task);
	return 0;
}

static ssize_t trigger_write(struct file *file __unused, const char *buf __unused, size_t count,
			     loff_t *pos)
{
	int error = run_test();

	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations trigger_fops = { .owner = THIS_MODULE, .write = trigger_write };

static int __init preemptirq_delay_init(void)
{
	struct dentry *file;
	int error = run_test();

	if (error)
		return error;
	directory = sysfs_create_dir("preemptirq_delay_test", sysfs_kernel_dir());
	file = sysfs_create_file("trigger", 0200, directory, NULL, &trigger_fops);
	if (!IS_ERR(file))
		return 0;
	sysfs_remove(directory);
	return (int)PTR_ERR(file);
}
module_init(preemptirq_delay_init);

static void __exit preemptirq_delay_exit(void)
{
	sysfs_remove(directory);
}
module_exit(preemptirq_delay_exit);

MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("keeps interrupts or preemption off for a while");
