/* Permission bits and their exceptions. See permission.h. */
#include "fs/vfs/permission.h"
#include "fs/mount/namespace.h"

/* The three bits of the mode that count for the current task. */
static unsigned bits_for_current(const struct inode *inode)
{
	umode_t mode = READ_ONCE(inode->i_mode);

	if (inode->i_uid == current_fsuid())
		return mode >> 6 & 7;
	if (inode->i_gid == current_fsgid() || in_group_p(inode->i_gid))
		return mode >> 3 & 7;
	return mode & 7;
}

int generic_permission(const struct inode *inode, unsigned mask)
{
	umode_t mode = READ_ONCE(inode->i_mode);

	if (!(mask & ~bits_for_current(inode)))
		return 0;
	if (S_ISDIR(mode)) {
		if (!(mask & MAY_WRITE) && capable(CAP_DAC_READ_SEARCH))
			return 0;
		return capable(CAP_DAC_OVERRIDE) ? 0 : -EACCES;
	}
	if (mask == MAY_READ && capable(CAP_DAC_READ_SEARCH))
		return 0;
	/* Nobody executes a file that is no program at all. */
	if (!(mask & MAY_EXEC) || (mode & 0111))
		return capable(CAP_DAC_OVERRIDE) ? 0 : -EACCES;
	return -EACCES;
}

int inode_permission(struct inode *inode, unsigned mask)
{
	if (unlikely(inode->i_op->permission))
		return inode->i_op->permission(inode, mask);
	return generic_permission(inode, mask);
}

int mnt_want_write(const struct path *path)
{
	if (path->dentry->d_inode->i_op->immutable)
		return -EPERM;
	return mnt_is_readonly(path->mnt) ? -EROFS : 0;
}

int path_permission(const struct path *path, unsigned mask)
{
	struct inode *inode = path->dentry->d_inode;

	/* A device, FIFO or socket can be written on a read-only file system. */
	if ((mask & MAY_WRITE) &&
	    (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode) || S_ISLNK(inode->i_mode))) {
		int err = mnt_want_write(path);

		if (err)
			return err;
	}
	if ((mask & MAY_EXEC) && S_ISREG(inode->i_mode) && (path->mnt->mnt_flags & MS_NOEXEC))
		return -EACCES;
	return inode_permission(inode, mask);
}

bool inode_owner_or_capable(const struct inode *inode)
{
	return inode->i_uid == current_fsuid() || capable(CAP_FOWNER);
}

void file_remove_privs(struct inode *inode)
{
	umode_t mode = inode->i_mode, kill = mode & S_ISUID;

	/* S_ISGID without the group's x bit is no privilege: it once asked for mandatory locks. */
	if ((mode & (S_ISGID | 0010)) == (S_ISGID | 0010))
		kill |= S_ISGID;
	if (likely(!kill) || !S_ISREG(mode) || capable(CAP_FSETID))
		return;
	inode->i_mode = mode & (umode_t)~kill;
}
