/*
 * What the VFS asks of features that add to it, and that may not be linked. Each feature fills its
 * functions at the boot, before the first file is used by a program; they are constant afterwards.
 *
 * Most functions are called only if the feature has left something in the object: locks, a watch,
 * an item of epoll. So they are never NULL then, and a file without it costs one load, as before.
 * Inline functions call them: below, in fsnotify.h, fs/file/file.h and fs/calls/fcntl.h.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/task/pid.h"

struct fd;
struct fown_struct;
struct fasync_struct;
struct vm_area_struct;

struct vfs_hooks {
	/* fs/file/file.c. NULL: no task has descriptors. file.h */
	struct fd (*fdget_shared)(unsigned fd);
	/* fs/tmpfs/mmap.c: mmap of regular files; without programs there is no caller. */
	int (*tmpfs_mmap)(struct file *file, struct vm_area_struct *vma);
	/* fs/pipe/open.c: the operations of FIFOs. NULL: an open is -ENXIO. */
	const struct file_operations *fifo;
	/* fs/locks/locks.c: fcntl(2); NULL: -EINVAL. The other two: for an inode with i_flctx. */
	long (*fcntl_lock)(unsigned fd, struct file *file, unsigned cmd, void __user *arg);
	void (*locks_remove_posix)(struct file *file, void *owner);
	void (*locks_remove_file)(struct file *file);
	/* fs/fdevents/eventpoll.c, for a file with f_ep: the last reference is dropped. */
	void (*eventpoll_release)(struct file *file);
	/* fs/file/fasync.c. f_owner_free: for a file with f_owner. */
	int (*fasync_helper)(int fd, struct file *file, bool on, struct fasync_struct **list);
	int (*f_setown)(struct file *file, struct pid *pid, enum pid_type type, bool only_first);
	long (*fcntl_owner)(struct file *file, unsigned cmd, unsigned long arg);
	void (*f_owner_free)(struct fown_struct *owner);
	/* fs/notify/events.c, while fsnotify_key is on; fs/vfs/fsnotify.h. */
	void (*notify_dentry)(struct dentry *dentry, u32 mask, bool opened);
	void (*notify_name)(struct dentry *dir, const char *name, u32 mask, u32 cookie);
	void (*notify_inode)(struct inode *inode, u32 mask);
	void (*notify_removed)(struct inode *inode);
	void (*notify_unmount)(struct super_block *sb);
};
extern struct vfs_hooks vfs_hooks;

/* Takes a file that is being released out of all epoll files that watch it. Task context. */
static inline void eventpoll_release(struct file *file)
{
	if (unlikely(READ_ONCE(file->f_ep)))
		vfs_hooks.eventpoll_release(file);
}

/* The last reference is dropped: removes the locks of the open file. */
static inline void locks_remove_file(struct file *file)
{
	if (unlikely(READ_ONCE(file->f_inode->i_flctx)))
		vfs_hooks.locks_remove_file(file);
}

/*
 * For the fasync operation of a file: enters it into the list of an object, or takes it out; sets
 * or clears O_ASYNC. 0 or -ENOMEM; -ENOTTY: no file of this kernel sends signals. Task context.
 */
static inline int fasync_helper(int fd, struct file *file, bool on, struct fasync_struct **list)
{
	return vfs_hooks.fasync_helper ? vfs_hooks.fasync_helper(fd, file, on, list) : -ENOTTY;
}
/*
 * Sets the owner of a file for which fasync_helper() has succeeded; only_first: unless there is
 * one. pid is counted for the caller; NULL: no owner. 0 or -ENOMEM. Task context.
 */
static inline int __f_setown(struct file *file, struct pid *pid, enum pid_type type,
			     bool only_first)
{
	return vfs_hooks.f_setown(file, pid, type, only_first);
}
