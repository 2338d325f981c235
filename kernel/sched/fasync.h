/*
 * Signals about files, from where an object also wakes sleepers: kill_fasync(). kernel/signal/ has
 * the lists and the owners.
 */
#pragma once

#include "kernel/compiler.h"

struct fasync_struct;

/* Why a signal comes: si_code. */
#define POLL_IN  1
#define POLL_OUT 2
#define POLL_PRI 5
#define POLL_HUP 6

/* Set by sigio.c. Defined beside the hooks of the VFS, because only files are in lists. */
extern void (*kill_fasync_hook)(struct fasync_struct **list, int sig, int band);
/*
 * Sends sig, or what the owner has chosen instead, for each file of the list. band is POLL_*. A
 * SIGURG goes only to owners that have chosen a signal.
 *
 * A program can put thousands of files into a list that several files share, each with a group of
 * processes as its owner. The task may be preempted between two files, so the caller of such a list
 * holds no spinlock. Task context; for a list of one file any lock but tasklist_lock and siglock.
 */
static __always_inline void kill_fasync(struct fasync_struct **list, int sig, int band)
{
	if (unlikely(READ_ONCE(*list) != NULL))
		kill_fasync_hook(list, sig, band);
}
