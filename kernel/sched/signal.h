/*
 * Signals, as far as all rooms need them: is one pending, send one. kernel/signal/signal.h has the
 * rest.
 *
 * A signal for a kernel task without PF_KTHREAD only interrupts its sleeps: the task checks
 * signal_pending(), returns -EINTR from its functions, and ends in do_exit(signal). A program takes
 * its signals on the way back to ring 3.
 */
#pragma once

#include "kernel/compiler.h"
#include "kernel/lib/list.h"

struct siginfo;
struct task_struct;
struct pid;

/* signal(7). */
#define SIGHUP    1
#define SIGINT    2
#define SIGQUIT   3
#define SIGILL    4
#define SIGTRAP   5
#define SIGABRT   6
#define SIGBUS    7
#define SIGFPE    8
#define SIGKILL   9
#define SIGUSR1   10
#define SIGSEGV   11
#define SIGUSR2   12
#define SIGPIPE   13
#define SIGALRM   14
#define SIGTERM   15
#define SIGSTKFLT 16
#define SIGCHLD   17
#define SIGCONT   18
#define SIGSTOP   19
#define SIGTSTP   20
#define SIGTTIN   21
#define SIGTTOU   22
#define SIGURG    23
#define SIGXCPU   24
#define SIGXFSZ   25
#define SIGVTALRM 26
#define SIGPROF   27
#define SIGWINCH  28
#define SIGIO     29
#define SIGPWR    30
#define SIGSYS    31
#define SIGRTMIN  32 /* signals from here on are queued as often as they are sent */
#define _NSIG     64

#define SIG_BIT(sig) (1UL << ((sig)-1)) /* in a set of signals */

/* How a signal was sent: by a task, or by the kernel itself. si_code of sigaction(2). */
#define SI_USER   0
#define SI_KERNEL 0x80

/* The signals that wait for one task, or for any task of a process. [S] siglock. */
struct sigpending {
	struct list_head list; /* [S] of struct sigqueue */
	u64 signal;            /* [S] bit n-1: signal n; read without the lock for display */
};

static inline void init_sigpending(struct sigpending *pending)
{
	INIT_LIST_HEAD(&pending->list);
	pending->signal = 0;
}

/* The lowest signal that is pending for p, or 0. Any context. */
int pending_signal(const struct task_struct *p);
/* Drops all pending signals of p. */
void flush_signals(struct task_struct *p);

/*
 * Sends sig from the kernel to the process of p, without the permission check of kill(2). 0: it was
 * sent, or is ignored; -EPERM for a PF_KTHREAD task; -ESRCH: p has been reaped. Any context but
 * NMI. The caller has a reference to p.
 */
int send_signal(int sig, struct task_struct *p);
/* The same for a group that the caller has a reference to. */
int kill_pid_pgrp(struct pid *pgrp, int sig);
/* As kill(2) of a process. -ESRCH when no task has that PID. Task context. */
int kill_pid(pid_t pid, int sig);
/*
 * The current task has done what sig stands for, as SIGPIPE: sends it to this task. No other thread
 * takes it. Task context.
 */
void send_sig(int sig);

/* The result of a sleep that a signal has ended: a program's system call may start again. */
int interrupted_error(void);
