/* Work that a task does before it returns to user mode: kernel/process/entry.c does it. */
#pragma once

#include "kernel/sched/sched.h"

/* Gives p the work. Any context. Call kick_process() then, if p must do it at once. */
static inline void set_user_work(struct task_struct *p, u32 work)
{
	__atomic_fetch_or(&p->user_work, work, __ATOMIC_SEQ_CST);
}

static inline void clear_user_work(struct task_struct *p, u32 work)
{
	__atomic_fetch_and(&p->user_work, ~work, __ATOMIC_SEQ_CST);
}

static inline bool test_user_work(const struct task_struct *p, u32 work)
{
	return READ_ONCE(p->user_work) & work;
}

/*
 * If p runs in user mode on another CPU, brings it into the kernel, so that it sees its work on the
 * way back. Any context but NMI.
 */
void kick_process(struct task_struct *p);
