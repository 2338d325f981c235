/*
 * Signals, as far as kernel tasks need them: a set of pending bits that interrupts sleeps. A task
 * checks signal_pending(), returns -EINTR from its functions, and ends in do_exit(signal).
 */
#pragma once

#include "kernel/compiler.h"

struct task_struct;

#define SIGHUP  1
#define SIGINT  2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15

#define SIG_BIT(sig) (1UL << ((sig)-1)) /* in a set of signals */

/* How a signal was sent: by a task, or by the kernel itself. si_code of sigaction(2). */
#define SI_USER   0
#define SI_KERNEL 0x80

/* The lowest pending signal, or 0. */
int pending_signal(const struct task_struct *p);
/* Takes the lowest pending signal of the current task, to act on it. 0: none. Task context. */
int get_signal(void);
/* Marks sig pending and wakes an interruptible sleep. 0; -EPERM for a PF_KTHREAD task; -EINVAL. */
int send_signal(int sig, struct task_struct *p);
/* The same for a PID. -ESRCH when no task has it. */
int kill_pid(pid_t pid, int sig);
/*
 * The same for every task of a job (task->pgrp). -ESRCH when it has no task. priv: the kernel
 * itself sends the signal.
 */
int kill_pgrp(pid_t pgrp, int sig, bool priv);
/* As setpgid(0, pgrp): moves the calling task into a job; 0: into a job of its own. */
void kernel_setpgid(pid_t pgrp);
void flush_signals(struct task_struct *p);
