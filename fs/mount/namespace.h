/*
 * Mounts: file-system types, mounted trees, and the tables behind /proc/mounts (namespace.c).
 * fs/calls/mount.c holds mount(2) and umount(2).
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/linker_table.h"

/* mount(2). */
#define MS_RDONLY      1
#define MS_NOSUID      2
#define MS_NODEV       4
#define MS_NOEXEC      8
#define MS_SYNCHRONOUS 16
#define MS_REMOUNT     32
#define MS_DIRSYNC     128
#define MS_NOATIME     1024
#define MS_NODIRATIME  2048
#define MS_BIND        4096
#define MS_MOVE        8192
#define MS_REC         16384
#define MS_SILENT      32768
#define MS_UNBINDABLE  (1 << 17)
#define MS_PRIVATE     (1 << 18)
#define MS_SLAVE       (1 << 19)
#define MS_SHARED      (1 << 20)
#define MS_RELATIME    (1 << 21)
#define MS_STRICTATIME (1 << 24)
#define MS_MGC_VAL     0xC0ED0000U
#define MS_MGC_MSK     0xffff0000U

/* The flags that belong to a mount, not to the file system. */
#define MNT_FLAGS                                                                                  \
	(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME | MS_RELATIME)

/* umount2(2). */
#define MNT_FORCE       1
#define MNT_DETACH      2
#define UMOUNT_NOFOLLOW 8

struct file_system_type {
	const char *name;
	bool nodev; /* shown by /proc/filesystems */
	/*
	 * Each mount makes a super_block of its own. False: all mounts share the first one, which
	 * stays.
	 */
	bool multiple;
	/*
	 * Fills sb, at least s_root. data: the options of mount(2), or NULL. Returns 0 or a
	 * negative errno.
	 */
	int (*fill_super)(struct super_block *sb, const char *data);
	/*
	 * Not `multiple`: the boot makes the super_block, and calls this function when there is one
	 * of each such type. 0 or a negative errno. May be NULL.
	 */
	int (*populate)(void);
	struct super_block *sb;   /* [mount_mutex] of a type without multiple */
	struct list_head fs_list; /* [mount_mutex] */
};

/*
 * A file system's tree at a place. Legend: [C] constant after the mount; [L] mount_mutex and
 * mount_lock to write, one of them to read; [A] atomic.
 */
struct vfsmount {
	struct dentry *mnt_root;       /* [C] counted */
	struct super_block *mnt_sb;    /* [C] counted by s_active */
	struct vfsmount *mnt_parent;   /* [L] counted; itself: the first mount, or a detached one */
	struct dentry *mnt_mountpoint; /* [L] counted dentry of mnt_parent */
	char *mnt_devname;             /* [C] */
	unsigned mnt_flags;            /* MNT_FLAGS; written under mount_mutex */
	int mnt_id;                    /* [C] */
	atomic_t mnt_count;        /* [A] paths, mounts on it, and one while it is in the tree */
	bool mnt_unbindable;       /* under mount_mutex: MS_UNBINDABLE */
	bool mnt_shrinkable;       /* [C] made by a walk: goes with the mount that it stands on */
	struct vfsmount *mnt_from; /* during MS_BIND | MS_REC: the mount that this one copies */
	struct list_head mnt_list; /* [L] */
};

static inline bool mnt_is_readonly(const struct vfsmount *mnt)
{
	return (READ_ONCE(mnt->mnt_flags) | READ_ONCE(mnt->mnt_sb->s_flags)) & MS_RDONLY;
}

int register_filesystem(struct file_system_type *type);
/* Makes the boot register a file system: one line behind its struct file_system_type. */
#define FILE_SYSTEM(type)                                                                          \
	static struct file_system_type *const file_system_##type LINKER_TABLE_ENTRY(               \
		init, file_system_types, #type) = &(type)
/*
 * Mounts the type's super_block at path; the first mount is at "/". /proc/mounts shows devname.
 * Returns 0 or a negative errno.
 */
int kern_mount_at(const char *type, const char *devname, const char *path);
/* Makes a mount that is in no tree, for objects without names. Or an ERR_PTR. */
struct vfsmount *kern_mount(struct file_system_type *type);
/* Only makes the super_block of a type without `multiple`, which stays. 0 or a negative errno. */
int kern_super(struct file_system_type *type);

/* References on a mount. mntput() may sleep. */
struct vfsmount *mntget(struct vfsmount *mnt);
void mntput(struct vfsmount *mnt);

extern struct mutex mount_mutex;
extern struct list_head file_systems; /* [mount_mutex] list of file_system_type.fs_list */
extern struct list_head mount_list;   /* [L] list of vfsmount.mnt_list */
/* The path of a mount's root; its mountpoint. */
struct path mount_path(struct vfsmount *mnt);

/*
 * mount(2) by the kernel. devname, type and data may be NULL, as the flags allow. 0 or a negative
 * errno.
 */
int path_mount(const char *devname, const struct path *at, const char *type, unsigned long flags,
	       const char *data);
