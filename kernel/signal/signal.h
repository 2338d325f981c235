/*
 * Signals of programs.
 *
 * A signal goes to a task (tgkill(2), a fault) or to a process (kill(2)), for any of its tasks that
 * does not block it. It waits in task->pending or signal->shared_pending. The sender sets
 * USER_WORK_SIGPENDING in the task that is to take it and wakes it. On the way back to ring 3,
 * arch_do_signal() calls get_signal(), which acts on signals without a handler (ignore, stop, end)
 * and returns one with a handler; the machine then builds a frame on the program's stack.
 *
 * Locks: sighand->siglock protects both queues, the actions, the masks and the state of a group
 * stop. It is taken with interrupts off, because timers send signals. Order: tasklist_lock,
 * siglock, then P and R of the scheduler. Code that may run in an interrupt reaches the lock of
 * another task by lock_task_sighand(), which needs no tasklist_lock.
 */
#pragma once

#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/siginfo.h"

struct pt_regs;

/* Sets of signals (signal(7)). */
#define SIG_KERNEL_ONLY_MASK (SIG_BIT(SIGKILL) | SIG_BIT(SIGSTOP))
#define SIG_KERNEL_STOP_MASK                                                                       \
	(SIG_BIT(SIGSTOP) | SIG_BIT(SIGTSTP) | SIG_BIT(SIGTTIN) | SIG_BIT(SIGTTOU))
#define SIG_KERNEL_COREDUMP_MASK                                                                   \
	(SIG_BIT(SIGQUIT) | SIG_BIT(SIGILL) | SIG_BIT(SIGTRAP) | SIG_BIT(SIGABRT) |                \
	 SIG_BIT(SIGFPE) | SIG_BIT(SIGSEGV) | SIG_BIT(SIGBUS) | SIG_BIT(SIGSYS) |                  \
	 SIG_BIT(SIGXCPU) | SIG_BIT(SIGXFSZ))
#define SIG_KERNEL_IGNORE_MASK                                                                     \
	(SIG_BIT(SIGCONT) | SIG_BIT(SIGCHLD) | SIG_BIT(SIGWINCH) | SIG_BIT(SIGURG))
#define SYNCHRONOUS_MASK                                                                           \
	(SIG_BIT(SIGSEGV) | SIG_BIT(SIGBUS) | SIG_BIT(SIGILL) | SIG_BIT(SIGTRAP) |                 \
	 SIG_BIT(SIGFPE) | SIG_BIT(SIGSYS))

/* Values of task_struct.jobctl; the lowest bits are the signal of a stop. */
#define JOBCTL_STOP_SIGMASK  0xffffU
#define JOBCTL_STOP_DEQUEUED 0x10000U /* a stop signal was taken, and no SIGCONT came since */
#define JOBCTL_STOP_PENDING  0x20000U /* the task must stop */
#define JOBCTL_STOP_CONSUME  0x40000U /* its stop counts in group_stop_count */
/* Of a task that has a tracee (kernel/task/tracee.h). */
#define JOBCTL_TRAP_STOP   0x80000U   /* the task must stop for its tracer */
#define JOBCTL_TRAP_NOTIFY 0x100000U  /* the same: a group stop has begun or ended */
#define JOBCTL_TRAPPING    0x200000U  /* the tracer waits until a stopped task is traced */
#define JOBCTL_LISTENING   0x400000U  /* traced and stopped, but wait(2) does not see it */
#define JOBCTL_TRACED      0x800000U  /* the task has a tracee */
#define JOBCTL_SEIZED      0x1000000U /* by PTRACE_SEIZE */
#define JOBCTL_UNSTEP      0x2000000U /* the tracer has gone during a step */
#define JOBCTL_TRAP_MASK   (JOBCTL_TRAP_STOP | JOBCTL_TRAP_NOTIFY)
/* What a SIGCONT takes back; what keeps a task in the kernel; what the end of a task takes back. */
#define JOBCTL_STOP_MASK    (JOBCTL_STOP_PENDING | JOBCTL_STOP_CONSUME | JOBCTL_STOP_DEQUEUED)
#define JOBCTL_PENDING_MASK (JOBCTL_STOP_PENDING | JOBCTL_TRAP_MASK | JOBCTL_UNSTEP)
#define JOBCTL_ENDED_MASK   (JOBCTL_PENDING_MASK | JOBCTL_STOP_CONSUME | JOBCTL_TRAPPING)

/* A signal with a handler, as get_signal() hands it out. */
struct ksignal {
	struct k_sigaction ka;
	struct siginfo info;
	int sig;
};

/*
 * One pending signal with what comes with it. [S] siglock of the process that gets it; [C]
 * constant.
 */
struct sigqueue {
	struct list_head list;    /* [S] in sigpending.list */
	struct siginfo info;      /* [S] */
	bool queued;              /* [S] */
	struct user_struct *user; /* [C] whose sigpending counts it; counted */
	/* [S] of sigqueue_alloc(); NULL: it is freed when it leaves its queue */
	void (*taken)(struct sigqueue *q, struct siginfo *info);
	void *owner;
};

/* ---- sending (send.c) ---- */

/*
 * Sends info->si_signo to p (type PIDTYPE_PID) or to its process (other types). force: the kernel
 * sends it, also to PID 1. 0, or -EAGAIN: a real-time signal finds no room in the queue. siglock
 * held.
 */
int send_signal_locked(const struct siginfo *info, struct task_struct *p, enum pid_type type,
		       bool force);
/*
 * Sends the signal in an entry of sigqueue_alloc(). If it waits already, its si_overrun counts. 0,
 * or 1: p ignores it. siglock held.
 */
int send_sigqueue_locked(struct sigqueue *q, struct task_struct *p, enum pid_type type);
/* The same, and takes siglock. -ESRCH: p has been reaped. Any context but NMI. */
int do_send_sig_info(const struct siginfo *info, struct task_struct *p, enum pid_type type);
/* The same after the permission check of kill(2): -EPERM. info->si_signo 0: only the check. */
int group_send_sig_info(const struct siginfo *info, struct task_struct *p, enum pid_type type);
/* The same for a process. -ESRCH: no task has that PID. Task context. */
int kill_pid_info(const struct siginfo *info, pid_t pid);
/* As kill(2). Task context. */
int kill_something_info(const struct siginfo *info, pid_t pid);
/* What kill(2) and its kin tell of their sender, the current process. */
static inline void fill_kill_info(struct siginfo *info, int sig, int code)
{
	init_siginfo(info, sig, code);
	info->si_pid = current->tgid;
	info->si_uid = current_uid();
}
/*
 * The current task has done what sig stands for, and cannot go on: sends it even if it is blocked
 * or ignored; then without a handler. Task context.
 */
void force_sig(int sig);
/* What may keep such a signal from ending the process. */
enum sig_handler {
	HANDLER_CURRENT, /* the program's handler, if the signal is not blocked; a tracer */
	HANDLER_SIG_DFL, /* a tracer */
	HANDLER_EXIT,    /* nothing: no tracer sees the signal, and no thread sets a handler */
};
void force_sig_info(const struct siginfo *info, enum sig_handler handler);
void force_sig_fault(int sig, int code, unsigned long addr);
/* The same for a signal that the handler's frame itself could not take: ends the program. */
void force_sigsegv(int sig);
/* True if the program has no handler for sig, so that it ends: the log names it. */
bool unhandled_signal(const struct task_struct *tsk, int sig);
/*
 * Tells the parent of tsk, a leader that has ended, by signal sig and by wake-up. True: the parent
 * ignores its children, and tsk is to be reaped at once. tasklist_lock held.
 */
bool do_notify_parent(struct task_struct *tsk, int sig);
/*
 * The same for a process that has stopped or continued, with the signal that did it: why is
 * CLD_STOPPED or CLD_CONTINUED. tasklist_lock held.
 */
void do_notify_parent_cldstop(struct task_struct *tsk, int why, int sig);
/* Tells the tracer of tsk that this one task has stopped or continued. tasklist_lock held. */
void notify_tracer(struct task_struct *tsk, int why, int sig);
/* The thread gets SIGKILL, whatever it waits for. siglock held. */
void end_thread(struct task_struct *t);
/* All other threads of the current process get SIGKILL. Returns their number. siglock held. */
int zap_other_threads(struct task_struct *p);
/*
 * Makes t look at its signals: wakes it if it sleeps in TASK_INTERRUPTIBLE or in one of states, or
 * interrupts it in ring 3. siglock held.
 */
void signal_wake_up(struct task_struct *t, unsigned states);
/* Makes a task that is seized look at the group stop that begins or ends. siglock held. */
void trap_notify(struct task_struct *t);

/* ---- queues (queue.c) ---- */

/* Puts info into a queue. False: no memory, or the limit of p's user. siglock held. */
bool sigqueue_add(struct sigpending *pending, const struct siginfo *info, struct task_struct *p);
/* Takes a signal that mask does not block, and fills *info. 0: none. siglock held. */
int dequeue_signal(struct task_struct *tsk, u64 mask, struct siginfo *info);
/*
 * Hook of ITIMER_REAL: a thread of the process has taken a SIGALRM. siglock held. NULL: no timers.
 */
extern void (*sigalrm_taken_hook)(struct signal_struct *signal);
/* The signals that wait for the current task, and that mask does not block. siglock held. */
u64 pending_unblocked(u64 mask);
/* Takes a fault's signal of the current task. 0: none. siglock held. */
int dequeue_synchronous_signal(struct siginfo *info);
/*
 * An entry that its owner, a timer, sends again and again; it counts for the limit of the current
 * user. taken: the signal is delivered, may change *info; siglock held. NULL: no memory, or the
 * limit. sigqueue_disown(): the owner goes away; a signal that waits stays. siglock held.
 */
struct sigqueue *sigqueue_alloc(void (*taken)(struct sigqueue *q, struct siginfo *info),
				void *owner);
void sigqueue_disown(struct sigqueue *q);
/* Removes the signals of a set. siglock held, or no other task can see pending. */
void flush_sigqueue_mask(struct sigpending *pending, u64 mask);
void flush_sigqueue(struct sigpending *pending);
/*
 * Frees what is queued now for the current task or process, which ends, but leaves the set of
 * signals, which /proc shows. Takes siglock for each entry alone: there may be thousands. What is
 * sent later ends with the task. Task context.
 */
void free_ended_signals(struct sigpending *pending);
/* Frees the entry that a process keeps for its next signal. No other task can see signal. */
void free_spare_sigqueue(struct signal_struct *signal);

/* ---- the current task (deliver.c) ---- */

/*
 * The current task stops as a part of its process. Returns the signal if it is the last one, else
 * 0: once siglock is free, a wait or a SIGCONT takes it out of group_exit_code. siglock held.
 */
int participate_in_stop(struct task_struct *tsk);
/* Sets or clears USER_WORK_SIGPENDING. siglock held. */
void recalc_sigpending(void);
/* Sets the mask of blocked signals. SIGKILL and SIGSTOP cannot be blocked. Task context. */
void set_current_blocked(u64 mask);
/* The same, without these two in mask, and with siglock held. */
void set_blocked_locked(u64 mask);
/* Sets a mask until the next return to ring 3 (sigsuspend(2), ppoll(2)). Task context. */
void set_user_sigmask(u64 mask);
/* The same from a program; umask NULL: nothing. 0, -EINVAL (wrong size), -EFAULT. Task context. */
int get_user_sigmask(const u64 __user *umask, size_t size);
/* Puts the mask back, unless a signal interrupted the call: then the handler's frame does so. */
void restore_saved_sigmask_unless(bool interrupted);
/*
 * Acts on pending signals. True: ksig has a handler to call; its flags and mask are applied by
 * signal_setup_done(). Task context, on the way to ring 3. Does not return if the program ends.
 */
bool get_signal(struct ksignal *ksig);
/* The frame was built, or could not be: blocks the handler's mask, or ends the program. */
void signal_setup_done(bool failed, const struct ksignal *ksig);
/* The mask that the frame saves: that of before sigsuspend(2) or its kin. */
static inline u64 sigmask_to_save(void)
{
	const struct task_struct *tsk = current;

	return READ_ONCE(tsk->user_work) & USER_WORK_RESTORE_SIGMASK ? tsk->saved_sigmask
								     : tsk->blocked;
}
/*
 * The current task is about to end: other threads take the signals of the process. True: a thread
 * writes a core file, and waits for coredump_ops->wait().
 */
bool exit_signals(struct task_struct *tsk);

/* ---- the alternate stack ---- */

static inline bool in_sig_stack(unsigned long sp)
{
	const struct task_struct *tsk = current;

	return sp > tsk->sas_ss_sp && sp - tsk->sas_ss_sp <= tsk->sas_ss_size;
}

/* True if a handler runs on it. With SS_AUTODISARM a handler that runs has switched it off. */
static inline bool on_sig_stack(unsigned long sp)
{
	return !(current->sas_ss_flags & SS_AUTODISARM) && in_sig_stack(sp);
}

/* For the frame: what sigaltstack(2) would tell at stack pointer sp. */
static __always_inline void save_altstack(struct sigaltstack *stack, unsigned long sp)
{
	const struct task_struct *tsk = current;

	__builtin_memset(stack, 0, sizeof(*stack)); /* padding, too: a program gets to see it */
	stack->ss_sp = tsk->sas_ss_sp;
	stack->ss_size = tsk->sas_ss_size;
	stack->ss_flags = (int)(tsk->sas_ss_flags & SS_AUTODISARM);
	if (!tsk->sas_ss_size)
		stack->ss_flags |= SS_DISABLE;
	else if (on_sig_stack(sp))
		stack->ss_flags |= SS_ONSTACK;
}
/* Sets it as sigaltstack(2) does at stack pointer sp. */
int set_altstack(const struct sigaltstack *stack, unsigned long sp);

/* sigreturn(2) sets it back; an invalid one is ignored, as in Linux. */
static __always_inline void restore_altstack(const struct sigaltstack *stack, unsigned long sp)
{
	if (current->sas_ss_size || stack->ss_flags != SS_DISABLE)
		(void)set_altstack(stack, sp);
}
