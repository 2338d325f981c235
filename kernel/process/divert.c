/*
 * System calls that somebody looks at first: the tracer of the task (kernel/ptrace/), then its
 * filters (kernel/seccomp/), as on Linux: what the tracer has changed is filtered, too.
 */
#include "arch/cpu/ptrace.h"
#include "arch/user/syscall_regs.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/syscalls/unistd.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/tracee.h"

const struct seccomp_ops *seccomp_ops;

static bool has_work(unsigned work)
{
	return READ_ONCE(current->syscall_trace) & work;
}

long syscall_divert(void)
{
	long ret = -ENOSYS; /* a killed task makes no more calls */

	if (has_work(SYSCALL_WORK_PTRACE))
		ptrace_ops.syscall_enter();
	set_syscall_work(current, SYSCALL_WORK_DIVERTED, 0);
	if (!fatal_signal_pending(current) &&
	    (!has_work(SYSCALL_WORK_SECCOMP) || seccomp_ops->check(&ret)))
		ret = arch_make_syscall(task_pt_regs(current));
	if (has_work(SYSCALL_WORK_PTRACE | SYSCALL_WORK_STEP))
		set_user_work(current, USER_WORK_PTRACE); /* the tracer sees the end, too */
	else
		set_syscall_work(current, 0, SYSCALL_WORK_DIVERTED);
	return ret;
}
