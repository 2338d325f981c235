/*
 * Signals about files: the owner of a file with O_ASYNC gets SIGIO when the file becomes ready
 * (fcntl(2), F_SETOWN).
 *
 * An object with readers or writers has a list of the files that want signals, and calls
 * kill_fasync() where it also wakes sleepers. fs/file/fasync.c fills the lists.
 */
#pragma once

#define FASYNC 020000 /* O_ASYNC of open(2) */

#include "kernel/sched/fasync.h"
#include "kernel/task/pid.h"

/* The owner of a file, which gets its signals. [F] fasync_lock. */
struct fown_struct {
	struct pid *pid;    /* [F] counted; NULL: no owner */
	enum pid_type type; /* [F] PIDTYPE_PID: a task; TGID: a process; PGID: a group */
	u32 uid, euid;      /* [F] of the task that has set the owner */
	int signum;         /* [F] 0: SIGIO, without details */
};

/*
 * A file in the list of an object. [F] fasync_lock; [C] constant. An entry without a file is the
 * place that a call of kill_fasync() has come to.
 */
struct fasync_struct {
	struct fasync_struct *next;   /* [F] */
	struct fasync_struct **pprev; /* [F] what points to this entry */
	const void *file;             /* [C] leaves the list before its last reference goes */
	unsigned *flags;              /* [C] of the file: FASYNC is set while this entry exists */
	struct fown_struct *owner;    /* [C] of the file */
	int fd;                       /* [F] si_fd */
};

/* Order: inotify_lock, fasync_lock, tasklist_lock. Task context. */
extern spinlock_t fasync_lock;

/* Puts an entry into a list, before the one that *before points to; takes one out. F held. */
void fasync_link(struct fasync_struct *entry, struct fasync_struct **before);
void fasync_unlink(struct fasync_struct *entry);

/* The object is gone before its files: empties the list. Task context. */
void fasync_forget(struct fasync_struct **list);

/*
 * Sends SIGURG to the owner, also without O_ASYNC: urgent data have come. owner is a copy of the
 * caller's, or has no pid. False: there is no owner. Task context, any lock but tasklist_lock and
 * siglock.
 */
bool send_sigurg(const struct fown_struct *owner);
