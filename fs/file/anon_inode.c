/* Files without names: pipes, sockets, what epoll_create(2) and its kin make. */
#include "fs/file/file.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/internal.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/task/cred.h"

static struct vfsmount *anon_mnt; /* constant after anon_mount_init() */

static int anon_fill_super(struct super_block *sb, const char *data)
{
	struct inode *inode = new_inode(sb, S_IFDIR | 0555);

	(void)data;
	if (!inode)
		return -ENOMEM;
	sb->s_magic = ANON_INODE_FS_MAGIC;
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}

/* Not registered: no program mounts it. */
static struct file_system_type anon_type = {
	.name = "anon_inodefs",
	.fill_super = anon_fill_super,
};

struct inode *alloc_anon_inode(umode_t mode)
{
	struct inode *inode = new_inode(anon_mnt->mnt_sb, mode);

	if (inode) {
		inode->i_uid = current_fsuid();
		inode->i_gid = current_fsgid();
	}
	return inode;
}

/* A dentry in no directory, whose path is its name alone. NULL: memory is short. */
static struct dentry *d_alloc_pseudo(struct dentry *root, const char *name)
{
	struct qstr q = { .name = name, .len = (u32)strlen(name) };
	struct dentry *dentry = d_alloc(root, &q);

	if (dentry)
		dentry->d_flags = DCACHE_PSEUDO;
	return dentry;
}

struct file *alloc_file_pseudo(struct inode *inode, struct vfsmount *mnt, const char *name,
			       unsigned f_flags, const struct file_operations *fops)
{
	struct dentry *dentry;
	struct file *file;

	mnt = mnt ? mnt : anon_mnt;
	dentry = d_alloc_pseudo(mnt->mnt_root, name);

	if (!dentry)
		return ERR_PTR(-ENOMEM);
	file = alloc_empty_file(f_flags);
	if (IS_ERR(file)) {
		dput(dentry);
		return file;
	}
	dentry->d_inode = ihold(inode);
	file->f_path = (struct path){ .mnt = mntget(mnt), .dentry = dentry };
	file->f_inode = inode;
	file->f_op = fops;
	return file;
}

struct file *anon_inode_getfile(const char *name, const struct file_operations *fops, void *private,
				unsigned flags)
{
	struct inode *inode = alloc_anon_inode(0600);
	char full_name[NAME_MAX + 1];
	struct file *file;

	if (!inode)
		return ERR_PTR(-ENOMEM);
	snprintf(full_name, sizeof(full_name), "anon_inode:%s", name);
	file = alloc_file_pseudo(inode, NULL, full_name, flags & ~(unsigned)O_CLOEXEC, fops);
	if (IS_ERR(file))
		iput(inode);
	else
		file->private_data = private;
	return file;
}

int anon_inode_getfd(const char *name, const struct file_operations *fops, void *private,
		     unsigned flags)
{
	struct file *file;
	int fd = get_unused_fd_flags(flags);

	if (fd < 0)
		return fd;
	file = anon_inode_getfile(name, fops, private, flags);
	if (IS_ERR(file)) {
		/* LAB 20, unmarked, 3 of 5: the number is free again */
		put_unused_fd((unsigned)fd);
		/* END LAB 20 */
		return (int)PTR_ERR(file);
	}
	fd_install((unsigned)fd, file);
	return fd;
}

static int anon_mount_init(void)
{
	anon_mnt = kern_mount(&anon_type);
	return IS_ERR(anon_mnt) ? (int)PTR_ERR(anon_mnt) : 0;
}
fs_initcall(anon_mount_init); /* the core's initcalls have made the dcache */
