/* Names and thread groups of the tasks in a trace. */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/sched/task.h"

/* An entry was written on this CPU since its last task switch: save the names of its tasks. */
DECLARE_PER_CPU(bool, trace_taskinfo_save);

/* Saves names at task switches from now on, or stops. The calls nest. Task context. */
void tracing_record_cmdline(bool on);
/* Applies a change of the options record-cmd and record-tgid. Task context. */
void trace_update_recorded_tasks(void);
/*
 * Finds the name of a task: "<idle>" for 0, "<...>" if it is unknown, or if an NMI has interrupted
 * a user of the names. Any context.
 */
void trace_find_cmdline(pid_t pid, char comm[TASK_COMM_LEN]);
/* Returns the thread group of a task, or 0 if it is unknown. Any context. */
pid_t trace_find_tgid(pid_t pid);
/*
 * Names are saved in a generation. It ends when a saved name is dropped or when more is to be
 * saved, and then all tasks are saved anew. task->cmdline_saved is the generation in which its
 * name, and its thread group if that is recorded, were saved. Changed with lock L of cmdlines.c
 * held.
 */
extern u32 cmdline_generation;
/* True if trace_save_cmdlines() has nothing to do for these tasks. */
static __always_inline bool trace_cmdlines_saved(const struct task_struct *prev,
						 const struct task_struct *next)
{
	u32 generation = READ_ONCE(cmdline_generation);

	return READ_ONCE(prev->cmdline_saved) == generation &&
	       READ_ONCE(next->cmdline_saved) == generation;
}
/* Begins a generation. Any context but NMI. */
void trace_forget_saved(void);
/* Saves the names of two tasks (cmdlines.c). Any context but NMI. */
void trace_save_cmdlines(struct task_struct *prev, struct task_struct *next);
void trace_save_tgids(const struct task_struct *prev, const struct task_struct *next);
