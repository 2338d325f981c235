/* statfs(2): the size of a file system. */
#include "fs/vfs/statfs.h"
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/mount/namespace.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/syscalls/syscalls.h"

/* The name of struct kstatfs for programs. */
struct statfs;

/* The flags of a mount, as statfs(2) shows them. */
#define ST_VALID    0x0020
#define ST_RELATIME 0x1000

static u64 statfs_flags(const struct vfsmount *mnt)
{
	unsigned flags = mnt->mnt_flags;

	/* The lowest four have the same numbers. */
	return ST_VALID | (mnt_is_readonly(mnt) ? MS_RDONLY : 0) |
	       (flags & (MS_NOSUID | MS_NODEV | MS_NOEXEC)) |
	       (flags & (MS_NOATIME | MS_NODIRATIME)) | (flags & MS_RELATIME ? ST_RELATIME : 0);
}

#define PIPEFS_MAGIC 0x50495045U
#define SOCKFS_MAGIC 0x534f434bU

/* Pipes and sockets without a name are in one file system here, and in two of Linux's. */
static u32 magic_of(const struct inode *inode)
{
	if (inode->i_sb->s_magic != ANON_INODE_FS_MAGIC)
		return inode->i_sb->s_magic;
	if (S_ISFIFO(inode->i_mode))
		return PIPEFS_MAGIC;
	return S_ISSOCK(inode->i_mode) ? SOCKFS_MAGIC : ANON_INODE_FS_MAGIC;
}

static void vfs_statfs(const struct path *path, struct kstatfs *st)
{
	struct super_block *sb = path->dentry->d_sb;

	*st = (struct kstatfs){
		.f_type = magic_of(path->dentry->d_inode),
		.f_bsize = PAGE_SIZE,
		.f_frsize = PAGE_SIZE,
		.f_namelen = NAME_MAX,
		.f_fsid = { (int)sb->s_dev },
		.f_flags = (s64)statfs_flags(path->mnt),
	};
	if (sb->s_op && sb->s_op->statfs)
		sb->s_op->statfs(sb, st);
}

SYSCALL_DEFINE2(statfs, const char __user *, pathname, struct statfs __user *, buf)
{
	struct kstatfs st;
	struct path path;
	int err = user_path_at(AT_FDCWD, pathname, 0, LOOKUP_FOLLOW | LOOKUP_AUTOMOUNT, &path);

	if (err)
		return err;
	vfs_statfs(&path, &st);
	path_put(&path);
	return copy_to_user(buf, &st, sizeof(st)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(fstatfs, unsigned int, fd, struct statfs __user *, buf)
{
	struct fd f = fdget_raw(fd);
	struct kstatfs st;

	if (!f.file)
		return -EBADF;
	vfs_statfs(&f.file->f_path, &st);
	fdput(f);
	return copy_to_user(buf, &st, sizeof(st)) ? -EFAULT : 0;
}
