/*
 * epoll: a set of watched files that remembers which of them may be ready.
 *
 * Each watched file has an item. The item's entries are in the wait queues of the file, for as long
 * as it is watched. A wake-up there calls item_event(), which puts the item into the list `ready`,
 * and wakes the tasks that wait. A task that takes events asks the files of the ready items. An
 * item that is ready stays in the list (level-triggered), unless it is EPOLLET or EPOLLONESHOT.
 *
 * An epoll file may watch another one: eventpoll_nest.c.
 *
 * Locks: epoll_files_mutex, then ep->mutex (that of the watching epoll before that of the watched
 * one), then the lock of a wait queue, then ep->lock. epoll_files_lock is a leaf.
 */
#include "fs/fdevents/eventpoll_internal.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/clock.h"
#include "kernel/rcu/rcu.h"

#define EPOLL_PRIVATE   (EPOLLWAKEUP | EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE)
#define ALWAYS_REPORTED (POLLERR | POLLHUP)

/* An item in one wait queue. */
struct item_wait {
	struct wait_queue_entry wait;
	wait_queue_head_t *queue; /* NULL: the queue has gone (POLLFREE) */
	struct epitem *item;
	struct item_wait *next;
};

BUILD_BUG_ON(sizeof(struct epitem) + sizeof(struct item_wait) > EPOLL_ITEM_COST);
static const struct file_operations eventpoll_fops;

struct eventpoll *file_eventpoll(const struct file *file)
{
	return file->f_op == &eventpoll_fops ? file->private_data : NULL;
}

/* ---- the items ---- */

/* The order in the tree: below 0, 0 or above 0. */
static int compare(const struct epitem *item, const struct file *file, int fd)
{
	if (item->file != file)
		return item->file < file ? -1 : 1;
	return item->fd - fd;
}

static bool item_before(struct rb_node *a, const struct rb_node *b)
{
	return compare(item_of(a), item_of(b)->file, item_of(b)->fd) < 0;
}

static struct epitem *find_item(struct eventpoll *ep, const struct file *file, int fd)
{
	struct rb_node *node = ep->items.rb_root.rb_node;

	while (node) {
		int order = compare(item_of(node), file, fd);

		if (!order)
			return item_of(node);
		node = order < 0 ? node->rb_right : node->rb_left;
	}
	return NULL;
}

/* What a file is ready for, of what the item asks for. table: also watch it. M held. */
static unsigned item_poll(struct epitem *item, poll_table *table)
{
	return vfs_poll(item->file, table) & item->event.events;
}

/* Lets tasks look at the ready list. */
static void wake_epoll(struct eventpoll *ep)
{
	if (!list_empty(&ep->waiters.head))
		wake_up(&ep->waiters);
	if (!list_empty(&ep->pollers.head))
		wake_up_poll(&ep->pollers, POLLIN | POLLRDNORM);
}

/* Puts an item into the ready list, if it is in none. L held. */
static void make_ready(struct eventpoll *ep, struct epitem *item)
{
	if (list_empty(&item->ready_node))
		list_add_tail(&item->ready_node, &ep->ready);
}

/* A queue of a watched file wakes its waiters. */
static bool item_event(struct wait_queue_entry *wait, unsigned events)
{
	struct item_wait *iw = container_of(wait, struct item_wait, wait);
	struct epitem *item = iw->item;
	struct eventpoll *ep = item->ep;
	bool wanted, taken;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	wanted = (item->event.events & ~EPOLL_PRIVATE) &&
		 (!events || (events & (item->event.events | POLLFREE)));
	if (wanted)
		make_ready(ep, item);
	spin_unlock_irqrestore(&ep->lock, flags);
	taken = !(wait->flags & WQ_FLAG_EXCLUSIVE) || (wanted && !list_empty(&ep->waiters.head));
	if (wanted)
		wake_epoll(ep);
	if (events & POLLFREE) {
		list_del_init(&wait->entry);
		smp_store_release(&iw->queue, NULL); /* the last access: the item may be freed */
	}
	return taken;
}

struct add_table {
	poll_table table;
	struct epitem *item;
};

/*
 * Whether the user has at most EPOLL_MAX_QUEUE items in a queue. A wake-up visits all of them,
 * perhaps with interrupts off and the lock of a task held, which must not take long. Each user may
 * have as many, because users share some queues, such as that of the kernel's log.
 */
static bool may_queue(wait_queue_head_t *queue, const struct user_struct *user)
{
	struct wait_queue_entry *entry;
	unsigned n = 0;

	spin_lock_irq(&queue->lock);
	list_for_each_entry (entry, &queue->head, entry)
		if ((entry->flags & WQ_FLAG_CALLBACK) && entry->func == item_event)
			n += container_of(entry, struct item_wait, wait)->item->ep->user == user;
	spin_unlock_irq(&queue->lock);
	return n <= EPOLL_MAX_QUEUE;
}

static void queue_item(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	struct epitem *item = container_of(table, struct add_table, table)->item;
	struct item_wait *iw = kmalloc(sizeof(*iw), GFP_KERNEL);

	if (!iw) {
		item->error = -ENOMEM;
		return;
	}
	iw->wait.func = item_event;
	iw->wait.flags = WQ_FLAG_CALLBACK;
	if (item->event.events & EPOLLEXCLUSIVE)
		iw->wait.flags |= WQ_FLAG_EXCLUSIVE;
	INIT_LIST_HEAD(&iw->wait.entry);
	iw->queue = queue;
	iw->item = item;
	iw->next = item->waits;
	item->waits = iw;
	add_wait_queue(queue, &iw->wait);
	/* All datagram sockets of AF_UNIX share a queue, and a server may watch more of them. */
	if (!S_ISSOCK(file->f_inode->i_mode) && !may_queue(queue, item->ep->user))
		item->error = -ENOSPC;
}

static void leave_queues(struct epitem *item)
{
	struct item_wait *iw, *next;

	for (iw = item->waits; iw; iw = next) {
		wait_queue_head_t *queue;

		next = iw->next;
		/* The memory of a queue that says POLLFREE stays until then. */
		rcu_read_lock();
		queue = smp_load_acquire(&iw->queue);
		if (queue)
			remove_wait_queue(queue, &iw->wait);
		rcu_read_unlock();
		kfree(iw);
	}
}

static void link_file(struct epitem *item)
{
	spin_lock(&epoll_files_lock);
	item->next_of_file = item->file->f_ep;
	item->link_of_file = &item->file->f_ep;
	if (item->next_of_file)
		item->next_of_file->link_of_file = &item->next_of_file;
	item->file->f_ep = item;
	spin_unlock(&epoll_files_lock);
}

static void unlink_file(struct epitem *item)
{
	spin_lock(&epoll_files_lock);
	*item->link_of_file = item->next_of_file;
	if (item->next_of_file)
		item->next_of_file->link_of_file = item->link_of_file;
	spin_unlock(&epoll_files_lock);
}

/* M held. */
static void free_item(struct eventpoll *ep, struct epitem *item)
{
	leave_queues(item);
	unlink_file(item);
	rb_erase_cached(&item->node, &ep->items);
	spin_lock_irq(&ep->lock);
	list_del_init(&item->ready_node);
	spin_unlock_irq(&ep->lock);
	kfree(item);
	epoll_uncharge_watch(ep->user);
}

static void eventpoll_release_file(struct file *file)
{
	struct epitem *item;

	mutex_lock(&epoll_files_mutex);
	while ((item = READ_ONCE(file->f_ep))) {
		struct eventpoll *ep = item->ep;

		mutex_lock(&ep->mutex);
		free_item(ep, item);
		mutex_unlock(&ep->mutex);
	}
	mutex_unlock(&epoll_files_mutex);
}

/* ---- taking events ---- */

/* Takes the first item out of a list of ready ones. NULL: the list is empty. */
static struct epitem *next_ready(struct eventpoll *ep, struct list_head *list)
{
	struct epitem *item;

	spin_lock_irq(&ep->lock);
	item = list_first_entry_or_null(list, struct epitem, ready_node);
	if (item)
		list_del_init(&item->ready_node);
	spin_unlock_irq(&ep->lock);
	return item;
}

/* Begins to look at the ready items: moves them to list, so that each is looked at once. */
static void begin_scan(struct eventpoll *ep, struct list_head *list)
{
	spin_lock_irq(&ep->lock);
	list_splice_tail_init(&ep->ready, list);
	spin_unlock_irq(&ep->lock);
}

/* Puts back the items that nobody has looked at: before those that have become ready since. */
static void end_scan(struct eventpoll *ep, struct list_head *list)
{
	spin_lock_irq(&ep->lock);
	list_splice_tail_init(&ep->ready, list);
	list_splice_tail_init(list, &ep->ready);
	spin_unlock_irq(&ep->lock);
}

static void ready_again(struct eventpoll *ep, struct epitem *item, struct list_head *list)
{
	spin_lock_irq(&ep->lock);
	if (list_empty(&item->ready_node))
		list_add_tail(&item->ready_node, list);
	spin_unlock_irq(&ep->lock);
}

int eventpoll_take(struct eventpoll *ep, struct epoll_event __user *events, int max)
{
	LIST_HEAD(list);
	LIST_HEAD(again);
	struct epitem *item;
	int taken = 0;

	mutex_lock(&ep->mutex);
	begin_scan(ep, &list);
	while (taken < max && (item = next_ready(ep, &list))) {
		struct epoll_event out = { .data = item->event.data };

		out.events = item_poll(item, NULL);
		if (!out.events)
			continue; /* it was ready, or never */
		if (copy_to_user(&events[taken], &out, sizeof(out))) {
			ready_again(ep, item, &list);
			taken = taken ? taken : -EFAULT;
			break;
		}
		taken++;
		if (item->event.events & EPOLLONESHOT) {
			spin_lock_irq(&ep->lock);
			item->event.events &= EPOLL_PRIVATE;
			spin_unlock_irq(&ep->lock);
		} else if (!(item->event.events & EPOLLET)) {
			ready_again(ep, item, &again);
		}
	}
	/* The next task looks first at what this one has not looked at. */
	spin_lock_irq(&ep->lock);
	list_splice_tail_init(&ep->ready, &list);
	list_splice_tail_init(&again, &list);
	list_splice_tail_init(&list, &ep->ready);
	spin_unlock_irq(&ep->lock);
	mutex_unlock(&ep->mutex);
	if (!list_empty(&ep->ready) && !list_empty(&ep->waiters.head))
		wake_up(&ep->waiters);
	return taken;
}

static bool has_ready(struct eventpoll *ep)
{
	bool ready;

	/* The lock orders this after the caller has queued itself. */
	spin_lock_irq(&ep->lock);
	ready = !list_empty(&ep->ready);
	spin_unlock_irq(&ep->lock);
	return ready;
}

int eventpoll_wait(struct eventpoll *ep, ktime_t end)
{
	DEFINE_WAIT(wait);
	int err = 0;

	while (!has_ready(ep)) {
		ktime_t now = end == KTIME_MAX ? 0 : ktime_get();

		if (now >= end) {
			err = -ETIMEDOUT;
			break;
		}
		prepare_to_wait_exclusive(&ep->waiters, &wait, TASK_INTERRUPTIBLE);
		if (has_ready(ep))
			break;
		if (signal_pending(current)) {
			err = -EINTR;
			break;
		}
		schedule_until(monotonic_deadline(end));
		/* A program that a signal has woken hears of it, however late it runs. */
		if (signal_pending(current) && !has_ready(ep)) {
			err = -EINTR;
			break;
		}
	}
	finish_wait(&ep->waiters, &wait);
	/* It may have consumed a wake-up that another task needs. */
	if (err && has_ready(ep))
		wake_up(&ep->waiters);
	return err;
}

/* Whether an epoll file that is watched is ready: one of its items is. */
static unsigned eventpoll_poll(struct file *file, poll_table *table)
{
	struct eventpoll *ep = file->private_data;
	unsigned ready = 0;
	struct epitem *item;
	LIST_HEAD(list);

	poll_wait(file, &ep->pollers, table);
	mutex_lock(&ep->mutex);
	begin_scan(ep, &list);
	while (!ready && (item = next_ready(ep, &list))) {
		if (!item_poll(item, NULL))
			continue;
		ready = POLLIN | POLLRDNORM;
		spin_lock_irq(&ep->lock);
		list_del_init(&item->ready_node); /* an event may have come since */
		list_add(&item->ready_node, &list);
		spin_unlock_irq(&ep->lock);
	}
	end_scan(ep, &list);
	mutex_unlock(&ep->mutex);
	return ready;
}

/* ---- changing the set ---- */

static struct epoll_event kept_event(const struct epoll_event *event)
{
	struct epoll_event kept = *event;

	kept.events |= ALWAYS_REPORTED;
	kept.events &= ~EPOLLWAKEUP; /* nop5 does not suspend */
	return kept;
}

/* The file may be ready already. M held. */
static void check_now(struct eventpoll *ep, struct epitem *item, poll_table *table)
{
	if (!item_poll(item, table))
		return;
	spin_lock_irq(&ep->lock);
	make_ready(ep, item);
	spin_unlock_irq(&ep->lock);
	wake_epoll(ep);
}

/* count: also count the paths of the files below, with E held. M held. */
static int insert_item(struct eventpoll *ep, struct file *target, int fd,
		       const struct epoll_event *event, bool count)
{
	struct epitem *item = kzalloc(sizeof(*item), GFP_KERNEL);
	struct add_table add = { .table = { .queue = queue_item }, .item = item };
	int err;

	if (!item)
		return -ENOMEM;
	if (!epoll_charge_watch(ep->user)) {
		kfree(item);
		return -ENOSPC;
	}
	INIT_LIST_HEAD(&item->ready_node);
	item->ep = ep;
	item->file = target;
	item->fd = fd;
	item->event = kept_event(event);
	rb_add_cached(&item->node, &ep->items, item_before);
	link_file(item);
	if (count && !ep_few_paths(target)) {
		free_item(ep, item);
		return -EINVAL;
	}
	check_now(ep, item, &add.table);
	err = item->error;
	if (err)
		free_item(ep, item);
	return err;
}

/* M held. */
static int add_item(struct eventpoll *ep, struct file *target, int fd,
		    const struct epoll_event *event, bool count)
{
	return find_item(ep, target, fd) ? -EEXIST : insert_item(ep, target, fd, event, count);
}

/* The same with E held: ep, or the target, is part of a nest. */
static int add_nested(struct eventpoll *ep, struct file *target, int fd,
		      const struct epoll_event *event)
{
	struct eventpoll *inner = file_eventpoll(target);
	int err = -ELOOP;

	mutex_lock(&epoll_files_mutex);
	if (!inner || ep_may_nest(ep, inner)) {
		mutex_lock(&ep->mutex);
		err = add_item(ep, target, fd, event, true);
		mutex_unlock(&ep->mutex);
	}
	mutex_unlock(&epoll_files_mutex);
	return err;
}

int eventpoll_add(struct eventpoll *ep, struct file *target, int fd,
		  const struct epoll_event *event)
{
	int err;

	if (file_eventpoll(target))
		return add_nested(ep, target, fd, event);
	mutex_lock(&ep->mutex);
	/*
	 * If another task begins to watch ep, it sets f_ep before it looks at ep's files, under M.
	 */
	if (READ_ONCE(ep->file->f_ep)) {
		mutex_unlock(&ep->mutex);
		return add_nested(ep, target, fd, event);
	}
	err = add_item(ep, target, fd, event, false);
	mutex_unlock(&ep->mutex);
	return err;
}

int eventpoll_modify(struct eventpoll *ep, struct file *target, int fd,
		     const struct epoll_event *event)
{
	struct epitem *item;
	int err = 0;

	mutex_lock(&ep->mutex);
	item = find_item(ep, target, fd);
	if (!item) {
		err = -ENOENT;
	} else if (item->event.events & EPOLLEXCLUSIVE) {
		err = -EINVAL;
	} else {
		spin_lock_irq(&ep->lock);
		item->event = kept_event(event);
		spin_unlock_irq(&ep->lock);
		check_now(ep, item, NULL);
	}
	mutex_unlock(&ep->mutex);
	return err;
}

int eventpoll_remove(struct eventpoll *ep, struct file *target, int fd)
{
	bool nested = file_eventpoll(target) != NULL;
	struct epitem *item;

	if (nested)
		mutex_lock(&epoll_files_mutex);
	mutex_lock(&ep->mutex);
	item = find_item(ep, target, fd);
	if (item)
		free_item(ep, item);
	mutex_unlock(&ep->mutex);
	if (nested)
		mutex_unlock(&epoll_files_mutex);
	return item ? 0 : -ENOENT;
}

/* ---- the file ---- */

static void free_eventpoll(struct eventpoll *ep)
{
	put_user_struct(ep->user);
	kfree(ep);
}

static int eventpoll_release_op(struct inode *inode, struct file *file)
{
	struct eventpoll *ep = file->private_data;
	struct rb_node *node;

	(void)inode;
	/* Keeps watched files from ending now: they would look for their items. */
	mutex_lock(&epoll_files_mutex);
	mutex_lock(&ep->mutex);
	while ((node = rb_first_cached(&ep->items))) {
		free_item(ep, item_of(node));
		cond_resched();
	}
	mutex_unlock(&ep->mutex);
	mutex_unlock(&epoll_files_mutex);
	free_eventpoll(ep);
	return 0;
}

static const struct file_operations eventpoll_fops = {
	.poll = eventpoll_poll,
	.release = eventpoll_release_op,
	.llseek = noop_llseek,
};

int eventpoll_create(unsigned flags)
{
	struct eventpoll *ep;
	struct file *file;
	int fd = get_unused_fd_flags(flags);

	if (fd < 0)
		return fd;
	ep = kzalloc(sizeof(*ep), GFP_KERNEL);
	file = ERR_PTR(-ENOMEM);
	if (ep) {
		ep->user = get_current_user();
		file = anon_inode_getfile("[eventpoll]", &eventpoll_fops, ep, O_RDWR | flags);
	}
	if (IS_ERR(file)) {
		put_unused_fd((unsigned)fd);
		if (ep)
			free_eventpoll(ep);
		return (int)PTR_ERR(file);
	}
	ep->file = file;
	mutex_init(&ep->mutex);
	init_waitqueue_head(&ep->waiters);
	init_waitqueue_head(&ep->pollers);
	spin_lock_init(&ep->lock);
	INIT_LIST_HEAD(&ep->ready);
	ep->items = RB_ROOT_CACHED;
	fd_install((unsigned)fd, file);
	return fd;
}

static int __init eventpoll_init(void)
{
	vfs_hooks.eventpoll_release = eventpoll_release_file;
	return 0;
}
core_initcall(eventpoll_init);
