/*
 * What rooms below the scheduler may know about the current task: its name and its PID, for their
 * reports. kernel/sched/core.c defines both functions. Any context.
 */
#pragma once

#include "kernel/types.h"

const char *current_comm(void);
#ifdef CONFIG_DEBUG
pid_t current_pid(void);
#endif
