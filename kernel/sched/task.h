/*
 * struct task_struct: one thread of the kernel.
 *
 * Legend: [R] the lock of the run queue on which the task is; [P] task->lock; [L] tasklist_lock, to
 * read too; [O] only the task itself; [C] constant after creation; [A] atomic; [X] owned by the
 * room named.
 */
#pragma once

#include "arch/cpu/processor.h"
#include "kernel/cpumask.h"
#include "kernel/lib/list.h"
#include "kernel/lib/rbtree.h"
#include "kernel/locking/held_locks.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/thread_size.h"
#include "kernel/sched/completion.h"
#include "kernel/sched/io_accounting.h"
#include "kernel/sched/signal.h"
#include "kernel/task/callback_head.h"

struct cred;
struct debugregs;
struct files_struct;
struct fs_struct;
struct mm_struct;
struct pid;
struct rt_mutex_waiter;
struct sighand_struct;
struct signal_struct;
struct seccomp_filter;
struct tracee;

#define TASK_COMM_LEN 16

/* Values of __state. /proc/PID/stat prints them as R, S, D, I. */
#define TASK_RUNNING         0x00
#define TASK_INTERRUPTIBLE   0x01
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_NORMAL          (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)
#define __TASK_STOPPED       0x04  /* by a signal, until SIGCONT */
#define __TASK_TRACED        0x08  /* by ptrace(2), until the tracer lets it go on */
#define TASK_DEAD            0x80  /* in its last switch, or after it */
#define TASK_WAKEKILL        0x100 /* SIGKILL ends the sleep */
#define TASK_KILLABLE        (TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_STOPPED         (TASK_WAKEKILL | __TASK_STOPPED)
#define TASK_TRACED          (TASK_WAKEKILL | __TASK_TRACED)
#define TASK_NOLOAD          0x400 /* not counted in the load average */
#define TASK_NEW             0x800 /* not woken yet, for the first time */
#define TASK_IDLE            (TASK_UNINTERRUPTIBLE | TASK_NOLOAD) /* a service without work */
/* Values of exit_state: X and Z. */
#define EXIT_DEAD   0x10 /* reaped, or no task will reap it */
#define EXIT_ZOMBIE 0x20 /* ended; its parent has not called wait4() yet */

/* Linux's values, which /proc/PID/stat shows. Linux 6.1 does not use 0x01000000, 0x02000000. */
#define PF_IDLE           0x00000002
#define PF_EXITING        0x00000004
#define PF_POSTCOREDUMP   0x00000008 /* ends, and no core dump waits for it any more */
#define PF_FORKNOEXEC     0x00000040 /* forked, and has not called exec since */
#define PF_NPROC_EXCEEDED 0x00001000 /* became a user with too many tasks: exec asks again */
#define PF_KTHREAD        0x00200000 /* a kernel thread: signals do not end it */
#define PF_OOPSED         0x01000000 /* ended by an oops, perhaps while it held mutexes */
#define PF_FAULT_TRACED   0x02000000 /* the event of its page fault is being recorded */
#define PF_NO_SETAFFINITY 0x04000000 /* bound to its CPU for life */

/* Bits of user_work: what a task does before it returns to user mode. */
#define USER_WORK_SIGPENDING      1  /* a signal may be deliverable */
#define USER_WORK_RESTORE_SIGMASK 2  /* blocked = real_blocked, if no handler was called */
#define USER_WORK_IRET            4  /* the saved registers have changed: return with all of them */
#define USER_WORK_FPU             8  /* the CPU does not have the task's FPU registers */
#define USER_WORK_TASK_WORK       16 /* functions wait in task_works */
#define USER_WORK_PTRACE          32 /* a stop for the tracer is due: ptrace_ops.exit_to_user */

/* SCHED_RR is SCHED_FIFO with slices. SCHED_BATCH and SCHED_IDLE run as SCHED_NORMAL. */
enum sched_policy {
	SCHED_NORMAL = 0,
	SCHED_FIFO = 1,
	SCHED_RR = 2,
	SCHED_BATCH = 3,
	SCHED_IDLE = 5
};
#define RR_SLICE_MS  100 /* until sched_set_rr_slice_ms() */
#define MAX_RT_PRIO  100 /* FIFO levels are 1..99; 99 is the most urgent, as in chrt(1) */
#define PI_PRIO_NONE 140 /* in pi_prio: the task inherits no priority */
#define STOP_PRIO    100 /* more urgent than all of them: only migration/N */

struct sched_entity {
	struct rb_node run_node; /* [R] in the fair tree, by vruntime */
	struct cfs_rq *cfs_rq;   /* [R] of its CPU; [P] while it sleeps */
	u64 vruntime;            /* [R] ns, weighted */
	u64 exec_start;          /* [R] ktime when it last began to run or was charged */
	u64 sum_exec_runtime;    /* [R] ns */
	u64 stat_start;    /* [R] ktime: the sleep or wait began (kernel/sched/schedstats.h) */
	u64 nr_migrations; /* [R] to another CPU, after the first choice */
	/* [R] share of the fair class, 1024 at nice 0; 0 in other classes */
	u32 weight;
};

/* How to go on with a system call that has waited for a part of its time. [O]. */
struct restart_block {
	long (*fn)(struct restart_block *restart); /* NULL: the call ends with -EINTR */
	u64 time;                                  /* ns, the meaning is that of fn */
	unsigned long args[3];
};

/* Which calls of the task fail: trace/inject/. */
struct task_inject {
	unsigned fail_nth; /* [A] it, or the task that has written it; 0: none */
	bool make_it_fail; /* [A] failures may be for such tasks only */
	bool armed;        /* [inject_mutex] has a number in fail-nth, and not yet ended */
};

struct task_struct {
	/* Keep first: arch/cpu/switch.asm uses the offset. */
	void *sp; /* [O] saved stack pointer while not running */

	void *stack; /* [C] lowest byte of the stack (the guard page is below) */

	/*
	 * Keep here. Before each return to user mode arch/user/entry_syscall.asm reads 4 bytes from
	 * quiescent_work on: they are not 0 if the task has something to do on the way. Other tasks
	 * change user_work with set_user_work() (kernel/sched/user_work.h).
	 *
	 * quiescent_work is work for the next quiescent point (kernel/sched/quiescent.h).
	 * RCU-tasks: kernel/rcu/tasks.c. Live patching: trace/livepatch/transition.c. There the
	 * task itself writes the fields with preemption off, or others under P+R while the task
	 * does not run. A transition begins and ends for all tasks under L.
	 */
	union {
		struct {
			u16 syscall_trace; /* [A] SYSCALL_WORK_* */
			union {
				struct {
					/* set by a grace period, cleared by the task */
					bool rcu_tasks_holdout;
					/* the task must check whether it can switch */
					bool patch_pending;
				};
				u16 quiescent_work; /* not 0 if one of them is set */
			};
		};
		/* Not 0: the next system call does not take the short way. */
		u32 syscall_work;
#define SYSCALL_WORK_TRACE     1  /* tracepoints are on; alone: there is no other work */
#define SYSCALL_WORK_PTRACE    2  /* the tracer wants to see both ends of system calls */
#define SYSCALL_WORK_STEP      4  /* the tracer steps: a system call ends with a trap */
#define SYSCALL_WORK_DIVERTED  8  /* the task is in syscall_divert() */
#define SYSCALL_WORK_SECCOMP   16 /* the task has given up system calls */
#define SYSCALL_WORK_FORCED_TF 32 /* no work: TF in its registers is the tracer's, not its own */
#define SYSCALL_WORK_DIVERT    (SYSCALL_WORK_PTRACE | SYSCALL_WORK_STEP | SYSCALL_WORK_SECCOMP)
	};
	u32 user_work;             /* [A] USER_WORK_*, all below 0x10000 */
	bool uprobe_step;          /* [O] executes a probed instruction in a slot: signals wait */
	struct uprobe_task *utask; /* [O] of trace/uprobes/; NULL: it has met no uprobe */

	unsigned __state;    /* TASK_*; written by the task itself, and by its waker under P */
	unsigned exit_state; /* EXIT_* [L]; 0 before its exit */
	unsigned flags;      /* PF_* [O] */
	/*
	 * [O], read by the parent once it is a zombie; wait status as wait(2). [siglock] Before its
	 * end, in a stop for its tracer: what wait(2) is to report; then the tracer's answer.
	 */
	int exit_code;
	pid_t pid;                /* [C] */
	atomic_t usage;           /* [A] references; dropping the last one frees stack and struct */
	char comm[TASK_COMM_LEN]; /* [P] to write; zeros behind the name */

	/* Scheduler: kernel/sched */
	spinlock_t lock; /* P */
	unsigned cpu;    /* [P+R] the CPU it runs or last ran on */
	int on_rq;       /* [R] runnable: queued or running; 0 asleep */
	/* 1 while a CPU uses its context; the switch clears it with a release store */
	int on_cpu;
	enum sched_policy policy; /* [P+R] */
	int rt_priority;          /* [P+R] as it runs: 1..99 for SCHED_FIFO, or STOP_PRIO; else 0 */
	int normal_rt_priority;   /* [P+R] the same without inheritance */
	int pi_prio;              /* [P+R] inherited, as effective_prio() counts; or PI_PRIO_NONE */
	int nice;                 /* [P+R] -20..19 */
	unsigned nr_cpus_allowed; /* [P+R] number of CPUs in cpus_allowed */
	struct cpumask cpus_allowed; /* [P+R] */
	struct sched_entity se;
	struct list_head rt_node; /* [R] in the list of its FIFO level */
	u64 rr_slice_end;         /* [R] SCHED_RR: the sum_exec_runtime at which its slice ends */
	u64 nvcsw, nivcsw;        /* [R] voluntary, involuntary switches */
	struct list_head pi_mutexes; /* [rt_mutex_lock] of rt_mutex.owned: what others wait for */
	struct rt_mutex_waiter *pi_blocked_on; /* [rt_mutex_lock] NULL: waits for no rt_mutex */
	bool pi_dead;   /* [O] to write: it ends, and will own no rt_mutex any more */
	u64 start_time; /* [C] ktime */

	/*
	 * Process: kernel/process. The structs are counted; threads share those that clone() says
	 */
	pid_t tgid;                       /* [C] the process id: the pid of the first thread */
	struct task_struct *group_leader; /* [L] the first thread; a thread that calls exec */
	struct list_head thread_node;     /* [L] in signal->thread_head */
	struct pid *thread_pid;           /* [L] NULL once it is reaped */
	struct list_head pid_links[4];    /* [L] in pid->tasks[type], by enum pid_type */
	struct signal_struct *signal;     /* [C] never NULL */
	struct sighand_struct *sighand;   /* [L and siglock] NULL once it is reaped */
	const struct cred *cred;          /* [O] in whose name it acts; others: RCU */
	const struct cred *real_cred;     /* [O] in whose name others may act on it; others: RCU */
	int exit_signal;            /* [L] sent to the parent at its end; -1: it releases itself */
	bool reset_on_fork;         /* [A] children start with SCHED_OTHER */
	u16 ioprio;                 /* [A] ioprio_set(2) */
	bool dumpable_at_exit;      /* [P] of the memory that it has given up: task_dumpable() */
	bool in_execve;             /* [O] gets the name of a new program */
	bool no_new_privs;          /* [O] exec gives no more rights: prctl(PR_SET_NO_NEW_PRIVS) */
	u64 timer_slack_ns;         /* any task may write it; kept for programs: timers are exact */
	u64 default_timer_slack_ns; /* [C] that of its parent when it began */
	int pdeath_signal;    /* [O] prctl(PR_SET_PDEATHSIG): it gets this when its parent ends */
	int *set_child_tid;   /* [O] user address: gets the pid when the task starts */
	int *clear_child_tid; /* [O] user address: 0 and a futex wake at its end */
	void *robust_list;    /* [O] user address: set_robust_list() */
	struct completion *vfork_done; /* [O] the parent waits in vfork(); NULL: it does not */
	u64 user_ticks, kernel_ticks;  /* [R] ticks that found it in user mode, in the kernel */
	u64 last_utime, last_stime;    /* [P] what task_cputime() has told last */
	/* [O] for RLIMIT_RTTIME: runtime, or 0, and nvcsw at the first tick after its last sleep */
	u64 rt_run_start, rt_run_nvcsw;
	struct callback_head cpu_timer_work; /* [O] kernel/posix_time; func NULL: not queued */
	/* [O] page faults; maj: it waited for a device; bad: it gave no page */
	u64 min_flt, maj_flt, bad_flt;
	struct task_io_accounting ioac; /* [O] for /proc/PID/io */
	/*
	 * [siglock] signal masks, bit n-1. The only thread of a process adds to its own blocked
	 * without the lock: a sender that has seen the old mask causes one useless check.
	 */
	u64 blocked, real_blocked;
	unsigned personality; /* [O] of personality(2) */

	/* Family and signals: kernel/process/{fork,exit}.c, kernel/signal/ */
	/* [L] of a leader: leader of the parent process; else NULL */
	struct task_struct *real_parent;
	struct list_head children; /* [L] of a leader: leaders of the child processes */
	struct list_head sibling;  /* [L] */
	struct list_head tasks;    /* [L] all tasks */
	struct sigpending pending; /* [siglock] signals for this task alone */
	unsigned jobctl;           /* [siglock] JOBCTL_*: what a stop asks of the task */
	struct {
		struct seccomp_filter *filter; /* [siglock] counted */
		/*
		 * [siglock to write] the system calls, by number, that the filters allow in any
		 * case; NULL: none
		 */
		const u64 *allows;
		u8 mode; /* [siglock to write] SECCOMP_MODE_* */
	} seccomp;
	struct tracee *tracee;              /* [L and siglock] NULL: no task traces it */
	struct tracee *tracees;             /* [L] tracee.next of the tasks that it traces */
	struct debugregs *debugregs;        /* [X] arch/user/ptrace_debugreg.c; NULL: none */
	u64 saved_sigmask;                  /* [O] blocked, before sigsuspend(2) or its kin */
	unsigned long sas_ss_sp;            /* [O] the alternate stack of handlers */
	size_t sas_ss_size;                 /* [O] 0: none */
	unsigned sas_ss_flags;              /* [O] SS_* */
	struct restart_block restart_block; /* [O] for restart_syscall(2) */

	/* kthreads */
	int (*thread_fn)(void *data); /* [C] */
	void *thread_data;            /* [C] */
	bool should_stop;             /* set by kthread_stop() */
	struct completion exited;     /* completed when exit_code is final */

	/* Live patching: trace/livepatch/transition.c. See patch_pending above. */
	int patch_state;                 /* KLP_*: the functions that it calls in a transition */
	struct list_head rcu_tasks_node; /* [X] kernel/rcu */
	u64 rcu_tasks_nvcsw;             /* [X] kernel/rcu */

	/* Fields of other rooms. NULL or 0 in a task that does not use them. */
	struct mm_struct *mm; /* [P] to write, by itself: its address space; NULL: a kernel task */
	struct files_struct *files;       /* [X] fs: descriptors; see kernel/task/part.h */
	struct fs_struct *fs;             /* [X] fs: root, working directory, umask */
	struct callback_head *task_works; /* [A] kernel/task/task_work.c */
	void *trace;                      /* [X] trace */
	u32 trace_recursion;              /* [X] trace: trace/ftrace/recursion.h */
	u32 cmdline_saved; /* [X] trace: trace/core/cmdlines.h; 0: the name has changed since */
	u64 rv[4];         /* [A] trace/rv: the states of monitors of tasks; 0: unknown */
	struct perf_context *perf;         /* [X] trace/perf: its events; NULL: none */
	struct hw_breakpoint *breakpoints; /* [X] kernel/hw_breakpoint.c */
	struct task_inject inject;         /* trace/inject: which of its calls fail */
	void *worker;                      /* [X] workqueue: the struct worker this task is */
	struct thread_struct thread;       /* [X] arch: arch/cpu/processor.h */
#ifdef CONFIG_DEBUG
	struct held_locks held_locks; /* [O] locking: the locks it holds */
#endif
};

/*
 * The priority of p as Linux counts it: 0 to 99 for SCHED_FIFO, 0 the most urgent; else 100 to 139,
 * by nice. migration/N has 0. An inherited priority counts. Any context.
 */
static inline int effective_prio(const struct task_struct *p)
{
	if (unlikely(p->rt_priority))
		return max(MAX_RT_PRIO - 1 - p->rt_priority, 0);
	return min(MAX_RT_PRIO + 20 + p->nice, p->pi_prio);
}
