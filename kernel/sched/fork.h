/* Shared by the files that create and end tasks (kernel/process/{fork,exit}.c, kthread.c) and their
 * tests. */
#pragma once

#include "kernel/sched/sched.h"

/* Creates a kernel thread that starts in entry() once it is woken; or ERR_PTR. Task context. */
struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void));
/* Frees the fs room's part of p. Called by p itself, or before p has run. */
void exit_files(struct task_struct *p);
