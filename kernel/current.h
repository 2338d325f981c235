/*
 * The name and the PID of the current task, for the reports of rooms below the scheduler.
 * kernel/sched/core.c defines both functions. Any context.
 */
#pragma once

#include "kernel/types.h"

const char *current_comm(void);
#ifdef CONFIG_DEBUG
pid_t current_pid(void);
#endif
