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
 * task, which is no kernel thread: such a thread never comes there. The task does so at the end of
 * its stay in the kernel, or of its next one. A task that sleeps is not woken. Any context.
 */
int task_work_add(struct task_struct *task, struct callback_head *work);

/* Calls what waits for the current task. Task context, no lock held. */
void task_work_run(void);
/* The same at the end of the current task, which gets no work after that. */
void exit_task_works(void);
