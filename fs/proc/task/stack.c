/* Where a task is in the kernel: /proc/PID/{stack,wchan,syscall}. */
#include "arch/unwind/stacktrace.h"
#include "fs/proc/task/task.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"

#define STACK_MAX 64

/* Tells if address is in the scheduler. Such functions do not show why a task sleeps. */
static bool in_sched_functions(unsigned long address)
{
	static const char *const names[] = { "__schedule",       "schedule",
					     "schedule_timeout", "schedule_until",
					     "preempt_schedule", "preempt_schedule_irq" };
	char buf[KSYM_NAME_LEN];
	const char *name = kallsyms_lookup(address, NULL, NULL, buf);

	return name && match_string(names, ARRAY_SIZE(names), name) >= 0;
}

/* Shows the stack of a task that sleeps. The stack of a task that runs on a CPU is empty. */
int proc_pid_stack(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	unsigned long entries[STACK_MAX];
	unsigned n, i = 0;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	n = stack_trace_save_task(task, entries, STACK_MAX);
	while (i < n && in_sched_functions(entries[i]))
		i++;
	for (; i < n; i++)
		seq_printf(m, "[<0>] %pB\n", (void *)entries[i]);
	return 0;
}

/* Shows the function in which the task sleeps; 0: it runs, or the reader may not know. */
int proc_pid_wchan(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	unsigned long entries[STACK_MAX];
	char buf[KSYM_NAME_LEN];
	const char *name = NULL;
	unsigned n = 0, i = 0;

	(void)v;
	if (ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS) &&
	    READ_ONCE(task->__state) != TASK_RUNNING && !READ_ONCE(task->exit_state))
		n = stack_trace_save_task(task, entries, STACK_MAX);
	while (i < n && in_sched_functions(entries[i]))
		i++;
	if (i < n)
		name = kallsyms_lookup(entries[i], NULL, NULL, buf);
	seq_puts(m, name ? name : "0");
	return 0;
}

struct user_registers {
	struct pt_regs regs;
	bool asleep;
};

static void copy_user_registers(struct task_struct *p, bool asleep, void *arg)
{
	struct user_registers *copy = arg;

	copy->asleep = asleep || p == current;
	if (copy->asleep)
		copy->regs = *task_pt_regs(p);
}

/* Shows the system call in which the task sleeps, its arguments, sp and ip; -1: another reason. */
int proc_pid_syscall(struct seq_file *m, void *v)
{
	struct task_struct *task = ((struct proc_object *)m->private)->task;
	struct user_registers copy = { .asleep = false };
	const struct pt_regs *regs = &copy.regs;

	(void)v;
	if (!proc_task_alive(task))
		return -ESRCH;
	task_call_func(task, copy_user_registers, &copy);
	if (!copy.asleep)
		seq_puts(m, "running\n");
	else if ((long)regs->orig_ax < 0)
		seq_printf(m, "%ld 0x%llx 0x%llx\n", (long)regs->orig_ax,
			   (unsigned long long)regs->sp, (unsigned long long)regs->ip);
	else
		seq_printf(m, "%ld 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx\n",
			   (long)regs->orig_ax, (unsigned long long)regs->di,
			   (unsigned long long)regs->si, (unsigned long long)regs->dx,
			   (unsigned long long)regs->r10, (unsigned long long)regs->r8,
			   (unsigned long long)regs->r9, (unsigned long long)regs->sp,
			   (unsigned long long)regs->ip);
	return 0;
}
