/*
 * System calls and single steps of a tracee.
 *
 * A system call of a tracee whose tracer wants to see it comes here (syscall_divert_hook) from the
 * function of the call, before its body. The task stops, calls the function for what the registers
 * say then, and reports the end on its way to user mode: USER_WORK_PTRACE. A tracer that asks for
 * the end only while the task is within a call, in the stop of an event, gets it the same way.
 *
 * A single step is the flag TF of the program's registers, which makes the CPU trap after one
 * instruction. SYSCALL clears TF, so a stepped system call ends with a trap by software.
 */
#include "arch/mm/uaccess.h"
#include "arch/user/ptrace.h"
#include "kernel/init.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"

void set_syscall_work(struct task_struct *task, unsigned set, unsigned clear)
{
	if (clear)
		__atomic_fetch_and(&task->syscall_trace, (u16)~clear, __ATOMIC_SEQ_CST);
	if (set)
		__atomic_fetch_or(&task->syscall_trace, (u16)set, __ATOMIC_SEQ_CST);
}

static bool has_work(unsigned work)
{
	return READ_ONCE(current->syscall_trace) & work;
}

/* Stops at one end of a system call. A signal of the tracer comes as if it had been sent. */
static void report_syscall(unsigned long message)
{
	int code = SIGTRAP, sig;

	spin_lock_irq(&current->sighand->siglock);
	if (current->tracee && (READ_ONCE(current->tracee->options) & PTRACE_O_TRACESYSGOOD))
		code |= 0x80;
	spin_unlock_irq(&current->sighand->siglock);
	sig = ptrace_notify(code, message);
	if (sig > 0 && sig <= _NSIG)
		send_sig(sig);
}

/* syscall_divert_hook */
static long divert(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	long ret;

	if (has_work(SYSCALL_WORK_PTRACE))
		report_syscall(PTRACE_EVENTMSG_SYSCALL_ENTRY);
	set_syscall_work(current, SYSCALL_WORK_DIVERTED, 0);
	/* A killed task makes no more calls. A tracer makes a task leave one out by number -1. */
	ret = fatal_signal_pending(current) ? -ENOSYS : arch_make_syscall(regs);
	set_user_work(current, USER_WORK_PTRACE);
	return ret;
}

void ptrace_stopped_in_syscall(void)
{
	if (!has_work(SYSCALL_WORK_PTRACE | SYSCALL_WORK_STEP))
		return;
	set_syscall_work(current, SYSCALL_WORK_DIVERTED, 0);
	set_user_work(current, USER_WORK_PTRACE);
}

/* ptrace_ops.handler(): a step into a handler ends at its first instruction. siglock held. */
static void step_into_handler(void)
{
	if (!has_work(SYSCALL_WORK_STEP))
		return;
	user_disable_single_step(current); /* or the frame would have the flag, and keep it */
	set_user_work(current, USER_WORK_PTRACE);
}

/* ptrace_ops.exit_to_user(): a diverted call has ended, or else a step has led into a handler. */
static void exit_to_user(struct pt_regs *regs)
{
	clear_user_work(current, USER_WORK_PTRACE);
	if (!has_work(SYSCALL_WORK_DIVERTED)) {
		(void)ptrace_notify(SIGTRAP, 0);
		return;
	}
	set_syscall_work(current, 0, SYSCALL_WORK_DIVERTED);
	if (has_work(SYSCALL_WORK_STEP))
		force_sig_fault(SIGTRAP, TRAP_BRKPT, regs->ip);
	else if (has_work(SYSCALL_WORK_PTRACE))
		report_syscall(PTRACE_EVENTMSG_SYSCALL_EXIT);
}

/* ---- PTRACE_GET_SYSCALL_INFO ---- */

enum { SYSCALL_INFO_NONE, SYSCALL_INFO_ENTRY, SYSCALL_INFO_EXIT };

struct ptrace_syscall_info {
	u8 op;
	u8 pad[3];
	u32 arch;
	u64 instruction_pointer, stack_pointer;
	union {
		struct {
			u64 nr, args[6];
		} entry;
		struct {
			s64 rval;
			u8 is_error;
		} exit;
		u8 bytes[64]; /* the longest, for seccomp */
	};
};
BUILD_BUG_ON(sizeof(struct ptrace_syscall_info) != 88);

#define END_OF(member)                                                                             \
	(offsetof(struct ptrace_syscall_info, member) +                                            \
	 sizeof(((struct ptrace_syscall_info *)0)->member))

/* Which end of a system call the stop is at. Linux, too, knows it only with TRACESYSGOOD. */
static unsigned long syscall_stop(struct task_struct *task)
{
	unsigned long message = 0;

	spin_lock_irq(&task->sighand->siglock);
	if (task->tracee->info && task->tracee->info->si_code == (SIGTRAP | 0x80))
		message = task->tracee->message;
	spin_unlock_irq(&task->sighand->siglock);
	return message;
}

long ptrace_get_syscall_info(struct task_struct *task, size_t size, void __user *to)
{
	const struct pt_regs *regs = task_pt_regs(task);
	struct ptrace_syscall_info info = {
		.arch = AUDIT_ARCH,
		.instruction_pointer = regs->ip,
		.stack_pointer = regs->sp,
	};
	size_t actual = offsetof(struct ptrace_syscall_info, entry);

	switch (syscall_stop(task)) {
	case PTRACE_EVENTMSG_SYSCALL_ENTRY:
		info.op = SYSCALL_INFO_ENTRY;
		info.entry.nr = (u64)(s64)(int)regs->orig_ax;
		arch_syscall_args(regs, info.entry.args);
		actual = END_OF(entry.args);
		break;
	case PTRACE_EVENTMSG_SYSCALL_EXIT:
		info.op = SYSCALL_INFO_EXIT;
		info.exit.rval = (s64)regs->ax;
		info.exit.is_error = regs->ax >= (u64)-MAX_ERRNO;
		actual = END_OF(exit.is_error);
		break;
	}
	return copy_to_user(to, &info, min(actual, size)) ? -EFAULT : (long)actual;
}

static int __init ptrace_syscall_init(void)
{
	syscall_divert_hook = divert;
	ptrace_ops.handler = step_into_handler;
	ptrace_ops.exit_to_user = exit_to_user;
	return 0;
}
early_initcall(ptrace_syscall_init);
