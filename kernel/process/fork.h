/* What the files of kernel/process share about new tasks. */
#pragma once

#include "kernel/process/clone_flags.h"
#include "kernel/sched/sched.h"

/* How copy_process() makes a task from the current one. */
struct kernel_clone_args {
	u64 flags; /* CLONE_*, without the signal in the lowest byte */
	int __user *parent_tid, *child_tid, *pidfd;
	int exit_signal;               /* 0: none; -1: the task reaps itself */
	unsigned long stack;           /* user stack pointer; 0: the parent's */
	unsigned long tls;             /* with CLONE_SETTLS */
	struct completion *vfork_done; /* completed when the child gives up the address space */
	/* For a kernel task: */
	int (*fn)(void *arg);
	void *fn_arg;
	void (*entry)(void); /* the first function of the task; NULL: one that calls fn */
	const char *comm;    /* NULL: the name of the current task */
	bool kthread;        /* shares nothing with the current task; init_task is its parent */
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
extern struct task_struct *child_reaper; /* PID 1 */
/* Takes p from the list of all tasks. tasklist_lock held. */
void unpublish_task(struct task_struct *p);
/* The largest number of tasks; RLIMIT_NPROC is half of it. Constant after the boot. */
extern unsigned max_threads;
/* Tasks that exist, zombies too. Any context. */
unsigned nr_threads(void);

/* New, with one thread to come, and the limits of the current process. NULL: memory is short. */
struct signal_struct *alloc_signal_struct(void);
void put_signal_struct(struct signal_struct *signal);
/* Gives p the sighand of the current task, or a copy. 0 or -ENOMEM. */
int copy_sighand(u64 clone_flags, struct task_struct *p);
void put_sighand(struct sighand_struct *sighand);
