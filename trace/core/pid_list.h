/* What is written to set_ftrace_pid: text to a set of PIDs. Pure code, tested on the host as well.
 */
#pragma once

#include "kernel/types.h"

#define PID_NUMBERS 32768 /* PIDs are smaller (kernel/sched/pid.c) */

/*
 * Put each PID of text into pids, a bitmap of PID_NUMBERS bits; take each that follows a '!' out of
 * it. White space separates, a NUL ends. 0, or -EINVAL at the first word that is no PID: pids is
 * then changed in part.
 */
int pid_list_parse(unsigned long *pids, const char *text, size_t count);
