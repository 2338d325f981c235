/*
 * Functions that a task calls itself, later: on its way to user mode, or at its end, where it holds
 * no lock. So code that may not sleep, or that holds locks, leaves to a task what needs more.
 */
#pragma once

#include "kernel/task/callback_head.h"
#include "kernel/types.h"

struct task_struct;

/*
 * The task calls work->func once: all that wait, the newest first. 0, or -ESRCH: the task is past
 * the place in its end where it does so, and func is not called. The caller has a reference to the
 * task, which is no kernel thread: such a thread never comes there. kick: a task that runs in user
 * mode does so now, and not at its next entry to the kernel. A task that sleeps is not woken. Any
 * context; with kick, any but NMI.
 */
int task_work_add(struct task_struct *task, struct callback_head *work, bool kick);

/* Calls what waits for the current task. Task context, no lock held. */
void task_work_run(void);
/* The same at the end of the current task, which gets no work after that. */
void exit_task_works(void);
