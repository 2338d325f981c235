/* The timers of timer_create(2), for the parts of posix_time and the end of processes. */
#pragma once

struct task_struct;

/* Fires the timers on CPU clocks of the process of p that are due. siglock held. */
void posix_cpu_timers_expire(struct task_struct *p);
/* Deletes all timers of the current process: its end, or exec. No other thread runs. */
void exit_posix_timers(void);
