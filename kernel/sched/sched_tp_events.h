/*
 * Tracepoints of the scheduler that have no event, with Linux's names (the last two are our own).
 * The monitors of trace/rv/ read them.
 *
 * All but sched_set_state_tp are called with interrupts off or in a context that the run-queue lock
 * allows: a probe must not wake a task or take a run-queue lock.
 */
#pragma once

#include "kernel/tracepoint.h"

struct runqueue;
struct task_struct;

/* The scheduler begins, on the stack of the current task. preempt: that stays runnable. */
DECLARE_TRACE(sched_entry_tp, TP_PROTO(bool preempt), TP_ARGS(preempt));
/* It ends, on the stack of the task that has the CPU now. is_switch: that is another task. */
DECLARE_TRACE(sched_exit_tp, TP_PROTO(bool is_switch), TP_ARGS(is_switch));
/* tsk, the current task, is about to change its state. */
DECLARE_TRACE(sched_set_state_tp, TP_PROTO(struct task_struct *tsk, unsigned state),
	      TP_ARGS(tsk, state));
/* tsk, which runs on cpu, is asked to give it up. R held. */
DECLARE_TRACE(sched_set_need_resched_tp, TP_PROTO(struct task_struct *tsk, int cpu),
	      TP_ARGS(tsk, cpu));
/* This CPU is about to take a run-queue lock; it has released one. Interrupts off. */
DECLARE_TRACE(sched_rq_lock_tp, TP_PROTO(struct runqueue *rq), TP_ARGS(rq));
DECLARE_TRACE(sched_rq_unlock_tp, TP_PROTO(struct runqueue *rq), TP_ARGS(rq));
