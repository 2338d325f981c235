/* Shared by the files that create tasks (kernel/task/create.c, kthread.c) and their tests. */
#pragma once

#include "kernel/sched/sched.h"

/* Creates a kernel thread that starts in entry() once it is woken; or ERR_PTR. Task context. */
struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void));
/* Creates and starts PID 1, which runs fn as a kernel task, and may become a program. Boot. */
void start_init_task(int (*fn)(void *data));
