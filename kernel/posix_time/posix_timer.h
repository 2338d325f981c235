/* The timers of timer_create(2), for the parts of posix_time and the end of processes. */
#pragma once

#include "kernel/time/ktime.h"

struct cpu_clock;
struct task_struct;

#define TICK_NS (4 * NSEC_PER_MSEC)

/* The time of the earliest timer on a CPU clock, or KTIME_MAX: there is none. siglock held. */
u64 posix_cpu_timers_next(const struct cpu_clock *clock);
/*
 * Fires the timers on a clock of the current process or thread, which shows now, that are due.
 * Takes siglock for each of them. Task context, no lock held.
 */
void posix_cpu_timers_expire(const struct cpu_clock *clock, u64 now);
/* What the CPU clock of the current process shows, CPUCLOCK_*. Task context, no lock held. */
u64 read_process_clock(unsigned which);
/*
 * The same for the process of p, of any time within the last tick: what was read last, if it is not
 * older. A caller that needs the present calls read_process_clock() first. siglock held.
 */
u64 recent_process_clock(struct task_struct *p, unsigned which);
/* A timer on a clock of the process is set: the next tick asks. siglock held. */
#define process_timer_set(signal) WRITE_ONCE((signal)->cpu_check, 0)
/* Deletes all timers of the current process: its end, or exec. No other thread runs. */
void exit_posix_timers(void);
