/*
 * System calls and single steps of a tracee.
 *
 * A system call of a tracee whose tracer wants to see it is diverted before its body
 * (kernel/process/divert.c). The task stops, makes the call that the registers describe then, and
 * reports the end on its way to user mode: USER_WORK_PTRACE. A tracer that asks for
 * the end only while the task is within a call, in the stop of an event, gets it the same way.
 *
 * A single step is the flag TF of the program's registers, which makes the CPU trap after one
 * instruction. SYSCALL clears TF, so a stepped system call ends with a trap by software.
 */
#include "arch/mm/uaccess.h"
#include "arch/user/ptrace.h"
#include "arch/user/syscall_regs.h"
#include "kernel/init.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"

static bool has_work(unsigned work)
{
	return READ_ONCE(current->syscall_trace) & work;
}

/* Stops at one end of a system call. A signal of the tracer comes as if the kernel had sent it. */
static void report_syscall(unsigned long message)
{
	int code = SIGTRAP, sig;
	struct siginfo info;

	spin_lock_irq(&current->sighand->siglock);
	if (current->tracee && (READ_ONCE(current->tracee->options) & PTRACE_O_TRACESYSGOOD))
		code |= 0x80;
	spin_unlock_irq(&current->sighand->siglock);
	sig = ptrace_notify(code, message);
	if (sig > 0 && sig <= _NSIG) {
		init_siginfo(&info, sig, SI_KERNEL);
		(void)do_send_sig_info(&info, current, PIDTYPE_PID);
	}
}

/* ptrace_ops.syscall_enter() */
static void syscall_enter(void)
{
	report_syscall(PTRACE_EVENTMSG_SYSCALL_ENTRY);
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

/* ptrace_ops.unstep(): no trap of the step, which may be over, is left. siglock held. */
static void unstep(void)
{
	current->jobctl &= ~JOBCTL_UNSTEP;
	user_disable_single_step(current);
	flush_sigqueue_mask(&current->pending, SIG_BIT(SIGTRAP));
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

enum { SYSCALL_INFO_NONE, SYSCALL_INFO_ENTRY, SYSCALL_INFO_EXIT, SYSCALL_INFO_SECCOMP };

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
		struct {
			u64 nr, args[6];
			u32 ret_data;
		} seccomp;
	};
};
BUILD_BUG_ON(sizeof(struct ptrace_syscall_info) != 88);

#define END_OF(member)                                                                             \
	(offsetof(struct ptrace_syscall_info, member) +                                            \
	 sizeof(((struct ptrace_syscall_info *)0)->member))

/*
 * Which end of a system call the stop is at; Linux, too, knows it only with TRACESYSGOOD. Or the
 * event of a filter: then with its data.
 */
static int syscall_stop(struct task_struct *task, u32 *data)
{
	int op = SYSCALL_INFO_NONE;

	spin_lock_irq(&task->sighand->siglock);
	if (task->tracee->info) {
		unsigned long message = task->tracee->message;

		if (task->tracee->info->si_code == (SIGTRAP | 0x80))
			op = (int)message; /* SYSCALL_INFO_ENTRY or _EXIT */
		else if (task->tracee->info->si_code == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
			op = SYSCALL_INFO_SECCOMP;
		*data = (u32)message;
	}
	spin_unlock_irq(&task->sighand->siglock);
	return op;
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
	u32 data = 0;

	info.op = (u8)syscall_stop(task, &data);
	switch (info.op) {
	case SYSCALL_INFO_SECCOMP: /* begins as an entry */
		info.seccomp.ret_data = data;
		fallthrough;
	case SYSCALL_INFO_ENTRY:
		info.entry.nr = (u64)(s64)(int)regs->orig_ax;
		arch_syscall_args(regs, info.entry.args);
		actual = info.op == SYSCALL_INFO_ENTRY ? END_OF(entry.args)
						       : END_OF(seccomp.ret_data);
		break;
	case SYSCALL_INFO_EXIT:
		info.exit.rval = (s64)regs->ax;
		info.exit.is_error = regs->ax >= (u64)-MAX_ERRNO;
		actual = END_OF(exit.is_error);
		break;
	}
	return copy_to_user(to, &info, min(actual, size)) ? -EFAULT : (long)actual;
}

static int __init ptrace_syscall_init(void)
{
	ptrace_ops.syscall_enter = syscall_enter;
	ptrace_ops.handler = step_into_handler;
	ptrace_ops.unstep = unstep;
	ptrace_ops.exit_to_user = exit_to_user;
	return 0;
}
early_initcall(ptrace_syscall_init);
