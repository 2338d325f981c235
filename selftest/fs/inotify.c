/* Self-tests of inotify's watches: their end beside an umount. */
#include "fs/notify/inotify.h"
#include "fs/vfs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
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
	inotify_init_group(&group);
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
	inotify_free_event(&group, inotify_take(&group, SIZE_MAX));
}

/* The mask of the first event, which is taken. 0: the queue is empty. */
static u32 take_mask(struct inotify_group *group)
{
	struct queued_event *event = inotify_take(group, SIZE_MAX);
	u32 mask = event ? event->event.mask : 0;

	if (event)
		inotify_free_event(group, event);
	return mask;
}

static void queue(struct inotify_group *group, u32 mask, const char *name)
{
	spin_lock(&inotify_lock);
	inotify_queue(group, 1, mask, 0, name);
	spin_unlock(&inotify_lock);
}

SELFTEST(inotify, an_event_that_finds_no_memory_leaves_the_overflow_event)
{
	struct inotify_group group = { .user = &root_user, .max_events = 10 };
	size_t size = KMALLOC_MAX_SIZE + 1;
	char *name = vmalloc(size); /* too long for any allocation of an event */

	ASSERT(name);
	memset(name, 'x', size - 1);
	name[size - 1] = 0;
	inotify_init_group(&group);
	for (int i = 0; i < 2; i++) {
		queue(&group, IN_OPEN, NULL);
		queue(&group, IN_CREATE, name);
		queue(&group, IN_CREATE, name);
		queue(&group, IN_ACCESS, NULL);
		EXPECT_EQ(take_mask(&group), IN_OPEN);
		EXPECT_EQ(take_mask(&group), IN_Q_OVERFLOW);
		EXPECT_EQ(take_mask(&group), IN_ACCESS);
		EXPECT_EQ(take_mask(&group), 0);
		EXPECT_EQ(group.bytes, 0);
		EXPECT_EQ(group.memory, 0);
	}
	vfree(name);
}

SELFTEST(inotify, an_instance_counts_all_memory_of_its_events)
{
	struct inotify_group group = { .user = &root_user, .max_events = 10 };
	char name[NAME_MAX + 1] = { 0 };

	inotify_init_group(&group);
	memset(name, 'x', NAME_MAX);
	for (int i = 0; i < 10; i++) {
		name[0] = (char)('a' + i);
		queue(&group, IN_CREATE, name);
	}
	EXPECT_EQ(group.bytes, 10 * (sizeof(struct inotify_event) + sizeof(name)));
	EXPECT(group.memory >= 10 * (sizeof(struct queued_event) + sizeof(name)));
	while (take_mask(&group))
		;
	EXPECT_EQ(group.bytes, 0);
	EXPECT_EQ(group.memory, 0);
}
