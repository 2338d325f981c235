/* The timers of timer_create(2), for the parts of posix_time and the end of processes. */
#pragma once

#include "kernel/time/ktime.h"

struct cpu_clock;
struct task_struct;

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
 * What it showed when it was read last, for the process of p: does not ask the threads, because
 * siglock keeps interrupts off. A caller that needs the present calls read_process_clock() before
 * it takes siglock. siglock held.
 */
u64 last_process_clock(struct task_struct *p, unsigned which);
/* A timer on a clock of the process is set: the next tick asks. siglock held. */
#define process_timer_set(signal) WRITE_ONCE((signal)->cpu_check, 0)
/* Deletes all timers of the current process: its end, or exec. No other thread runs. */
void exit_posix_timers(void);
