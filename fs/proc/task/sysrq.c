/* The keys of /proc/sysrq-trigger that show tasks. */
#include "arch/unwind/stacktrace.h"
#include "fs/proc/task/task.h"
#include "kernel/printk/printk.h"
#include "kernel/task/signal_struct.h"

/* Prints one task in the format of Linux's sched_show_task(). */
static void show_task(struct task_struct *p)
{
	char state = task_state_to_char(p);
	pid_t ppid = READ_ONCE(p->signal->ppid);

	printk(KERN_INFO "task:%-15.15s state:%c%s stack:%-5lu pid:%-5d ppid:%-6d flags:0x%08lx\n",
	       p->comm, state, READ_ONCE(p->on_cpu) ? "  running task   " : "", 0UL, p->pid, ppid,
	       (unsigned long)READ_ONCE(p->flags));
	if (!READ_ONCE(p->on_cpu) || p == current)
		show_stack_task(p);
}

/* Prints the tasks in this state. 0: all tasks. */
static void show_tasks(unsigned state)
{
	struct task_struct *p;
	pid_t pid = 1;

	while ((p = next_task_from(pid))) {
		if (!state || READ_ONCE(p->__state) == state)
			show_task(p);
		pid = p->pid + 1;
		put_task_struct(p);
		cond_resched();
	}
}

static void sysrq_show_state(void)
{
	show_tasks(0);
}
SYSRQ_KEY(t) = { 't', sysrq_show_state, "show-task-states(t)", "Show State" };

static void sysrq_show_blocked(void)
{
	show_tasks(TASK_UNINTERRUPTIBLE);
}
SYSRQ_KEY(w) = { 'w', sysrq_show_blocked, "show-blocked-tasks(w)", "Show Blocked State" };
