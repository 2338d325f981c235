/*
 * What the files of fs/coredump/ share: one core dump.
 *
 * Legend: [O] only the thread that dumps; [A] atomic; [S] its siglock.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/sched/completion.h"
#include "kernel/signal/siginfo.h"
#include "kernel/task/signal_struct.h"

struct mm_struct;

/* A thread that waits until its registers are written. On its stack. */
struct core_thread {
	struct task_struct *task;
	struct list_head node;       /* [S] in core_state.threads */
	struct completion may_leave; /* it ends */
};

/* On the stack of the thread that dumps; signal_struct.core_state while others may look at it. */
struct core_state {
	atomic_t missing;          /* [A] threads that have not joined yet */
	struct completion stopped; /* none is missing */
	struct list_head threads;  /* [S] those that have joined; constant once stopped */
};

/* An area of memory, as the core file has it. */
struct core_area {
	unsigned long start, end;
	unsigned long vm_flags;
	unsigned long size; /* bytes from start on that the file contains */
	bool anonymous;     /* a page that is not in the page tables is zero */
};

/* One dump. [O] */
struct coredump {
	const struct siginfo *info;
	struct mm_struct *mm;
	struct core_state state;
	struct core_area *areas;
	unsigned nr_areas;
	char *files; /* the contents of NT_FILE */
	size_t files_size;

	struct file *file;
	loff_t pos;
	u64 written, limit; /* bytes; a hole costs nothing */
};

/* ---- write.c ---- */

/* False: an error, the limit is reached, or SIGKILL has come. */
bool core_emit(struct coredump *core, const void *data, size_t size);
/* Leaves a hole up to pos. */
void core_seek(struct coredump *core, loff_t pos);
/* Gives a hole at the end its length. */
void core_end(struct coredump *core);

/* ---- areas.c ---- */

/* Notes the areas of memory, and which files they show. 0 or -ENOMEM. Takes mmap_lock. */
int core_find_areas(struct coredump *core);
void core_free_areas(struct coredump *core);
/* Writes the contents of an area from the present position on. False as core_emit(). */
bool core_emit_area(struct coredump *core, const struct core_area *area);

/* ---- notes.c ---- */

/* The bytes of all notes. The threads have stopped. */
size_t core_notes_size(const struct coredump *core);
bool core_emit_notes(struct coredump *core);

/* ---- pattern.c ---- */

/* The name of the core file of the current process, by core_pattern: kmalloc()ed, or NULL. */
char *core_name(const struct siginfo *info);
