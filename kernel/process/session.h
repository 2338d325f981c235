/* Process groups and sessions. */
#pragma once

#include "kernel/process/pid.h"

/*
 * p ends (parent NULL), or loses its parent: if its process group thereby has no process left that
 * could continue its stopped processes, sends them SIGHUP and SIGCONT. tasklist_lock held.
 */
void kill_orphaned_pgrp(struct task_struct *p, struct task_struct *parent);
/* As setpgid(0, pgrp) for a kernel task; 0: a group of its own. Errors do nothing. */
void kernel_setpgid(pid_t pgrp);
