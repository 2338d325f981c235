/* Mounts: file-system types, mounted trees, and the tables behind /proc/mounts (namespace.c). */
#pragma once

#include "fs/fs.h"

struct file_system_type {
	const char *name;
	bool nodev; /* shown by /proc/filesystems */
	/*
	 * Fills sb, at least s_root. Returns 0 or a negative errno. Called once, because each type
	 * has one super_block.
	 */
	int (*fill_super)(struct super_block *sb);
	struct super_block *sb;   /* [mount_mutex] */
	struct list_head fs_list; /* [mount_mutex] */
};

/*
 * A file system's tree at a place. A mount stays for ever, because nop5 has no umount.
 * Legend: [C] constant after the mount.
 */
struct vfsmount {
	struct dentry *mnt_root;       /* [C] */
	struct super_block *mnt_sb;    /* [C] */
	struct vfsmount *mnt_parent;   /* [C] the root mount is its own parent */
	struct dentry *mnt_mountpoint; /* [C] a dentry of mnt_parent */
	const char *mnt_devname;       /* [C] */
	struct list_head mnt_list;     /* [mount_lock] */
};

int register_filesystem(struct file_system_type *type);
/*
 * Mounts the type's super_block at path; the first mount is at "/". /proc/mounts shows devname.
 * Returns 0 or a negative errno.
 */
int kern_mount_at(const char *type, const char *devname, const char *path);

extern struct mutex mount_mutex;
extern struct list_head file_systems; /* [mount_mutex] list of file_system_type.fs_list */
extern struct list_head mount_list;   /* [mount_mutex] list of vfsmount.mnt_list */
