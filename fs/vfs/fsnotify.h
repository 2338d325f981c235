/*
 * Events of files for inotify(7). The VFS calls these functions after an operation has succeeded.
 *
 * While no program watches anything, each is a nop: a static branch. Task context, may be called
 * with an i_mutex held, not with a spinlock.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "fs/vfs/hooks.h"
#include "kernel/jump_label.h"

#define IN_ACCESS        0x00000001U
#define IN_MODIFY        0x00000002U
#define IN_ATTRIB        0x00000004U
#define IN_CLOSE_WRITE   0x00000008U
#define IN_CLOSE_NOWRITE 0x00000010U
#define IN_OPEN          0x00000020U
#define IN_MOVED_FROM    0x00000040U
#define IN_MOVED_TO      0x00000080U
#define IN_CREATE        0x00000100U
#define IN_DELETE        0x00000200U
#define IN_DELETE_SELF   0x00000400U
#define IN_MOVE_SELF     0x00000800U
#define IN_ALL_EVENTS    0x00000fffU
#define IN_UNMOUNT       0x00002000U
#define IN_Q_OVERFLOW    0x00004000U
#define IN_IGNORED       0x00008000U
#define IN_ISDIR         0x40000000U

DECLARE_STATIC_KEY_FALSE(fsnotify_key); /* counts the watches */

/* Something has happened to an object: tells the watches of it and of the directory of its name. */
static __always_inline void fsnotify_dentry(struct dentry *dentry, u32 mask)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_dentry(dentry, mask, false);
}
static __always_inline void fsnotify_file(struct file *file, u32 mask)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_dentry(file->f_path.dentry, mask, true);
}
/* After a read or write that moved n bytes. */
static __always_inline void fsnotify_io(struct file *file, ssize_t n, u32 mask)
{
	if (static_branch_unlikely(&fsnotify_key) && n > 0)
		vfs_hooks.notify_dentry(file->f_path.dentry, mask, true);
}
/* A name has come to dir, or has gone from it. mask: with IN_ISDIR. */
static __always_inline void fsnotify_name(struct dentry *dir, const char *name, u32 mask,
					  u32 cookie)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_name(dir, name, mask, cookie);
}
/* The object itself, without a look at its name. */
static __always_inline void fsnotify_inode(struct inode *inode, u32 mask)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_inode(inode, mask);
}
/* A dentry has let go of an inode without names: it exists no more. Any context but interrupts. */
static __always_inline void fsnotify_removed(struct inode *inode)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_removed(inode);
}
/* sb is going away: ends the watches of its inodes. */
static inline void fsnotify_unmount(struct super_block *sb)
{
	if (static_branch_unlikely(&fsnotify_key))
		vfs_hooks.notify_unmount(sb);
}
