/* Self-tests of inotify's watches: their end beside an umount. */
#include "fs/notify/inotify.h"
#include "fs/vfs/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/task/cred.h"
#include "kernel/time/timer.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

static bool unmounted;

static int unmount(void *sb)
{
	fsnotify_unmount(sb);
	WRITE_ONCE(unmounted, true);
	return 0;
}

/* Adds a watch and ends it, but does not free it: inotify_rm_watch() half-way. */
static void add_ended_watch(struct inotify_watch *watch, struct inotify_group *group,
			    struct inode *inode)
{
	static_branch_inc(&fsnotify_key);
	atomic_inc(&group->user->inotify_watches);
	*watch = (struct inotify_watch){ .group = group, .inode = inode, .sb = inode->i_sb };
	spin_lock(&inotify_lock);
	inode->i_watches = watch;
	list_add_tail(&watch->group_node, &group->watches);
	list_add_tail(&watch->all_node, &inotify_watches);
	inotify_unlink(watch);
	spin_unlock(&inotify_lock);
}

SELFTEST(inotify, umount_waits_for_a_watch_that_another_task_has_ended)
{
	static struct super_block sb;
	struct inotify_group group = { .user = &root_user, .max_events = 1 };
	struct inotify_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL);
	struct inode *inode = new_inode(&sb, S_IFREG);
	struct task_struct *task;

	ASSERT(watch && inode);
	init_waitqueue_head(&group.wait);
	INIT_LIST_HEAD(&group.events);
	INIT_LIST_HEAD(&group.watches);
	add_ended_watch(watch, &group, inode);
	unmounted = false;
	task = test_task_start(unmount, &sb, "unmount");
	ASSERT(task);
	while (!READ_ONCE(unmounted) && READ_ONCE(task->__state) != TASK_UNINTERRUPTIBLE)
		msleep(1);
	EXPECT(!READ_ONCE(unmounted)); /* the watch still has an inode of sb */
	inotify_free(watch);
	test_task_end(task);
	EXPECT(unmounted);
	kfree(list_first_entry(&group.events, struct queued_event, list));
}
