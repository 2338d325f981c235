/* Making and freeing tasks: what kernel/task/ shares with kernel/process/, which makes programs. */
#pragma once

#include "kernel/task/pid.h"
#include "kernel/sched/sched.h"

struct signal_struct;

extern struct task_struct *child_reaper; /* PID 1 */
/* The largest number of tasks; RLIMIT_NPROC is half of it. Constant after the boot. */
extern unsigned max_threads;
/* Tasks that exist, zombies too. Any context. */
unsigned nr_threads(void);

/* New, with one thread to come, and the limits of the current process. NULL: memory is short. */
struct signal_struct *alloc_signal_struct(void);
void put_signal_struct(struct signal_struct *signal);

/*
 * Allocates a task with its stack, and with a reference to signal, which the new task takes over.
 * It is in no list and has no PID. copy_creds() comes next. NULL: memory is short. Task context.
 */
struct task_struct *alloc_task(const char *comm, struct signal_struct *signal);
/* Frees what alloc_task() has made, and what all tasks have. */
void free_task(struct task_struct *p);
/* p gets its number, and joins the list of all tasks. tasklist_lock held. */
void add_to_task_list(struct task_struct *p, struct pid *pid);
/* Takes p from the list of all tasks. tasklist_lock held. */
void remove_from_task_list(struct task_struct *p);

/* kernel/task/part.h: the functions of all parts. */
int copy_task_parts(u64 clone_flags, struct task_struct *child);
void exit_task_parts(struct task_struct *task);
void new_task_parts(struct task_struct *task);

/* The first function of a task that runs thread_fn, and may have called exec in it. */
void kernel_task_entry(void);
/* The current task ends: tells tracing, before any task learns of it. */
void task_is_ending(void);
