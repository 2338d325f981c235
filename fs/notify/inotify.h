/* Instances of inotify and their watches: inotify.c has the calls, events.c what makes events. */
#pragma once

#include "fs/vfs/fsnotify.h"
#include "kernel/sched/wait.h"

struct inotify_event {
	int wd;
	u32 mask;
	u32 cookie;
	u32 len;
};

struct queued_event {
	struct list_head list;
	struct inotify_event event; /* len: with the NULs that follow the name */
	char name[];
};

/* An instance: an open file. [N] inotify_lock. */
struct inotify_group {
	wait_queue_head_t wait;
	struct list_head events;      /* [N] of queued_event.list */
	unsigned nr_events;           /* [N] */
	size_t bytes;                 /* [N] of the events, as a program reads them */
	size_t memory;                /* [N] that the events take, for the OOM killer */
	struct list_head watches;     /* [N] of inotify_watch.group_node */
	int last_wd;                  /* [N] */
	struct fasync_struct *fasync; /* [fasync_lock] */
	struct user_struct *user;     /* [C] is charged for the instance and its watches; counted */
	unsigned max_events;          /* [C] fs.inotify.max_queued_events when it was made */
	struct queued_event overflow; /* [N] list: empty if it is not in the queue; [C] the rest */
};

/* A watch. It counts its inode, and keeps it from being freed. */
struct inotify_watch {
	struct inotify_group *group; /* [C] */
	struct inode *inode;         /* [C] counted */
	struct super_block *sb;      /* [C] of inode; notify_unmount() waits until it is not used */
	struct inotify_watch *next;  /* [N] of the same inode: inode->i_watches */
	struct list_head group_node; /* [N] */
	struct list_head all_node;   /* [N] of all watches, or of those that have ended */
	int wd;                      /* [C] */
	u32 mask;                    /* [N] */
};

#define IN_ONLYDIR     0x01000000U
#define IN_DONT_FOLLOW 0x02000000U
#define IN_EXCL_UNLINK 0x04000000U
#define IN_MASK_CREATE 0x10000000U
#define IN_MASK_ADD    0x20000000U
#define IN_ONESHOT     0x80000000U

extern spinlock_t inotify_lock;
extern struct list_head inotify_watches; /* [N] all of them */

static inline size_t inotify_event_size(const struct queued_event *event)
{
	return sizeof(event->event) + event->event.len;
}

/* Sets up the queue and the lists; the other members are 0. */
void inotify_init_group(struct inotify_group *group);
/* Adds an event to the queue of the group. name may be NULL. inotify_lock held. */
void inotify_queue(struct inotify_group *group, int wd, u32 mask, u32 cookie, const char *name);
/*
 * Takes the first event, if count bytes hold it. NULL: none; -EINVAL: it is larger. The caller then
 * calls inotify_free_event(). No lock held.
 */
struct queued_event *inotify_take(struct inotify_group *group, size_t count);
void inotify_free_event(struct inotify_group *group, struct queued_event *event);
/* Ends a watch, with IN_IGNORED. inotify_lock held; the caller then calls inotify_free(). */
void inotify_unlink(struct inotify_watch *watch);
/* Frees an ended watch. No lock held. */
void inotify_free(struct inotify_watch *watch);
