/* How PID 1 starts the self-tests. */
#pragma once

/*
 * Runs fn, which ends QEMU, in a task of its own. It is a kernel thread, unless programs are linked
 * (start_process.c): then a child of PID 1, so that the tests can have children.
 */
extern void (*selftest_start)(int (*fn)(void *unused));
