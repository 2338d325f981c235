/* Clocks that show the CPU time of a task or of a process: clock_getcpuclockid(3). */
#pragma once

#include "kernel/posix_time/clock.h"

struct task_struct;

/* Which time a clock counts: the lowest two bits of its number. */
#define CPUCLOCK_PROF  0 /* in the program and in the kernel, as setitimer(2) */
#define CPUCLOCK_VIRT  1 /* in the program */
#define CPUCLOCK_SCHED 2 /* all, exactly */

struct cpu_clock {
	struct task_struct *task; /* counted; of a process: any of its tasks */
	bool thread;              /* of this task alone */
	unsigned which;           /* CPUCLOCK_* */
};

/* Whether a number is that of a CPU clock, right or wrong. */
static inline bool is_cpu_clock(clockid_t clock)
{
	return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

/*
 * The clock of a number. only_read: a process may also be named by the current thread. 0, or
 * -EINVAL. The caller calls put_cpu_clock(). Task context.
 */
int get_cpu_clock(clockid_t number, bool only_read, struct cpu_clock *clock);
void put_cpu_clock(struct cpu_clock *clock);
/*
 * What it shows, in ns. tasklist_lock or the siglock of its process held, or it is of the current
 * thread alone; R not held. Asks each thread of a process: no interrupt calls it for a process.
 */
u64 cpu_clock_read_locked(const struct cpu_clock *clock);
/* The same. Task context. */
u64 cpu_clock_read(const struct cpu_clock *clock);
