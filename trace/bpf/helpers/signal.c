/*
 * Signals to the current task. The program may hold any lock, and may be in an NMI: so an irq_work
 * sends the signal, as soon as interrupts are on.
 */
#include "kernel/errno.h"
#include "kernel/irq/irq_work.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "trace/bpf/helpers/helpers.h"

/* One for each CPU: of the program that has found claimed 0, until the signal is sent. */
struct signal_work {
	struct irq_work irq_work;
	u32 claimed;              /* [A] by programs on this CPU that interrupt one another */
	struct task_struct *task; /* counted */
	int sig;
	enum pid_type type;
};

/* Hardirq. */
static void send(struct irq_work *irq_work)
{
	struct signal_work *work = container_of(irq_work, struct signal_work, irq_work);
	struct task_struct *task = work->task;
	enum pid_type type = work->type;
	struct siginfo info;

	init_siginfo(&info, work->sig, SI_KERNEL);
	smp_store_release(&work->claimed, 0);
	if (info.si_signo)
		(void)do_send_sig_info(&info, task, type);
	put_task_struct(task);
}

static DEFINE_PER_CPU(struct signal_work, signal_work) = { .irq_work = { .func = send } };

static u64 queue_signal(u32 sig, enum pid_type type)
{
	struct task_struct *task = current_stable;
	struct signal_work *work = this_cpu_ptr(&signal_work);

	/* PID 1 must not die. */
	if ((task->flags & (PF_KTHREAD | PF_EXITING)) || task->tgid == 1)
		return (u64)-EPERM;
	if (sig > _NSIG)
		return (u64)-EINVAL;
	if (xchg(&work->claimed, 1))
		return (u64)-EBUSY;
	work->task = get_task_struct(task);
	work->sig = (int)sig;
	work->type = type;
	irq_work_queue(&work->irq_work);
	return 0;
}

BPF_CALL_1(bpf_send_signal, u32, sig)
{
	return queue_signal(sig, PIDTYPE_TGID);
}

BPF_CALL_1(bpf_send_signal_thread, u32, sig)
{
	return queue_signal(sig, PIDTYPE_PID);
}
