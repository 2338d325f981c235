/*
 * A callback that faults. The oops has named it and ends the task; ftrace is shut down: no more is
 * registered, and a kworker makes nops of all sites, so that no other task falls into the same
 * hole.
 *
 * /sys/kernel/debug/ftrace_fault has it happen: a function's name written there gets a callback
 * that reads from address 0 (with panic=0 on the command line, or the machine ends).
 */
#include "arch/x86_64/stacktrace.h"
#include "fs/debugfs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/irq/workqueue.h"
#include "kernel/lib/ctype.h"
#include "kernel/panic.h"
#include "kernel/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/sched.h"
#include "trace/ftrace_trampoline.h"

#define STACK_ENTRIES 32

static void turn_all_off(struct work_struct *work __unused)
{
	ftrace_turn_all_off();
	pr_err("ftrace: all sites are off\n");
}

static DECLARE_WORK(off_work, turn_all_off);
static atomic_t faulted;

/* The ops whose trampoline ip lies in. */
static const struct ftrace_ops *trampoline_ops_at(unsigned long ip)
{
	const struct ftrace_ops *ops;

	list_for_each_entry_rcu(ops, &ftrace_ops_list, list)
	{
		const struct ftrace_trampoline *tramp = READ_ONCE(ops->trampoline);

		if (tramp && ip - tramp->address < tramp->size)
			return ops;
	}
	return NULL;
}

/* Did what faulted at regs run in a callback? *func: whose, NULL if it was called by the list. */
static bool was_in_callback(struct pt_regs *regs, ftrace_func_t *func)
{
	unsigned long entries[STACK_ENTRIES];
	unsigned count = stack_trace_save_regs(regs, entries, STACK_ENTRIES);

	*func = NULL;
	for (unsigned i = 0; i < count; i++) {
		const struct ftrace_ops *ops = trampoline_ops_at(entries[i]);

		if (ops)
			*func = ops->saved_func;
		if (ops || arch_is_ftrace_caller(entries[i]))
			return true;
	}
	return false;
}

/* In the task that is about to be ended. */
static void ftrace_oops(struct pt_regs *regs)
{
	ftrace_func_t func;

	if (!was_in_callback(regs, &func) || atomic_xchg(&faulted, 1))
		return;
	ftrace_shut_down();
	if (func)
		pr_err("ftrace: the callback %pS has faulted, shutting down\n", (void *)func);
	else
		pr_err("ftrace: a callback has faulted, shutting down\n");
	if (mutex_owner(&ftrace_lock) == current) {
		pr_err("ftrace: it held ftrace_lock: the sites stay as they are\n");
		return;
	}
	schedule_work(&off_work);
}

/* ---- to have it happen ---- */

static void ftrace_faulty_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
				   struct ftrace_ops *op __unused,
				   struct ftrace_regs *fregs __unused)
{
	volatile int *volatile null = NULL;

	(void)*null;
}

static struct ftrace_ops faulty_ops = { .func = ftrace_faulty_callback };

static ssize_t fault_write(struct file *file __unused, const char *buf, size_t count, loff_t *pos)
{
	size_t length = count;
	int error;

	while (length && isspace(buf[length - 1]))
		length--;
	error = length ? ftrace_set_filter(&faulty_ops, buf, length, true) : -EINVAL;
	if (!error)
		error = register_ftrace_function(&faulty_ops);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations fault_fops = { .write = fault_write };

static int __init ftrace_oops_init(void)
{
	oops_task_hook = ftrace_oops;
	debugfs_create_file("ftrace_fault", 0200, NULL, NULL, &fault_fops);
	return 0;
}
device_initcall(ftrace_oops_init);
