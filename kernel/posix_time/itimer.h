/* The timer of a process: alarm(2) and setitimer(2). */
#pragma once

struct signal_struct;
struct task_struct;

/*
 * The last thread of the current process ends: stops its timers, also those of timer_create(2), and
 * waits for their functions. Task context.
 */
void exit_itimers(struct signal_struct *signal);
/* Another thread becomes the leader, because it calls exec(2): the timer goes on. Task context. */
void itimer_set_task(struct signal_struct *signal, struct task_struct *leader);
