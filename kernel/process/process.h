/* The end of processes, and their groups. */
#pragma once

#include "kernel/sched/sched.h"

/*
 * Ends the current process with a wait status, as wait(2) gives it: all its threads. If another
 * thread has begun that already, with its status. Task context, no lock.
 */
void __noreturn do_group_exit(int status);
/*
 * True if no process of the current process group has a parent in the same session but another
 * group: no shell would continue it after a stop. Takes tasklist_lock. Task context.
 */
bool is_current_pgrp_orphaned(void);
