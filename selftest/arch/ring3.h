/* A program of a self-test: a few bytes of code, alone in an address space of two pages. */
#pragma once

#include "kernel/sched/sched.h"

#define RING3_CODE 0x400000UL /* one page, which the program may execute */
#define RING3_DATA 0x500000UL /* one page, which it may write; its stack begins at the end */

struct ring3 {
	u64 *pgd;
	u8 *code;           /* the kernel's address of the page */
	volatile u64 *data; /* the same */
	struct task_struct *task;
	const void *text;
	size_t size;
};

/* Starts the program on that CPU. False: memory is short. */
bool ring3_start(struct ring3 *program, const char *text, const char *end, unsigned cpu);
/* Waits for its end, and frees it. Returns the signal that ended it. */
int ring3_wait(struct ring3 *program);
