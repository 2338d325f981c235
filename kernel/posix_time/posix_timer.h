/* The timers of timer_create(2), for the parts of posix_time and the end of processes. */
#pragma once

#include "kernel/posix_time/clock.h"

struct task_struct;

/* One timer, as /proc/PID/timers shows it. */
struct posix_timer_info {
	int id, signal, notify; /* notify: SIGEV_* */
	unsigned long value;    /* what the signal carries */
	pid_t pid;              /* the task that gets it, or whose process does */
	clockid_t clock;
};
/* The timer of the process of p with the highest id below id. False: none. Task context. */
bool next_posix_timer(struct task_struct *p, int id, struct posix_timer_info *info);

/* Fires the timers on CPU clocks of the process of p that are due. siglock held. */
void posix_cpu_timers_expire(struct task_struct *p);
/* Deletes all timers of the current process: its end, or exec. No other thread runs. */
void exit_posix_timers(void);
