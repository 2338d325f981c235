/* inotify(7): the calls, and the file from which events are read. */
#include "fs/notify/inotify.h"

#include "arch/mm/uaccess.h"
#include "fs/vfs/dcache.h"
#include "fs/vfs/hooks.h"
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/vfs/permission.h"
#include "fs/file/poll.h"
#include "fs/proc/proc_fs.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/syscalls/syscalls.h"

#define FIONREAD 0x541bU

typedef s32 __s32; /* the name that the event of the call shows */

/* Sysctls. Read and written without a lock. */
static int inotify_max_queued_events = 16384;
static int inotify_max_user_instances = 128, inotify_max_user_watches = 8192;

static ssize_t inotify_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct inotify_group *group = file->private_data;
	struct queued_event *event;
	size_t done = 0;
	int err;

	(void)pos;
	for (;;) {
		event = inotify_take(group, count - done);
		if (IS_ERR(event))
			return done ? (ssize_t)done : PTR_ERR(event);
		if (event) {
			memcpy(buf + done, &event->event, sizeof(event->event));
			memcpy(buf + done + sizeof(event->event), event->name, event->event.len);
			done += inotify_event_size(event);
			inotify_free_event(group, event);
			continue;
		}
		if (done)
			return (ssize_t)done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(group->wait, READ_ONCE(group->nr_events));
		if (err)
			return err;
	}
}

static unsigned inotify_poll(struct file *file, struct poll_table_struct *wait)
{
	struct inotify_group *group = file->private_data;

	poll_wait(file, &group->wait, wait);
	return READ_ONCE(group->nr_events) ? POLLIN | POLLRDNORM : 0;
}

static int inotify_fasync(int fd, struct file *file, bool on)
{
	struct inotify_group *group = file->private_data;

	return fasync_helper(fd, file, on, &group->fasync);
}

static size_t inotify_memory(struct file *file)
{
	struct inotify_group *group = file->private_data;

	return READ_ONCE(group->memory);
}

static long inotify_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct inotify_group *group = file->private_data;

	if (cmd != FIONREAD)
		return -ENOTTY;
	return put_user((int)READ_ONCE(group->bytes), (int __user *)arg);
}

/* Takes a watch of the group away; NULL: it has none. */
static struct inotify_watch *first_watch(struct inotify_group *group)
{
	struct inotify_watch *watch;

	spin_lock(&inotify_lock);
	watch = list_first_entry_or_null(&group->watches, struct inotify_watch, group_node);
	if (watch)
		inotify_unlink(watch);
	spin_unlock(&inotify_lock);
	return watch;
}

/* Counts one more, unless there are max. */
static bool inc_below(atomic_t *count, int max)
{
	if (atomic_inc_return(count) <= max)
		return true;
	atomic_dec(count);
	return false;
}

/* A group without watches, charged to the current effective user; or an ERR_PTR. */
static struct inotify_group *alloc_group(void)
{
	struct user_struct *user = alloc_uid(current_euid());
	struct inotify_group *group;

	if (!user)
		return ERR_PTR(-ENOMEM);
	group = ERR_PTR(-EMFILE);
	if (!inc_below(&user->inotify_instances, READ_ONCE(inotify_max_user_instances)))
		goto put_user;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group) {
		group = ERR_PTR(-ENOMEM);
		goto uncharge;
	}
	inotify_init_group(group);
	group->max_events = (unsigned)READ_ONCE(inotify_max_queued_events);
	group->user = user;
	return group;
uncharge:
	atomic_dec(&user->inotify_instances);
put_user:
	put_user_struct(user);
	return group;
}

static void free_group(struct inotify_group *group)
{
	atomic_dec(&group->user->inotify_instances);
	put_user_struct(group->user);
	kfree(group);
}

static int inotify_release(struct inode *inode, struct file *file)
{
	struct inotify_group *group = file->private_data;
	struct inotify_watch *watch;
	struct queued_event *event;

	(void)inode;
	while ((watch = first_watch(group)))
		inotify_free(watch);
	while ((event = inotify_take(group, SIZE_MAX)))
		inotify_free_event(group, event);
	free_group(group);
	return 0;
}

static const struct file_operations inotify_fops = {
	.read = inotify_read,
	.poll = inotify_poll,
	.ioctl = inotify_ioctl,
	.fasync = inotify_fasync,
	.memory = inotify_memory,
	.llseek = noop_llseek,
	.release = inotify_release,
};

static long do_inotify_init(int flags)
{
	struct inotify_group *group;
	int fd;

	if (flags & ~(int)(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	group = alloc_group();
	if (IS_ERR(group))
		return PTR_ERR(group);
	fd = anon_inode_getfd("inotify", &inotify_fops, group, O_RDONLY | (unsigned)flags);
	/*
	 * LAB 20, unmarked, 2 of 5: whatever the error is. Starts as:
	 * if (fd == -EMFILE)
	 *	free_group(group);
	 */
	if (fd < 0)
		free_group(group);
	/* END LAB 20 */
	return fd;
}

SYSCALL_DEFINE1(inotify_init1, int, flags)
{
	return do_inotify_init(flags);
}

SYSCALL_DEFINE0(inotify_init)
{
	return do_inotify_init(0);
}

/* Changes the watch that the group has of inode. 0: it has none. inotify_lock held. */
static int update_watch(struct inotify_group *group, const struct inode *inode, u32 mask)
{
	struct inotify_watch *watch;

	for (watch = inode->i_watches; watch; watch = watch->next)
		if (watch->group == group)
			break;
	if (!watch)
		return 0;
	if (mask & IN_MASK_CREATE)
		return -EEXIST;
	if (mask & IN_MASK_ADD)
		watch->mask |= mask;
	else
		watch->mask = mask;
	return watch->wd;
}

/* Adds a watch, unless the user of the group has too many. inotify_lock held. */
static bool link_watch(struct inotify_watch *new, struct inotify_group *group, struct inode *inode,
		       u32 mask)
{
	int wd = ++group->last_wd; /* the number is lost if it fails, as on Linux */

	if (!inc_below(&group->user->inotify_watches, READ_ONCE(inotify_max_user_watches)))
		return false;
	*new = (struct inotify_watch){ .group = group,
				       .inode = ihold(inode),
				       .sb = inode->i_sb,
				       .next = inode->i_watches,
				       .wd = wd,
				       .mask = mask };
	inode->i_watches = new;
	list_add_tail(&new->group_node, &group->watches);
	list_add_tail(&new->all_node, &inotify_watches);
	return true;
}

/* Adds a watch, or changes it. Returns its number, or a negative errno. */
static int add_watch(struct inotify_group *group, struct inode *inode, u32 mask)
{
	struct inotify_watch *new = kzalloc(sizeof(*new), GFP_KERNEL);
	int wd;

	if (!new)
		return -ENOMEM;
	static_branch_inc(&fsnotify_key);
	spin_lock(&inotify_lock);
	wd = update_watch(group, inode, mask);
	if (!wd && !link_watch(new, group, inode, mask))
		wd = -ENOSPC;
	if (!wd) {
		wd = new->wd;
		new = NULL;
	}
	spin_unlock(&inotify_lock);
	if (new) {
		kfree(new);
		static_branch_dec(&fsnotify_key);
	}
	return wd;
}

SYSCALL_DEFINE3(inotify_add_watch, int, fd, const char __user *, pathname, u32, mask)
{
	unsigned lookup = (mask & IN_DONT_FOLLOW ? 0 : LOOKUP_FOLLOW) |
			  (mask & IN_ONLYDIR ? LOOKUP_DIRECTORY : 0);
	struct path path;
	struct fd f;
	long ret;

	if (!(mask &
	      (IN_ALL_EVENTS | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_ISDIR | IN_ONLYDIR |
	       IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_MASK_CREATE | IN_MASK_ADD | IN_ONESHOT)))
		return -EINVAL;
	f = fdget((unsigned)fd);
	if (!f.file)
		return -EBADF;
	ret = -EINVAL;
	if (!((mask & IN_MASK_ADD) && (mask & IN_MASK_CREATE)) && f.file->f_op == &inotify_fops) {
		ret = user_path_at(AT_FDCWD, pathname, 0, lookup, &path);
		if (!ret) {
			ret = inode_permission(path.dentry->d_inode, MAY_READ);
			if (!ret)
				ret = add_watch(f.file->private_data, path.dentry->d_inode, mask);
			path_put(&path);
		}
	}
	fdput(f);
	return ret;
}

static struct inotify_watch *remove_watch(struct inotify_group *group, int wd)
{
	struct inotify_watch *watch, *found = NULL;

	spin_lock(&inotify_lock);
	list_for_each_entry (watch, &group->watches, group_node)
		if (watch->wd == wd)
			found = watch;
	if (found)
		inotify_unlink(found);
	spin_unlock(&inotify_lock);
	return found;
}

SYSCALL_DEFINE2(inotify_rm_watch, int, fd, __s32, wd)
{
	struct fd f = fdget((unsigned)fd);
	struct inotify_watch *watch = NULL;

	if (!f.file)
		return -EBADF;
	if (f.file->f_op == &inotify_fops)
		watch = remove_watch(f.file->private_data, wd);
	fdput(f);
	if (!watch)
		return -EINVAL;
	inotify_free(watch);
	return 0;
}

#define INOTIFY_SYSCTL(name) SYSCTL_INT(name, "fs/inotify", inotify_##name, proc_dointvec_positive)
INOTIFY_SYSCTL(max_queued_events);
INOTIFY_SYSCTL(max_user_instances);
INOTIFY_SYSCTL(max_user_watches);
