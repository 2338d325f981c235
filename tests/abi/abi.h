/*
 * What the programs in tests/abi/programs share: printing the results of system calls, so that the
 * output is the same on each run and with each C library.
 *
 * A program prints what it observes. It prints no address, PID, time or inode number as such, but
 * what is true of them: `show("%d", pid > 0)`.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One line of output, written at once, so that lines of several processes do not mix. A signal may interrupt it. */
__attribute__((format(printf, 1, 2))) void show(const char *format, ...);

/* "ENOENT" for ENOENT. */
const char *error_name(int error);

/* "call = result", or the name of the error. Returns the result. */
long report(const char *call, long result);
#define CALL(call) report(#call, (errno = 0, (long)(call)))
/* The same for a result that differs from run to run: "ok" unless it is an error. */
long report_ok(const char *call, long result);
#define OK(call)    report_ok(#call, (errno = 0, (long)(call)))
#define TRUTH(what) show("%s: %s", #what, (what) ? "yes" : "no")

/* What wait(2) says of a child. */
void show_status(const char *name, int status);

/* Runs fn in a child, and shows how the child ended. */
void in_child(const char *name, void (*fn)(void));
#define CHILD(fn) in_child(#fn, fn)

/*
 * A program does not hope that 20 ms are enough for another task: a CPU of a virtual machine may
 * stand still. It waits for what it needs.
 */

/* The state of a thread in /proc: R runs, S sleeps. '-': there is no such thread. */
char state_of(pid_t pid, pid_t tid);

/* Waits until a thread sleeps in the call that it has begun. */
void until_asleep(pid_t pid, pid_t tid);

/* Makes a child that sends this process a signal when it sleeps in its next call. */
pid_t signal_when_asleep(int sig);

/* How often a program tries what needs luck: `all` times, or a tenth of that in `make test`, which sets SHORT. */
int rounds(int all);

/* Sleeps on each CPU, twice. So all that was ready to run, like the kernel's workers, has run. */
void let_others_run(void);
