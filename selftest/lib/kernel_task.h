/* Runs a function in a kernel task, where system calls take kernel pointers. */
#pragma once

/*
 * Returns fn(arg), which must be 0 or a negative errno, or the error that kept it from running. A
 * kernel task calls fn itself; for a program, which reads or writes a file of debugfs, a child
 * without user memory does. Sleeps.
 */
int run_in_kernel_task(int (*fn)(void *arg), void *arg);
