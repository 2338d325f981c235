/* A program of a self-test: a few bytes of code in an address space of two pages. */
#pragma once

#include "kernel/sched/sched.h"

#define RING3_CODE 0x400000UL /* one page, which the program may execute */
#define RING3_DATA 0x500000UL /* one page, which it may write; its stack begins at the end */

/* Filled by the task itself, constant once ready is complete. */
struct ring3 {
	const char *text, *end;
	struct task_struct *task;
	struct completion ready;
	struct page *page;  /* of RING3_DATA, with a reference; NULL: the program has not started */
	volatile u64 *data; /* the kernel's address of that page */
};

/* Starts the program on that CPU. False: it has not started, and needs no ring3_wait(). */
bool ring3_start(struct ring3 *program, const char *text, const char *end, unsigned cpu);
/* Waits for its end. Returns the signal that ended it. data stays until ring3_free(). */
int ring3_wait(struct ring3 *program);
void ring3_free(struct ring3 *program);
