/*
 * Between the files that make, end and free tasks: kernel/sched/{fork,exit,kthread}.c and their
 * tests.
 */
#pragma once

#include "kernel/sched/sched.h"

/* A new kernel thread, not yet woken, that begins in entry(); an ERR_PTR. Task context. */
struct task_struct *create_kthread_task(int (*fn)(void *data), void *data, const char *comm,
					void (*entry)(void));
/* The fs room's part of p goes: by p itself, or before it ever ran. */
void exit_files(struct task_struct *p);
