/*
 * Converts the text that is written to set_ftrace_pid into a set of PIDs. Pure code, tested on the
 * host as well.
 */
#pragma once

#include "kernel/types.h"

#define PID_NUMBERS 32768 /* all PIDs are smaller (kernel/task/pid.c) */

/*
 * Adds each PID in text to pids, a bitmap of PID_NUMBERS bits, and removes each PID after a '!'.
 * White space separates words, and a NUL ends the text. PIDs may be hexadecimal (0x) or octal (0).
 * 0, or -EINVAL at the first word that is no PID of this kernel, -EPERM if it is none of Linux
 * either; the words before it have changed pids then.
 */
int pid_list_parse(unsigned long *pids, const char *text, size_t count);
