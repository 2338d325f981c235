/*
 * Converts the text that is written to set_ftrace_pid into a set of PIDs. Pure code, tested on the
 * host as well.
 */
#pragma once

#include "kernel/types.h"

#define PID_NUMBERS    32768 /* all PIDs are smaller (kernel/task/pid.c) */
#define PID_ABSENT_MAX 64

/* Numbers from PID_NUMBERS up, which no task has: a list only shows them. Sorted. */
struct pids_absent {
	unsigned count;
	u32 pids[PID_ABSENT_MAX];
};

/*
 * Adds each PID in text to pids, a bitmap of PID_NUMBERS bits, or to absent. White space separates
 * words, and a NUL ends the text. PIDs may be hexadecimal (0x) or octal (0). 0, or -EINVAL at the
 * first word that is no number, -EPERM if it is no PID of Linux, -ENOMEM: absent is full; the words
 * before it have been added then.
 */
int pid_list_parse(unsigned long *pids, struct pids_absent *absent, const char *text, size_t count);
