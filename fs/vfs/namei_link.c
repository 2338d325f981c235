/* link(2): another name for a file. */
#include "fs/mount/namespace.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/permission.h"

static noinline int vfs_link(struct dentry *old, struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = old->d_inode;
	int err = may_create(dir, dentry->d_parent);

	if (err)
		return err;
	if (dir->i_sb != inode->i_sb)
		return -EXDEV;
	if (!dir->i_op->link || S_ISDIR(inode->i_mode))
		return -EPERM;
	mutex_lock(&inode->i_mutex);
	/* A file without names came from O_TMPFILE, or its last name has just been removed. */
	if (!inode->i_nlink && !(old->d_flags & DCACHE_TMPFILE))
		err = -ENOENT;
	else
		err = dir->i_op->link(inode, dir, dentry);
	if (!err) {
		inode->i_ctime = inode_now();
		spin_lock(&old->d_lock);
		old->d_flags &= ~DCACHE_TMPFILE; /* a name once given can be lost for good */
		spin_unlock(&old->d_lock);
	}
	mutex_unlock(&inode->i_mutex);
	if (err)
		return err;
	fsnotify_inode(inode, IN_ATTRIB);
	touch_dir(dir);
	fsnotify_name(dentry->d_parent, dentry->d_name.name, IN_CREATE, 0);
	return 0;
}

int do_linkat(int old_dfd, const char *old_name, int new_dfd, const char *new_name, int at_flags)
{
	unsigned lookup = at_flags & AT_SYMLINK_FOLLOW ? LOOKUP_FOLLOW : 0;
	struct path old, parent;
	struct dentry *dentry;
	int err;

	if (at_flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (at_flags & AT_EMPTY_PATH) {
		/* A descriptor may have come from a task that could not reach the name. */
		if (!IS_ERR(old_name) && !old_name[0] && !capable(CAP_DAC_READ_SEARCH))
			return -ENOENT;
		lookup |= LOOKUP_EMPTY;
	}
	err = kern_path_at(old_dfd, old_name, lookup, &old);
	if (err)
		return err;
	dentry = kern_path_create(new_dfd, new_name, &parent, false);
	if (IS_ERR(dentry)) {
		err = (int)PTR_ERR(dentry);
	} else {
		err = old.mnt != parent.mnt ? -EXDEV
					    : vfs_link(old.dentry, parent.dentry->d_inode, dentry);
		done_path_create(&parent, dentry);
	}
	path_put(&old);
	return err;
}
