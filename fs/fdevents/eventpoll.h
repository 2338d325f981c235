/* epoll(7): what eventpoll.c, epoll_calls.c and epoll_limit.c share. */
#pragma once

#include "fs/vfs/hooks.h"
#include "kernel/task/cred.h"
#include "kernel/time/ktime.h"

#define EPOLL_ITEM_COST 192  /* bytes of a watched file: the item, and its place in a wait queue */
#define EPOLL_MAX_QUEUE 2000 /* items of a user in the wait queue of a file that is no socket */

/* Charges the maker of an epoll file for a watched file; false: max_user_watches. And back. */
bool epoll_charge_watch(struct user_struct *user);
void epoll_uncharge_watch(struct user_struct *user);

/* epoll_ctl(2). */
#define EPOLL_CTL_ADD  1
#define EPOLL_CTL_DEL  2
#define EPOLL_CTL_MOD  3
#define EPOLLEXCLUSIVE (1U << 28) /* wakes one of several epoll files */
#define EPOLLWAKEUP    (1U << 29)
#define EPOLLONESHOT   (1U << 30) /* reports once, then only after EPOLL_CTL_MOD */
#define EPOLLET        (1U << 31) /* reports changes, not states */

/* As programs pass it, without padding. */
struct epoll_event {
	u32 events;
	u64 data;
} __packed;

struct eventpoll;

/* The epoll of a file, or NULL: it is another file. */
struct eventpoll *file_eventpoll(const struct file *file);
/* A new epoll and its descriptor. flags: O_CLOEXEC. Or a negative errno. */
int eventpoll_create(unsigned flags);
/*
 * Each takes the epoll's own mutex. target is watched under the number fd. -EEXIST, -ENOENT,
 * -ENOMEM, -ENOSPC (max_user_watches, EPOLL_MAX_QUEUE), -EINVAL (an exclusive entry cannot be
 * changed; too many paths lead up from a file), -ELOOP.
 */
int eventpoll_add(struct eventpoll *ep, struct file *target, int fd,
		  const struct epoll_event *event);
int eventpoll_modify(struct eventpoll *ep, struct file *target, int fd,
		     const struct epoll_event *event);
int eventpoll_remove(struct eventpoll *ep, struct file *target, int fd);
/* Copies at most max events that are ready to a program. Their number, or -EFAULT. */
int eventpoll_take(struct eventpoll *ep, struct epoll_event __user *events, int max);
/*
 * Sleeps until events may be ready. 0; -EINTR; -ETIMEDOUT: it is after end.
 */
int eventpoll_wait(struct eventpoll *ep, ktime_t end);
