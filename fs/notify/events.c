/* Events of files for the programs that watch the files. */
#include "fs/vfs/dcache.h"
#include "fs/vfs/internal.h"
#include "fs/notify/inotify.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/sigio.h"

DEFINE_SPINLOCK(inotify_lock);
LIST_HEAD(inotify_watches);
static LIST_HEAD(ended_watches); /* [inotify_lock] they still count their inodes */
static DECLARE_WAIT_QUEUE_HEAD(freed_wait);

static bool same_event(const struct queued_event *last, int wd, u32 mask, u32 cookie,
		       const char *name)
{
	return last->event.wd == wd && last->event.mask == mask && last->event.cookie == cookie &&
	       !strcmp(last->event.len ? last->name : "", name);
}

void inotify_init_group(struct inotify_group *group)
{
	init_waitqueue_head(&group->wait);
	INIT_LIST_HEAD(&group->events);
	INIT_LIST_HEAD(&group->watches);
	INIT_LIST_HEAD(&group->overflow.list);
	group->overflow.event = (struct inotify_event){ .wd = -1, .mask = IN_Q_OVERFLOW };
}

static size_t memory_of(const struct inotify_group *group, const struct queued_event *event)
{
	return event == &group->overflow ? 0 : ksize(event);
}

/* Two equal events in a row are one. An event that is lost leaves the overflow event. */
void inotify_queue(struct inotify_group *group, int wd, u32 mask, u32 cookie, const char *name)
{
	size_t len = name ? ALIGN(strlen(name) + 1, sizeof(struct inotify_event)) : 0;
	struct queued_event *event = NULL;

	if (!list_empty(&group->events) && !(mask & IN_IGNORED) &&
	    same_event(list_last_entry(&group->events, struct queued_event, list), wd, mask, cookie,
		       name ? name : ""))
		return;
	if (group->nr_events < group->max_events)
		event = kzalloc(sizeof(*event) + len, GFP_NOWAIT);
	if (event) {
		event->event = (struct inotify_event){ wd, mask, cookie, (u32)len };
		if (name)
			strscpy(event->name, name, len);
	} else if (list_empty(&group->overflow.list)) {
		event = &group->overflow;
	} else {
		return;
	}
	list_add_tail(&event->list, &group->events);
	group->nr_events++;
	group->bytes += inotify_event_size(event);
	group->memory += memory_of(group, event);
	wake_up_all(&group->wait);
	kill_fasync(&group->fasync, SIGIO, POLL_IN);
}

struct queued_event *inotify_take(struct inotify_group *group, size_t count)
{
	struct queued_event *event;

	spin_lock(&inotify_lock);
	event = list_first_entry_or_null(&group->events, struct queued_event, list);
	if (event && inotify_event_size(event) > count) {
		event = ERR_PTR(-EINVAL);
	} else if (event) {
		list_del_init(&event->list);
		group->nr_events--;
		group->bytes -= inotify_event_size(event);
		group->memory -= memory_of(group, event);
	}
	spin_unlock(&inotify_lock);
	return event;
}

void inotify_free_event(struct inotify_group *group, struct queued_event *event)
{
	if (event != &group->overflow)
		kfree(event);
}

void inotify_unlink(struct inotify_watch *watch)
{
	struct inotify_watch **link = &watch->inode->i_watches;

	while (*link != watch)
		link = &(*link)->next;
	*link = watch->next;
	atomic_dec(&watch->group->user->inotify_watches);
	list_del(&watch->group_node);
	list_move_tail(&watch->all_node, &ended_watches);
	inotify_queue(watch->group, watch->wd, IN_IGNORED, 0, NULL);
}

void inotify_free(struct inotify_watch *watch)
{
	iput(watch->inode);
	spin_lock(&inotify_lock);
	list_del(&watch->all_node);
	spin_unlock(&inotify_lock);
	wake_up_all(&freed_wait);
	kfree(watch);
	static_branch_dec(&fsnotify_key);
}

static void free_list(struct list_head *list)
{
	struct inotify_watch *watch, *next;

	list_for_each_entry_safe (watch, next, list, group_node)
		inotify_free(watch);
}

/*
 * Gives an event to the watches of inode. Those that end go to ended. IN_EXCL_UNLINK in mask: the
 * file has no name in the directory any more. inotify_lock held.
 */
static void tell(struct inode *inode, u32 mask, u32 cookie, const char *name,
		 struct list_head *ended)
{
	struct inotify_watch *watch, *next;

	for (watch = inode->i_watches; watch; watch = next) {
		next = watch->next;
		if (!(watch->mask & mask & IN_ALL_EVENTS) || (watch->mask & mask & IN_EXCL_UNLINK))
			continue;
		inotify_queue(watch->group, watch->wd, mask & ~IN_EXCL_UNLINK, cookie, name);
		if (watch->mask & IN_ONESHOT) {
			inotify_unlink(watch);
			list_add_tail(&watch->group_node, ended);
		}
	}
}

static void tell_all(struct inode *inode, u32 mask, u32 cookie, const char *name)
{
	LIST_HEAD(ended);

	if (!READ_ONCE(inode->i_watches))
		return;
	spin_lock(&inotify_lock);
	tell(inode, mask, cookie, name, &ended);
	spin_unlock(&inotify_lock);
	free_list(&ended);
}

static void notify_inode(struct inode *inode, u32 mask)
{
	/* Linux says of a directory that moves itself only this. */
	bool isdir = S_ISDIR(inode->i_mode) && mask != IN_MOVE_SELF;

	tell_all(inode, mask | (isdir ? IN_ISDIR : 0), 0, NULL);
}

static void notify_dentry(struct dentry *dentry, u32 mask, bool opened)
{
	struct inode *inode = dentry->d_inode, *dir = NULL;
	u32 gone = opened && (READ_ONCE(dentry->d_flags) & DCACHE_DEAD) ? IN_EXCL_UNLINK : 0;
	char name[NAME_MAX + 1];

	if (S_ISDIR(inode->i_mode))
		mask |= IN_ISDIR;
	read_seqlock_excl(&rename_lock); /* keeps the name and the directory */
	if (dentry->d_parent != dentry && READ_ONCE(dentry->d_parent->d_inode->i_watches)) {
		dir = ihold(dentry->d_parent->d_inode);
		strscpy(name, dentry->d_name.name, sizeof(name));
	}
	read_sequnlock_excl(&rename_lock);
	if (dir) {
		tell_all(dir, mask | gone, 0, name);
		iput(dir);
	}
	tell_all(inode, mask, 0, NULL);
}

static void notify_name(struct dentry *dir, const char *name, u32 mask, u32 cookie)
{
	tell_all(dir->d_inode, mask, cookie, name);
}

/* Ends the watches of an inode after a last event. */
static void end_watches(struct inode *inode, u32 mask)
{
	struct inotify_watch *watch;
	LIST_HEAD(ended);

	spin_lock(&inotify_lock);
	tell(inode, mask, 0, NULL, &ended);
	while ((watch = inode->i_watches)) {
		inotify_unlink(watch);
		list_add_tail(&watch->group_node, &ended);
	}
	spin_unlock(&inotify_lock);
	free_list(&ended);
}

static void notify_removed(struct inode *inode)
{
	if (READ_ONCE(inode->i_watches))
		end_watches(inode, IN_DELETE_SELF);
}

/* Whether a watch of sb has ended and is not yet freed: iput() may use sb. */
static bool has_ended_watch(const struct super_block *sb)
{
	struct inotify_watch *watch;
	bool found = false;

	spin_lock(&inotify_lock);
	list_for_each_entry (watch, &ended_watches, all_node)
		found |= watch->sb == sb;
	spin_unlock(&inotify_lock);
	return found;
}

/* Other tasks may be ending watches of sb now. Waits for them, because sb is freed next. */
static void notify_unmount(struct super_block *sb)
{
	struct inotify_watch *watch, *next;
	LIST_HEAD(ended);

	spin_lock(&inotify_lock);
	list_for_each_entry_safe (watch, next, &inotify_watches, all_node) {
		if (watch->sb != sb)
			continue;
		inotify_queue(watch->group, watch->wd, IN_UNMOUNT, 0, NULL);
		inotify_unlink(watch);
		list_add_tail(&watch->group_node, &ended);
	}
	spin_unlock(&inotify_lock);
	free_list(&ended);
	wait_event(freed_wait, !has_ended_watch(sb));
}

static int __init notify_init(void)
{
	vfs_hooks.notify_dentry = notify_dentry;
	vfs_hooks.notify_name = notify_name;
	vfs_hooks.notify_inode = notify_inode;
	vfs_hooks.notify_removed = notify_removed;
	vfs_hooks.notify_unmount = notify_unmount;
	return 0;
}
core_initcall(notify_init);
