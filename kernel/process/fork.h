/* What the files of kernel/process share about new tasks. */
#pragma once

#include "kernel/task/clone_flags.h"
#include "kernel/sched/sched.h"
#include "kernel/task/task.h"

/* How copy_process() makes a task from the current one. */
struct kernel_clone_args {
	u64 flags; /* CLONE_*, without the signal in the lowest byte */
	int __user *parent_tid, *child_tid, *pidfd;
	int exit_signal;               /* 0: none; -1: the task reaps itself */
	unsigned long stack;           /* user stack pointer; 0: the parent's */
	unsigned long tls;             /* with CLONE_SETTLS */
	struct completion *vfork_done; /* completed when the child gives up the address space */
	int event;                     /* for the tracer: PTRACE_EVENT_*; 0: none */
	/* For a kernel task, which shares its parent's files and may become a program: */
	int (*fn)(void *arg);
	void *fn_arg;
	const char *comm; /* NULL: the name of the current task */
};

/*
 * Makes a task that has not run: a copy of the current one, as args says. It is in all lists; the
 * caller wakes it. ERR_PTR: -ENOMEM, -EAGAIN (too many tasks), -EINTR (the current process ends).
 * Task context. args has been checked.
 */
struct task_struct *copy_process(const struct kernel_clone_args *args);
/*
 * Makes and starts a copy of the current task, as all of fork(2) and its kin do. With CLONE_VFORK
 * it returns when the child gives up the address space. The PID, or a negative errno: those of
 * clone(2). Task context.
 */
pid_t kernel_clone(struct kernel_clone_args *args);

/* Gives p the sighand of the current task, or a copy. 0 or -ENOMEM. */
int copy_sighand(u64 clone_flags, struct task_struct *p);
void put_sighand(struct sighand_struct *sighand);
