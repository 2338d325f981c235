/*
 * struct signal_struct and struct sighand_struct: what the threads of a process share.
 *
 * Every task has both. A kernel task is the only thread of its own signal_struct, so that code can
 * ask any task for its process group, session and resource limits. All kernel tasks share
 * init_sighand.
 *
 * Lock order: tasklist_lock, then sighand->siglock, then P and R of the scheduler.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/locking/spinlock.h"
#include "kernel/task/pid.h"
#include "kernel/sched/io_accounting.h"
#include "kernel/sched/rwsem.h"
#include "kernel/sched/signal.h"
#include "kernel/sched/wait.h"
#include "kernel/time/timer.h"

struct task_struct;

/* What a process does with a signal: struct sigaction as the system calls pass it. [S] siglock. */
struct k_sigaction {
	void *handler; /* SIG_DFL, SIG_IGN or an address in the program */
	unsigned long flags;
	void *restorer;
	u64 mask;
};

struct sighand_struct {
	atomic_t count; /* [A] tasks that share it */
	spinlock_t siglock;
	struct k_sigaction action[_NSIG]; /* [S] by signal - 1 */
	wait_queue_head_t signalfd_wqh;
	struct rcu_head rcu;
};

#define SIG_DFL ((void *)0)
#define SIG_IGN ((void *)1)

#define RLIMIT_CPU        0
#define RLIMIT_FSIZE      1
#define RLIMIT_DATA       2
#define RLIMIT_STACK      3
#define RLIMIT_CORE       4
#define RLIMIT_RSS        5
#define RLIMIT_NPROC      6
#define RLIMIT_NOFILE     7
#define RLIMIT_MEMLOCK    8
#define RLIMIT_AS         9
#define RLIMIT_LOCKS      10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE   12
#define RLIMIT_NICE       13
#define RLIMIT_RTPRIO     14
#define RLIMIT_RTTIME     15
#define RLIM_NLIMITS      16
#define RLIM_INFINITY     (~0UL)

struct rlimit {
	unsigned long rlim_cur, rlim_max;
};

/* Values of signal_struct.flags. */
#define SIGNAL_STOP_STOPPED   0x0001 /* all threads have stopped */
#define SIGNAL_STOP_CONTINUED 0x0002 /* SIGCONT came; the parent has not waited for it */
#define SIGNAL_GROUP_EXIT     0x0004 /* all threads are ending with group_exit_code */
#define SIGNAL_CLD_STOPPED    0x0010 /* a thread must send SIGCHLD to the parent: stopped */
#define SIGNAL_CLD_CONTINUED  0x0020 /* the same: continued */
#define SIGNAL_UNKILLABLE     0x0040 /* PID 1: signals without a handler do not end it */

struct tty_struct;

/* What times(2), getrusage(2) and /proc/PID/io report of tasks that ended, in ns and in counts. */
struct task_usage {
	u64 utime, stime;
	u64 nvcsw, nivcsw;
	u64 min_flt, maj_flt;
	u64 maxrss; /* pages: a maximum, not a sum */
	struct task_io_accounting io;
};

/* A timer of setitimer(2) that counts CPU time of the process, in ns. */
struct cpu_itimer {
	u64 expires; /* 0: off */
	u64 interval;
};

/* A process that may trace another one (prctl(PR_SET_PTRACER)). */
struct ptracer {
	pid_t tgid; /* 0: none; -1: each process */
	u64 start_time;
};

/*
 * Legend: [A] atomic; [L] tasklist_lock; [S] sighand->siglock; [R] rlim_lock to write, fields of
 * one limit may be read without it; [C] constant.
 *
 * exec_update_lock keeps the memory and the credentials of the process together. exec holds it for
 * writing from the moment when the task gets the new address space until it has the new
 * credentials. A task that checks the credentials of the process and then uses something of it (its
 * memory, a descriptor, its current directory) holds the lock for reading from the check until it
 * has a reference: lock_trace(), mm_access(). prlimit() holds it around the check and the change,
 * because exec lowers limits that a set-user-ID program must not get from its caller. Without the
 * lock the user of a set-user-ID program gets the program's memory with the old credentials'
 * permission.
 */
struct signal_struct {
	atomic_t sigcnt;              /* [A] references: tasks that are not freed yet */
	atomic_t live;                /* [A] threads that have not begun to exit */
	int nr_threads;               /* [L] tasks in thread_head */
	struct list_head thread_head; /* [L] task_struct.thread_node of the threads, leader first */
	wait_queue_head_t wait_chldexit; /* wait4() of each thread sleeps here */

	struct sigpending shared_pending; /* [S] signals for any thread */
	struct sigqueue *spare_sigqueue;  /* [S] for the next signal; NULL: none */
	unsigned group_signals;           /* [S] counts signals that went to other processes, too */
	unsigned flags;                   /* [S] SIGNAL_* */
	int group_exit_code;              /* [S] wait status of exit_group(), or of a stop */
	int group_stop_count;             /* [S] threads that must still stop */
	/* [S] exec waits until this many other threads are left; it is woken then */
	int notify_count;
	struct task_struct *group_exec_task;  /* [S] the thread in exec; NULL: none */
	struct core_state *core_state;        /* [S] a thread writes a core file: fs/coredump */
	struct rw_semaphore exec_update_lock; /* see above; outside of mmap_lock and L */

	struct pid *pids[PIDTYPE_MAX]; /* [L] PID: not used; counted */
	pid_t ppid;                    /* [L] to write: the process id of the parent */
	pid_t parent_tid;              /* [L] the PID of the thread that has made the process */
	unsigned exec_id;              /* [S] to write: counts the programs that it has run */
	unsigned parent_exec_id;       /* [L] exec_id of the parent when the process began */
	struct ptracer ptracer;        /* [L] the tracer that it has named: kernel/yama */
	bool leader;                   /* [L] of a session */
	bool is_child_subreaper;       /* [L] orphans among its descendants become its children */
	bool has_child_subreaper;      /* [L] an ancestor may be one */
	bool membarrier_registered;    /* read without a lock */
	short oom_score_adj;           /* read without a lock */
	struct timer_list real_timer;  /* [S] to start: setitimer(ITIMER_REAL), alarm(2) */
	u64 it_real_incr;              /* [S] its interval, ns; 0: it expires once */
	/* [S] The process that it signals: its leader, counted. NULL: never set. Changes while the
	 * timer is off */
	struct task_struct *it_task;
	struct list_head posix_timers; /* [S] of struct k_itimer (kernel/posix_time) */
	int next_timer_id;             /* [S] */
	struct rb_root cpu_timers;     /* [S] armed timers of posix_timers that count CPU time */
	/*
	 * kernel/posix_time/cpu_timer.c. [A] ktime: no timer on a clock of the process, and no
	 * RLIMIT_CPU, is due before it. [S] What the clocks last showed: its CPU time, and the part
	 * in user mode.
	 */
	ktime_t cpu_check;
	u64 cpu_time[2];
	struct cpu_itimer it[2];  /* [S] setitimer(2): ITIMER_VIRTUAL, ITIMER_PROF */
	struct tty_struct *tty;   /* [L] to write: controlling terminal, not counted */
	struct pid *tty_old_pgrp; /* [L] job of a terminal that was hung up; counted */

	struct task_usage ended;          /* [S] of threads that have ended */
	struct task_usage children;       /* [S] of children that were waited for, and theirs */
	struct rlimit rlim[RLIM_NLIMITS]; /* [R] */
};

extern struct signal_struct init_signals;
extern struct sighand_struct init_sighand;

/* Lowers the soft limit of the current process to at most max. Task context. */
void lower_limit(unsigned resource, unsigned long max);
/* The limit of the current process, in the unit of the resource. Task context. */
#define rlimit(resource) READ_ONCE(current->signal->rlim[resource].rlim_cur)

/*
 * Locks the siglock of p, which may be another task. NULL, nothing locked: p is reaped. p has a
 * reference. Any context but NMI.
 */
struct sighand_struct *lock_task_sighand(struct task_struct *p, unsigned long *flags);
#define unlock_task_sighand(p, flags) spin_unlock_irqrestore(&(p)->sighand->siglock, flags)
/* Hook of signalfd, NULL until it starts: no task uses the sighand any more. */
extern void (*signalfd_cleanup_hook)(struct sighand_struct *sighand);
/* A copy with one user; clear: without handlers. NULL: memory is short. Task context. */
struct sighand_struct *copy_actions(const struct sighand_struct *from, bool clear);
/*
 * Handlers become SIG_DFL, as exec does; force_default: ignored signals, too. siglock held, or
 * nothing else uses the sighand.
 */
void flush_signal_handlers(struct sighand_struct *sighand, bool force_default);
