/* A program of a few bytes in a file, which runs in ring 3 and computes a sum, for uprobes. */
#pragma once

#include "fs/file/file.h"
#include "kernel/sched/sched.h"
#include "trace/uprobes/uprobes.h"

#define UPROBE_PROGRAM_ROUNDS 20U
#define UPROBE_PROGRAM_INSNS  256U

struct uprobe_program {
	struct file *file;
	char path[32];
};

/* Makes the file of the program. False: it could not be made. */
bool uprobe_program_make(struct uprobe_program *program, unsigned number);
void uprobe_program_remove(struct uprobe_program *program);
/*
 * Writes the offsets of the instructions that can be probed: all but SYSCALL. Returns their number;
 * 0: one cannot be decoded.
 */
unsigned uprobe_program_instructions(loff_t offsets[UPROBE_PROGRAM_INSNS]);

/* One run of the program. */
struct uprobe_run {
	const struct uprobe_program *program;
	struct task_struct *task;
	struct page *page;    /* its data, with a reference; NULL: it has not started */
	struct mm_struct *mm; /* NULL: it has none yet. Only to compare */
};

/* Starts the program. False: there is no memory. */
bool uprobe_run_start(struct uprobe_run *run, const struct uprobe_program *program);
/* Waits for the end. Returns the sum; ~0: the program did not come to its end. */
u64 uprobe_run_end(struct uprobe_run *run);
