/* mount(2) and umount(2). */
#include "fs/mount/mount.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/permission.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

/* ---- the forms of mount(2); mount_mutex is held, unless they say otherwise ---- */

/*
 * A mount needs a place in the tree: no removed directory, and none in a mount that was detached.
 */
static int check_place(const struct path *at)
{
	if (READ_ONCE(at->dentry->d_flags) & DCACHE_DEAD)
		return -ENOENT;
	return list_empty(&at->mnt->mnt_list) ? -EINVAL : 0;
}

static int do_new_mount(const struct path *at, const char *type_name, unsigned flags,
			const char *devname, const char *data)
{
	struct file_system_type *type = type_name ? find_filesystem(type_name) : NULL;
	struct vfsmount *mnt;
	int err;

	if (!type_name)
		return -EINVAL;
	if (!type)
		return -ENODEV;
	mnt = new_mount(type, flags, devname, data);
	if (IS_ERR(mnt))
		return (int)PTR_ERR(mnt);
	err = check_place(at);
	if (err) {
		mntput(mnt);
		return err;
	}
	if (S_ISDIR(mnt->mnt_root->d_inode->i_mode) != S_ISDIR(at->dentry->d_inode->i_mode)) {
		mntput(mnt);
		return -ENOTDIR;
	}
	/* The same file system twice at one place would only hide itself. */
	if (at->mnt->mnt_sb == mnt->mnt_sb && at->dentry == at->mnt->mnt_root &&
	    at->dentry == mnt->mnt_root) {
		mntput(mnt);
		return -EBUSY;
	}
	attach_mount(mnt, at);
	return 0;
}

/* Mounts again below copy what is mounted on the mount that it copies. 0 or -ENOMEM. */
static int bind_children_of(struct vfsmount *copy, int limit)
{
	struct vfsmount *child, *mnt;

	list_for_each_entry (child, &mount_list, mnt_list) {
		struct path path = mount_path(child);
		struct path at = { .mnt = copy, .dentry = child->mnt_mountpoint };

		if (child->mnt_parent != copy->mnt_from || child == copy->mnt_from ||
		    child->mnt_id >= limit || child->mnt_unbindable ||
		    !d_is_below(child->mnt_mountpoint, copy->mnt_root))
			continue;
		mnt = clone_mount(&path);
		if (IS_ERR(mnt))
			return (int)PTR_ERR(mnt);
		mnt->mnt_from = child;
		attach_mount(mnt, &at);
	}
	return 0;
}

/*
 * MS_REC: first is the last mount of the list. What is mounted in the tree that it copies is
 * copied, too, and each copy comes to the end of the list. 0 or -ENOMEM.
 */
static int bind_children(struct vfsmount *first)
{
	int err = 0;

	for (struct list_head *link = &first->mnt_list; link != &mount_list && !err;
	     link = link->next)
		err = bind_children_of(list_entry(link, struct vfsmount, mnt_list), first->mnt_id);
	return err;
}

static int bind_path(const struct path *at, const struct path *from, bool recursive)
{
	struct vfsmount *mnt;
	int err = check_place(at);

	if (err)
		return err;
	if (list_empty(&from->mnt->mnt_list) || from->mnt->mnt_unbindable)
		return -EINVAL; /* e.g. a pipe: its mount is in no tree */
	if (S_ISDIR(from->dentry->d_inode->i_mode) != S_ISDIR(at->dentry->d_inode->i_mode))
		return -ENOTDIR;
	mnt = clone_mount(from);
	if (IS_ERR(mnt))
		return (int)PTR_ERR(mnt);
	mnt->mnt_from = from->mnt;
	attach_mount(mnt, at);
	return recursive ? bind_children(mnt) : 0;
}

/* Takes mount_mutex itself, behind its walk, because a walk may mount. */
static int do_bind(const struct path *at, const char *source, bool recursive)
{
	struct path from;
	int err;

	if (!source || !*source)
		return -EINVAL;
	err = kern_path(source, LOOKUP_FOLLOW | LOOKUP_AUTOMOUNT, &from);
	if (err)
		return err;
	mutex_lock(&mount_mutex);
	err = bind_path(at, &from, recursive);
	mutex_unlock(&mount_mutex);
	path_put(&from);
	return err;
}

#define MS_PROPAGATION (MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE)

/* There is one namespace, so nothing is propagated; but a mount may be unbindable. */
static int do_change_type(const struct path *at, unsigned flags)
{
	unsigned type = flags & ~(unsigned)(MS_REC | MS_SILENT);

	if (at->dentry != at->mnt->mnt_root)
		return -EINVAL;
	if ((type & ~(unsigned)MS_PROPAGATION) || (type & (type - 1)))
		return -EINVAL;
	at->mnt->mnt_unbindable = type == MS_UNBINDABLE;
	return 0;
}

static int do_remount(const struct path *at, unsigned flags, const char *data)
{
	struct vfsmount *mnt = at->mnt;
	struct super_block *sb = mnt->mnt_sb;
	int err = 0;

	if (at->dentry != mnt->mnt_root)
		return -EINVAL;
	/* With MS_BIND only this mount changes, else the file system, too. */
	if (!(flags & MS_BIND)) {
		if (data && sb->s_op && sb->s_op->remount)
			err = sb->s_op->remount(sb, data);
		if (err)
			return err;
		WRITE_ONCE(sb->s_flags, (sb->s_flags & ~(unsigned)MS_RDONLY) | (flags & MS_RDONLY));
	}
	WRITE_ONCE(mnt->mnt_flags, flags & MNT_FLAGS);
	return 0;
}

/* Takes mount_mutex itself, as do_bind(). */
static int do_move(const struct path *at, const char *source)
{
	struct path from, up;
	int err;

	if (!source || !*source)
		return -EINVAL;
	err = kern_path(source, LOOKUP_FOLLOW, &from);
	if (err)
		return err;
	mutex_lock(&mount_mutex);
	err = check_place(at);
	up = *at;
	path_get(&up);
	if (!err && (from.dentry != from.mnt->mnt_root || from.mnt->mnt_parent == from.mnt ||
		     S_ISDIR(from.dentry->d_inode->i_mode) != S_ISDIR(at->dentry->d_inode->i_mode)))
		err = -EINVAL;
	/* A mount cannot go below itself. */
	while (!err) {
		if (up.mnt == from.mnt) {
			err = -ELOOP;
			break;
		}
		dput(up.dentry);
		up.dentry = dget(up.mnt->mnt_root);
		if (!follow_up(&up))
			break;
	}
	if (!err) {
		mntget(from.mnt);
		(void)detach_mount(from.mnt, true);
		attach_mount(from.mnt, at);
	}
	mutex_unlock(&mount_mutex);
	path_put(&up);
	path_put(&from);
	return err;
}

int path_mount(const char *devname, const struct path *at, const char *type, unsigned long flags,
	       const char *data)
{
	unsigned fl = (unsigned)flags, given;
	int err;

	/* Very old programs put a magic number into the upper half. */
	if ((fl & MS_MGC_MSK) == MS_MGC_VAL)
		fl &= ~MS_MGC_MSK;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	given = fl;
	if (!(fl & (MS_NOATIME | MS_STRICTATIME)))
		fl |= MS_RELATIME;
	if (!(fl & MS_REMOUNT) && (fl & MS_BIND))
		return do_bind(at, devname, fl & MS_REC);
	if (!(fl & (MS_REMOUNT | MS_PROPAGATION)) && (fl & MS_MOVE))
		return do_move(at, devname);
	mutex_lock(&mount_mutex);
	if (fl & MS_REMOUNT)
		err = do_remount(at, fl, data);
	else if (fl & MS_PROPAGATION)
		err = do_change_type(at, given);
	else
		err = do_new_mount(at, type, fl, devname ? devname : "none", data);
	mutex_unlock(&mount_mutex);
	return err;
}

/* ---- system calls ---- */

/* Copies a string of a program that may be NULL. */
static char *copy_string(const char __user *s)
{
	char *copy;
	long len;

	if (!s)
		return NULL;
	copy = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	len = strncpy_from_user(copy, s, (long)PAGE_SIZE);
	if (len >= 0 && len < (long)PAGE_SIZE)
		return copy;
	kfree(copy);
	return ERR_PTR(len < 0 ? len : -EINVAL);
}

static void free_string(char *s)
{
	if (!IS_ERR(s))
		kfree(s);
}

/* Restricted: one namespace: of the propagation flags, only MS_UNBINDABLE has an effect. */
SYSCALL_DEFINE5(mount, char __user *, dev_name, char __user *, dir_name, char __user *, type,
		unsigned long, flags, void __user *, data)
{
	char *t = copy_string(type), *dev = copy_string(dev_name), *options = copy_string(data);
	struct path at;
	long err = IS_ERR(t)         ? PTR_ERR(t)
		   : IS_ERR(dev)     ? PTR_ERR(dev)
		   : IS_ERR(options) ? PTR_ERR(options)
				     : 0;

	if (!err)
		err = user_path_at(AT_FDCWD, dir_name, 0, LOOKUP_FOLLOW, &at);
	if (!err) {
		err = path_mount(dev, &at, t, flags, options);
		path_put(&at);
	}
	free_string(t);
	free_string(dev);
	free_string(options);
	return err;
}

/* Detaches what is mounted below mnt, the innermost first. mount_mutex is held. */
static void detach_children(struct vfsmount *mnt)
{
	struct vfsmount *child;
	bool again;

	do {
		again = false;
		list_for_each_entry (child, &mount_list, mnt_list) {
			if (child->mnt_parent != mnt || child == mnt)
				continue;
			mntget(child);
			detach_children(child);
			(void)detach_mount(child, true);
			mntput(child);
			again = true;
			break;
		}
	} while (again);
}

/* Detaches what walks have mounted on mnt, unless it is in use. mount_mutex is held. */
static void shrink_submounts(const struct vfsmount *mnt)
{
	struct vfsmount *child, *next;

	list_for_each_entry_safe (child, next, &mount_list, mnt_list) {
		if (child->mnt_parent != mnt || !child->mnt_shrinkable)
			continue;
		mntget(child);
		(void)detach_mount(child, false);
		mntput(child);
	}
}

static int do_umount(const struct path *path, int flags)
{
	struct vfsmount *mnt = path->mnt;
	int err = 0;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (path->dentry != mnt->mnt_root)
		return -EINVAL;
	mutex_lock(&mount_mutex);
	if (mnt->mnt_parent == mnt) {
		err = -EINVAL;
	} else {
		if (flags & MNT_DETACH)
			detach_children(mnt);
		else
			shrink_submounts(mnt);
		err = detach_mount(mnt, flags & MNT_DETACH);
	}
	mutex_unlock(&mount_mutex);
	return err;
}

/* Restricted: no MNT_EXPIRE (EINVAL). */
SYSCALL_DEFINE2(umount, char __user *, name, int, flags)
{
	struct path path;
	int err;

	if (flags & ~(MNT_FORCE | MNT_DETACH | UMOUNT_NOFOLLOW))
		return -EINVAL;
	err = user_path_at(AT_FDCWD, name, 0, flags & UMOUNT_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	follow_mounts(&path); /* "." may have something mounted on it */
	err = do_umount(&path, flags);
	path_put(&path);
	return err;
}
