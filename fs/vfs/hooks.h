/*
 * What the VFS asks of features that add to it, and that may not be linked. Each feature fills its
 * functions at the boot, before the first file is used by a program; they are constant afterwards.
 *
 * Most functions are called only if the feature has left something in the object: locks, a watch,
 * an item of epoll. So they are never NULL then, and a file without it costs one load, as before.
 * The inline functions of the features' headers call them, and say what happens without the
 * feature.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/task/pid.h"

struct fd;
struct fown_struct;
struct fasync_struct;

struct vfs_hooks {
	/* fs/file/file.c. NULL: no task has descriptors. file.h */
	struct fd (*fdget_shared)(unsigned fd);
	/* fs/pipe/open.c: the operations of FIFOs. NULL: an open is -ENXIO. */
	const struct file_operations *fifo;
	/* fs/locks/locks.c: fcntl(2). The other two: for an inode with i_flctx. fs/locks/locks.h */
	long (*fcntl_lock)(unsigned fd, struct file *file, unsigned cmd, void __user *arg);
	void (*locks_remove_posix)(struct file *file, void *owner);
	void (*locks_remove_file)(struct file *file);
	/* fs/fdevents/eventpoll.c, for a file with f_ep: the last reference is dropped. */
	void (*eventpoll_release)(struct file *file);
	/* fs/file/fasync.c. f_owner_free: for a file with f_owner. fs/file/fasync.h */
	int (*fasync_helper)(int fd, struct file *file, bool on, struct fasync_struct **list);
	int (*f_setown)(struct file *file, struct pid *pid, enum pid_type type, bool only_first);
	long (*fcntl_owner)(struct file *file, unsigned cmd, unsigned long arg);
	void (*f_owner_free)(struct fown_struct *owner);
	/* fs/notify/events.c, while fsnotify_key is on; fs/notify/fsnotify.h. */
	void (*notify_dentry)(struct dentry *dentry, u32 mask, bool opened);
	void (*notify_name)(struct dentry *dir, const char *name, u32 mask, u32 cookie);
	void (*notify_inode)(struct inode *inode, u32 mask);
	void (*notify_removed)(struct inode *inode);
	void (*notify_unmount)(struct super_block *sb);
};
extern struct vfs_hooks vfs_hooks;
