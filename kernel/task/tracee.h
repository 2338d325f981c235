/*
 * A task that another task traces (ptrace(2)), as far as signals, fork, exec, exit and wait have to
 * know it: struct tracee, and ptrace_ops, what they ask of kernel/ptrace/. Without that feature no
 * task has a tracee, and nothing here is called.
 */
#pragma once

#include "kernel/sched/sched.h"

struct cred;
struct pt_regs;
struct siginfo;

/*
 * [L] tasklist_lock; [T] tasklist_lock and the siglock of the traced task to write, one of the two
 * to read; [S] that siglock; [R] the tracer while the task is stopped, and the task while it is
 * not; [C] constant. The task that is traced frees its tracee never: unlink() does.
 */
struct tracee {
	struct task_struct *task;    /* [C] that is traced */
	struct task_struct *tracer;  /* [T] one thread; its exit ends the tracing */
	struct tracee *next, **link; /* [L] in tracer->tracees */
	const struct cred *cred;     /* [C] with which it was attached; counted */
	u32 options;                 /* [R] PTRACE_O_* */
	bool in_signal_stop;         /* [S] exit_code is the signal that it will take */
	unsigned long message;       /* [S] for PTRACE_GETEVENTMSG */
	struct siginfo *info;        /* [S] of the stop; NULL: it is not stopped, or has none */
};

/* Events of ptrace(2) that tasks report, and the stop that is no event of a task. */
#define PTRACE_EVENT_FORK       1
#define PTRACE_EVENT_VFORK      2
#define PTRACE_EVENT_CLONE      3
#define PTRACE_EVENT_EXEC       4
#define PTRACE_EVENT_VFORK_DONE 5
#define PTRACE_EVENT_EXIT       6
#define PTRACE_EVENT_SECCOMP    7
#define PTRACE_EVENT_STOP       128

/*
 * All functions but the last four are called only for a task that has a tracee, and in task
 * context. "May stop": the task sleeps until its tracer or SIGKILL lets it go on; no lock held.
 */
struct ptrace_ops {
	/* Whether the current task stops at that event. No lock. */
	bool (*wants)(int event);
	/* The current task reports an event; also where it is not wanted. May stop. */
	void (*event)(int event, unsigned long message);
	/*
	 * The current task forks p, which is in no list: its tracer will trace p, too. 0 or
	 * -ENOMEM. fork_attach(): p enters the lists; the current task may have lost its tracer. L
	 * and the siglock of the current task held.
	 */
	int (*fork)(struct task_struct *p);
	void (*fork_attach)(struct task_struct *p);
	/* Whether a program that the current task executes gets no more rights than its caller. */
	bool (*exec_limits)(void);
	/*
	 * The current task has taken a signal, not SIGKILL. Returns the signal that it is to act
	 * on, or 0. May stop; siglock held, but not during the stop.
	 */
	int (*signal)(struct siginfo *info);
	/* jobctl has one of JOBCTL_TRAP_MASK. The same. */
	void (*trap)(void);
	/* The current task is going to enter a handler. siglock held. */
	void (*handler)(void);
	/* SYSCALL_WORK_PTRACE: the current task is going to make a system call. May stop. */
	void (*syscall_enter)(void);
	/*
	 * JOBCTL_UNSTEP, which this clears: the tracer of the current task has gone while the task
	 * made a step. siglock held.
	 */
	void (*unstep)(void);
	/* USER_WORK_PTRACE, which this clears: the task may have lost its tracer. May stop. */
	void (*exit_to_user)(struct pt_regs *regs);
	/* p is no longer traced, and goes on if it was stopped. L held. */
	void (*unlink)(struct task_struct *p);
	/*
	 * tracer, which is ending, traces tasks: not any more. Zombies for which no task waits go
	 * to the list dead, by their sibling. L held.
	 */
	void (*tracer_exits)(struct task_struct *tracer, struct list_head *dead);
	/*
	 * The current task has debug registers, and ends or gets a new program: clears them. No
	 * lock.
	 */
	void (*clear_debugregs)(void);
	/* The current task has debug registers, and a single step has ended. May sleep. */
	void (*stepped)(void);
};
extern struct ptrace_ops ptrace_ops;

/* Whether another process than the parent traces p, which is traced. L or siglock held. */
static inline bool traced_by_other(const struct task_struct *p)
{
	return p->tracee->tracer->group_leader != p->group_leader->real_parent;
}
