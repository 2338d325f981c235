/* The inside of epoll: what eventpoll.c and eventpoll_nest.c share. */
#pragma once

#include "fs/fdevents/eventpoll.h"
#include "kernel/lib/rbtree.h"
#include "kernel/sched/wait.h"

/* Legend: [M] mutex, [L] lock, [C] constant, [F] epoll_files_lock, [E] epoll_files_mutex. */
struct eventpoll {
	struct mutex mutex;
	wait_queue_head_t waiters;   /* tasks in epoll_wait() */
	wait_queue_head_t pollers;   /* tasks and epoll files that poll this file */
	struct rb_root_cached items; /* [M] by file and descriptor */
	const struct file *file;     /* [C] its own file */
	struct user_struct *user;    /* [C] who has made it: is charged for the items; counted */
	spinlock_t lock;             /* interrupts off */
	struct list_head ready;      /* [L] of item.ready_node */
	u64 walk;                    /* [E] the last walk that has come here */
	unsigned depth;              /* [E] what that walk has found */
};

struct item_wait;

/* One watched file. */
struct epitem {
	struct rb_node node; /* [M] */
	struct list_head
		ready_node;       /* [L] in ep->ready, or in the list of a task that takes events */
	struct eventpoll *ep;     /* [C] */
	struct file *file;        /* [C] not counted: its release removes the item */
	int fd;                   /* [C] */
	struct epoll_event event; /* [M] to write, events also [L] */
	struct epitem *next_of_file;  /* [F] others that watch the file; of an epoll also [E] */
	struct epitem **link_of_file; /* [F] the pointer to this one: a file may have many items */
	u64 counted;                  /* [F] the last walk that has counted the paths of the file */
	struct item_wait *waits;      /* [M] */
	int error;                    /* [M] of a wait that could not be made, or 0 */
};

#define item_of(rb) rb_entry(rb, struct epitem, node)

/*
 * E. Held while an epoll file begins or ceases to watch an epoll file, and while an epoll file that
 * is watched gets a file: so paths do not grow between their count and the new link. Also held at
 * the end of a file.
 */
extern struct mutex epoll_files_mutex;
extern spinlock_t epoll_files_lock; /* F: file.f_ep of all files; a leaf */

/* Whether ep may watch inner: it makes no ring and no long chain. E held. */
bool ep_may_nest(struct eventpoll *ep, struct eventpoll *inner);
/* Whether few enough paths lead up from the file, or from those below it. E held. */
bool ep_few_paths(struct file *file);
