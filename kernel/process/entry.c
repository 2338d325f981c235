/*
 * What a task does on its way back to user mode. The entry code comes here if user_work or
 * quiescent_work of the task is not 0, or if the CPU is asked to reschedule.
 *
 * The stack of the task holds nothing but this function, so it is a quiescent point, for tasks that
 * make no system calls, too: RCU-tasks and live patching kick a task that runs in user mode.
 */
#include "kernel/process/entry.h"

#include "arch/cpu/ptrace.h"
#include "arch/user/signal.h"
#include "arch/user/process.h"
#include "kernel/bug.h"
#include "kernel/preemptirq.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/quiescent.h"
#include "kernel/sched/user_work.h"
#include "kernel/task/task_work.h"
#include "kernel/task/tracee.h"

#define RARE_WORK   (USER_WORK_TASK_WORK | USER_WORK_PTRACE)
#define SIGNAL_WORK (USER_WORK_SIGPENDING | USER_WORK_RESTORE_SIGMASK | RARE_WORK)

/*
 * A signal, or a function that may send some, waits while the task executes a probed instruction
 * elsewhere (trace/uprobes/): its handler would see a wrong address. A task that must die does so
 * at once.
 */
static bool signal_work(const struct task_struct *p)
{
	return test_user_work(p, SIGNAL_WORK) && (!p->uprobe_step || fatal_signal_pending(p));
}

static bool work_left(struct task_struct *p)
{
	return test_preempt_need_resched() || READ_ONCE(p->quiescent_work) || signal_work(p);
}

/* An unbalanced preempt_disable() would otherwise be found far from its place. */
static void check_preempt_count(const struct pt_regs *regs)
{
	u32 count = preempt_count();

	if (likely(!count))
		return;
	pr_err("preempt_count is %08x at the return to user mode, orig_ax is %ld\n", count,
	       (long)regs->orig_ax);
	WARN_ON(count);
	preempt_count_sub(count);
}

/* What comes before signals, because it may send some. */
static void rare_work(struct task_struct *p, struct pt_regs *regs)
{
	if (test_user_work(p, USER_WORK_TASK_WORK))
		task_work_run();
	if (test_user_work(p, USER_WORK_PTRACE))
		ptrace_ops.exit_to_user(regs);
}

void exit_to_user_mode_loop(struct pt_regs *regs)
{
	struct task_struct *p = current;

	check_preempt_count(regs);
	while (work_left(p)) {
		local_irq_enable();
		if (test_preempt_need_resched())
			schedule();
		task_quiescent(p);
		if (signal_work(p)) {
			if (unlikely(test_user_work(p, RARE_WORK)))
				rare_work(p, regs);
			arch_do_signal(regs); /* also without a signal */
		}
		local_irq_disable();
	}
	arch_exit_to_user_mode(p);
	report_irqs(on, _RET_IP_, 0);
}
