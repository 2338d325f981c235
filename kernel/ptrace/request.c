/* The tracer's side of ptrace(2): the requests. See ptrace.h. */
#include "arch/mm/uaccess.h"
#include "arch/user/ptrace.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/user_work.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/task/pid.h"

/* CONT, SYSCALL, SINGLESTEP: the task goes on, with that signal. */
static long resume(struct task_struct *task, long request, unsigned long sig)
{
	if (sig > _NSIG)
		return -EIO;
	set_syscall_work(task, request == PTRACE_SYSCALL ? SYSCALL_WORK_PTRACE : 0,
			 request == PTRACE_SYSCALL ? 0 : SYSCALL_WORK_PTRACE);
	if (request == PTRACE_SINGLESTEP)
		user_enable_single_step(task);
	else
		user_disable_single_step(task);
	/* Under siglock with the wake-up: else wait4(2) would take the signal for one more stop. */
	spin_lock_irq(&task->sighand->siglock);
	task->exit_code = (int)sig;
	task->jobctl &= ~JOBCTL_UNSTEP; /* of an earlier tracer */
	wake_up_state(task, __TASK_TRACED);
	spin_unlock_irq(&task->sighand->siglock);
	return 0;
}

static long set_options(struct task_struct *task, unsigned long options)
{
	if (options & ~(unsigned long)PTRACE_O_MASK)
		return -EINVAL;
	WRITE_ONCE(task->tracee->options, (u32)options);
	return 0;
}

/* SEIZE, or ATTACH with options 0. */
static long attach(struct task_struct *task, long request, unsigned long addr, unsigned long data)
{
	bool seize = request == PTRACE_SEIZE;

	if (seize && (addr || (data & ~(unsigned long)PTRACE_O_MASK)))
		return -EIO;
	return ptrace_attach(task, seize, seize ? data : 0);
}

/* The siginfo of the stop: a copy of it, or one instead. */
static long get_siginfo(struct task_struct *task, void __user *to)
{
	struct siginfo info;
	bool found;

	spin_lock_irq(&task->sighand->siglock);
	found = task->tracee->info != NULL;
	if (found)
		info = *task->tracee->info;
	spin_unlock_irq(&task->sighand->siglock);
	return found ? copy_siginfo_to_user(to, &info) : -EINVAL;
}

static long set_siginfo(struct task_struct *task, const void __user *from)
{
	struct siginfo info;
	long error = copy_siginfo_from_user(&info, from);

	if (error)
		return error;
	spin_lock_irq(&task->sighand->siglock);
	if (task->tracee->info)
		*task->tracee->info = info;
	else
		error = -EINVAL;
	spin_unlock_irq(&task->sighand->siglock);
	return error;
}

/* In sigsuspend(2) and its kin, the mask is the one that the call will put back. */
static long get_sigmask(struct task_struct *task, size_t size, u64 __user *to)
{
	bool saved = test_user_work(task, USER_WORK_RESTORE_SIGMASK);

	if (size != sizeof(u64))
		return -EINVAL;
	return put_user(saved ? task->saved_sigmask : task->blocked, to) ? -EFAULT : 0;
}

static long set_sigmask(struct task_struct *task, size_t size, const u64 __user *from)
{
	u64 mask;

	if (size != sizeof(mask))
		return -EINVAL;
	if (get_user(mask, from))
		return -EFAULT;
	spin_lock_irq(&task->sighand->siglock);
	/* The task looks at its signals when it goes on. */
	task->blocked = mask & ~SIG_KERNEL_ONLY_MASK;
	clear_user_work(task, USER_WORK_RESTORE_SIGMASK);
	spin_unlock_irq(&task->sighand->siglock);
	return 0;
}

/* Not frozen: makes a seized task stop, whatever it does. */
static long interrupt(struct task_struct *task)
{
	unsigned long flags;
	long error = -EIO;

	if (!lock_task_sighand(task, &flags))
		return -EIO;
	if (task->jobctl & JOBCTL_SEIZED) {
		error = 0;
		if (!fatal_signal_pending(task) && !(task->flags & PF_EXITING)) {
			task->jobctl |= JOBCTL_TRAP_STOP;
			signal_wake_up(task, task->jobctl & JOBCTL_LISTENING ? __TASK_TRACED : 0);
		}
	}
	unlock_task_sighand(task, flags);
	return error;
}

/* A seized task in PTRACE_EVENT_STOP stays as it is, but wait4(2) hears of the next event. */
static long listen(struct task_struct *task)
{
	const struct siginfo *info;
	long error = -EIO;

	spin_lock_irq(&task->sighand->siglock);
	info = task->tracee->info;
	if ((task->jobctl & JOBCTL_SEIZED) && info && info->si_code >> 8 == PTRACE_EVENT_STOP) {
		task->jobctl |= JOBCTL_LISTENING;
		if (task->jobctl & JOBCTL_TRAP_NOTIFY) /* it has come since the stop began */
			signal_wake_up(task, __TASK_TRACED);
		error = 0;
	}
	spin_unlock_irq(&task->sighand->siglock);
	return error;
}

static long kill_tracee(struct task_struct *task)
{
	struct siginfo info;

	fill_kill_info(&info, SIGKILL, SI_USER);
	(void)do_send_sig_info(&info, task, PIDTYPE_PID);
	return 0;
}

/* task is frozen. */
static long frozen_request(struct task_struct *task, long request, unsigned long addr,
			   unsigned long data)
{
	void __user *user = (void __user *)data;

	switch (request) {
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA:
		return ptrace_peek(task, addr, user);
	case PTRACE_POKETEXT:
	case PTRACE_POKEDATA:
		return ptrace_poke(task, addr, data);
	case PTRACE_CONT:
	case PTRACE_SYSCALL:
	case PTRACE_SINGLESTEP:
		return resume(task, request, data);
	case PTRACE_DETACH:
		return ptrace_detach(task, data);
	case PTRACE_OLDSETOPTIONS:
	case PTRACE_SETOPTIONS:
		return set_options(task, data);
	case PTRACE_GETEVENTMSG:
		return put_user(task->tracee->message, (unsigned long __user *)user) ? -EFAULT : 0;
	case PTRACE_GETSIGINFO:
		return get_siginfo(task, user);
	case PTRACE_SETSIGINFO:
		return set_siginfo(task, user);
	case PTRACE_GETSIGMASK:
		return get_sigmask(task, addr, user);
	case PTRACE_SETSIGMASK:
		return set_sigmask(task, addr, user);
	case PTRACE_GETREGSET:
	case PTRACE_SETREGSET:
		return ptrace_regset(task, addr, user, request == PTRACE_SETREGSET);
	case PTRACE_LISTEN:
		return listen(task);
	case PTRACE_GET_SYSCALL_INFO:
		return ptrace_get_syscall_info(task, addr, user);
	}
	return arch_ptrace(task, request, addr, data);
}

static long request_of_tracer(struct task_struct *task, long request, unsigned long addr,
			      unsigned long data)
{
	bool frozen = request != PTRACE_KILL && request != PTRACE_INTERRUPT;
	long ret = ptrace_check_attach(task, frozen);

	if (ret)
		return ret;
	if (request == PTRACE_KILL)
		return kill_tracee(task);
	if (request == PTRACE_INTERRUPT)
		return interrupt(task);
	ret = frozen_request(task, request, addr, data);
	/* A task that has been let go may be frozen by its next tracer. */
	if (ret || request != PTRACE_DETACH)
		ptrace_unfreeze(task);
	return ret;
}

/* Restricted: no SYSEMU, SINGLEBLOCK, PEEKSIGINFO (EIO) */
SYSCALL_DEFINE4(ptrace, long, request, long, pid, unsigned long, addr, unsigned long, data)
{
	struct task_struct *task;
	long ret;

	if (request == PTRACE_TRACEME)
		return ptrace_traceme();
	task = find_get_task_by_pid((pid_t)pid);
	if (!task)
		return -ESRCH;
	if (request == PTRACE_ATTACH || request == PTRACE_SEIZE)
		ret = attach(task, request, addr, data);
	else
		ret = request_of_tracer(task, request, addr, data);
	put_task_struct(task);
	return ret;
}
