/*
 * Whether a task may look into another one, or change it. Each file of /proc/PID that tells more
 * than the name of a task, and each system call that reads or writes the memory or the descriptors
 * of another process, asks here. ptrace(2), "Ptrace access mode checking", has the rules.
 */
#pragma once

#include "kernel/sched/sched.h"

struct cred;
struct mm_struct;

/* What the task wants, Linux's values. Only the policy of the system makes a difference. */
#define PTRACE_MODE_READ   0x01 /* to learn something */
#define PTRACE_MODE_ATTACH 0x02 /* to learn or change everything */
/*
 * Which of its ids count: those for files, for a file of /proc; or the real ones. One of the two.
 */
#define PTRACE_MODE_FSCREDS   0x08
#define PTRACE_MODE_REALCREDS 0x10

#define PTRACE_MODE_READ_FSCREDS     (PTRACE_MODE_READ | PTRACE_MODE_FSCREDS)
#define PTRACE_MODE_READ_REALCREDS   (PTRACE_MODE_READ | PTRACE_MODE_REALCREDS)
#define PTRACE_MODE_ATTACH_FSCREDS   (PTRACE_MODE_ATTACH | PTRACE_MODE_FSCREDS)
#define PTRACE_MODE_ATTACH_REALCREDS (PTRACE_MODE_ATTACH | PTRACE_MODE_REALCREDS)

/* What the policy of the system forbids, although the rules here would allow it. Task context. */
struct ptrace_policy_ops {
	/* Whether the current task may have PTRACE_MODE_ATTACH to task. May take L. */
	bool (*may_attach)(struct task_struct *task);
	/* Whether a task with these credentials may trace the current task, which asks. L held. */
	bool (*may_trace_me)(const struct cred *tracer);
	/* prctl(PR_SET_PTRACER). No lock. */
	long (*set_ptracer)(unsigned long pid);
};
/* NULL before its initcall, and without a policy: nothing is forbidden. */
extern const struct ptrace_policy_ops *ptrace_policy_ops;

/*
 * Whether the current task may access task, as both are at this moment. An exec of task may change
 * the answer at once. So a caller that goes on to use something of task needs lock_trace() or
 * mm_access(). Task context.
 */
bool ptrace_may_access(struct task_struct *task, unsigned mode);
/* Whether a task of another process with the credentials self may. For a file that self opened. */
bool cred_may_access(const struct cred *self, struct task_struct *task, unsigned mode);

/*
 * The same, and until unlock_trace() the task gets no new program. 0, or -EPERM with nothing held.
 * Task context, no lock held but mutexes that no exec takes.
 */
int lock_trace(struct task_struct *task, unsigned mode);
void unlock_trace(struct task_struct *task);

/*
 * The address space of task with a user, which the current task may access: its own, or one of a
 * task that ptrace_may_access() allows. NULL: there is none. -EACCES. Locks as lock_trace().
 */
struct mm_struct *mm_access(struct task_struct *task, unsigned mode);

/*
 * Whether other processes of the same user may look into the memory of task; `without` is the
 * answer for a task that has no memory any more, if others might look into it before. Task context.
 */
bool task_dumpable(struct task_struct *task, bool without);
