/*
 * The parts of a process that other rooms own, such as its timers. A room adds an entry to the
 * table; kernel/process/exec.c calls the functions of all entries, in no certain order. Each
 * function may be NULL. Task context, no lock held. kernel/task/part.h has the parts of a task.
 */
#pragma once

#include "kernel/linker_table.h"

struct process_part {
	/* The current task is the last one of its process, and ends. */
	void (*exit)(void);
	/* The current task calls exec(2), and is the only one of its process. */
	void (*exec)(void);
	/* exec(2): the current task has become the leader. The old one is released afterwards. */
	void (*new_leader)(void);
	/*
	 * exec(2): the current task has its new memory, whose dumpable says whether its caller may
	 * look into it, and has its old name. exec_update_lock is held for writing.
	 */
	void (*new_program)(void);
};

/* static const struct process_part name PROCESS_PART(name) = { … }; */
#define PROCESS_PART(name) LINKER_TABLE_ENTRY(rodata, process_parts, #name)

/* Calls exit, or new_program, of all parts. */
void exit_process_parts(void);
void new_program_parts(void);
