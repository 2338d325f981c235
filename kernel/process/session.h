/* Process groups and sessions. */
#pragma once

#include "kernel/task/pid.h"

struct signal_struct;

/*
 * p ends (parent NULL), or loses its parent: if its process group thereby has no process left that
 * could continue its stopped processes, sends them SIGHUP and SIGCONT. tasklist_lock held.
 */
void kill_orphaned_pgrp(struct task_struct *p, struct task_struct *parent);
/*
 * Hook of the tty room: the process has made a session, and so loses its controlling terminal.
 * tasklist_lock held.
 */
extern void (*clear_tty_hook)(struct signal_struct *signal);
