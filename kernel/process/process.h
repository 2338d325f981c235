/* The end of processes, and their groups. */
#pragma once

#include "kernel/sched/sched.h"

/*
 * Ends the current process with a wait status, as wait(2) gives it: all its threads. If another
 * thread has begun that already, with its status. Task context, no lock.
 */
void __noreturn do_group_exit(int status);
/*
 * Hooks of the futex room, NULL until it sets them. exit: tsk, the current task, ends, or calls
 * exec: releases what is in its robust_list. wake: wakes one waiter of the word at addr. Task
 * context.
 */
extern void (*futex_exit_hook)(struct task_struct *tsk);
extern void (*futex_wake_hook)(int __user *addr);
/*
 * Hooks of trace/uprobes/, called only for tasks with a utask. fork: gives p, a copy of the current
 * task that has not run, a utask of its own: 0 or -ENOMEM. exit: frees the utask of p, which is the
 * current task or never runs. Task context.
 */
extern int (*uprobe_fork_hook)(struct task_struct *p, u64 clone_flags);
extern void (*uprobe_exit_hook)(struct task_struct *p);
/*
 * True if no process of the current process group has a parent in the same session but another
 * group: no shell would continue it after a stop. Takes tasklist_lock. Task context.
 */
bool is_current_pgrp_orphaned(void);
