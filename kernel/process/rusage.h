/* What processes have used: times(2), getrusage(2), wait4(2). */
#pragma once

#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timespec.h"

/* The unit of times(2), and of the times of SIGCHLD: AT_CLKTCK is 100. */
#define NSEC_PER_CLOCK_TICK (NSEC_PER_SEC / 100)

/* struct rusage of getrusage(2). */
struct rusage {
	struct timeval ru_utime, ru_stime;
	long ru_maxrss; /* KiB */
	long ru_ixrss, ru_idrss, ru_isrss;
	long ru_minflt, ru_majflt;
	long ru_nswap;
	long ru_inblock, ru_oublock;
	long ru_msgsnd, ru_msgrcv, ru_nsignals;
	long ru_nvcsw, ru_nivcsw;
};

/* The time that a task has run in user mode and in the kernel, in ns. Any context without R. */
void task_cputime(struct task_struct *p, u64 *utime, u64 *stime);
/* Adds what p has used alone to sum. Any context without R. */
void add_task_usage(struct task_usage *sum, struct task_struct *p);
/* Keeps the largest size of the address space of p, the current task, which gives it up. */
void note_maxrss(struct task_struct *p);
/* Adds two sums. */
void add_usage(struct task_usage *sum, const struct task_usage *more);
/* What all threads of the process have used, ended ones too. tasklist_lock held. */
void process_usage(struct task_struct *leader, struct task_usage *sum);
void usage_to_rusage(const struct task_usage *usage, struct rusage *ru);

/* Has p an address space, or had its process one that ended threads have given up? */
static inline bool is_program(const struct task_struct *p)
{
	return READ_ONCE(p->mm) || p->signal->ended.maxrss;
}
