/*
 * The parts of a task that other rooms own: memory and references behind fields of task_struct. A
 * room adds an entry to the table; kernel/task/task.c calls the functions of all entries, in no
 * certain order. Each function may be NULL.
 */
#pragma once

#include "kernel/linker_table.h"
#include "kernel/types.h"

struct task_struct;

struct task_part {
	/*
	 * fork(2) and its kin: gives child, which is in no list yet, the part of the current task
	 * or a copy, as clone_flags (CLONE_*) say. 0 or a negative errno. A kernel thread starts
	 * without it. Task context.
	 */
	int (*copy)(u64 clone_flags, struct task_struct *child);
	/* Gives the part up: the current task ends, or a copy that never ran. Task context. */
	void (*exit)(struct task_struct *task);
	/* task is in the lists, or is an idle task, and has not run. Task context. */
	void (*new)(struct task_struct *task);
	/*
	 * The task has made its last switch, and no reference to it is left. Any context in which
	 * memory may be freed.
	 */
	void (*free)(struct task_struct *task);
};

/* static const struct task_part name TASK_PART(name) = { … }; */
#define TASK_PART(name) LINKER_TABLE_ENTRY(rodata, task_parts, #name)
