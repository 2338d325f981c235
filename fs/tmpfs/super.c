/*
 * tmpfs: mounts and directories. Names live in the dcache only (fs/vfs/libfs.h).
 *
 * The root file system, devtmpfs and every mounted tmpfs are of this kind. Without the option
 * size=, the files of one instance may use half of the memory; then writes return -ENOSPC.
 */
#include "fs/mount/namespace.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/libfs.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

#define TMPFS_MAGIC  0x01021994
#define BYTES_A_NAME 20  /* the size of a directory: so many for each name, as on Linux */
#define LONG_SYMLINK 128 /* so long a text counts as a block, as on Linux */

static const struct inode_operations tmpfs_dir_inode_operations;

bool tmpfs_charge(atomic64_t *used, s64 max)
{
	if (atomic64_inc_return(used) <= max || !max)
		return true;
	atomic64_dec(used);
	return false;
}

static struct inode *tmpfs_new_inode(struct super_block *sb, umode_t mode, u32 dev)
{
	struct tmpfs_sb_info *info = tmpfs_sb(sb);
	struct tmpfs_inode *file;
	struct inode *inode;

	if (!tmpfs_charge(&info->used_inodes, info->max_inodes))
		return NULL;
	inode = new_inode(sb, mode);
	if (!inode) {
		atomic64_dec(&info->used_inodes);
		return NULL;
	}
	inode->i_btime = inode->i_ctime;
	if (S_ISDIR(mode)) {
		inode->i_op = &tmpfs_dir_inode_operations;
		inode->i_fop = &simple_dir_operations;
		inode->i_nlink = 2;
		inode->i_size = 2 * BYTES_A_NAME;
	} else if (S_ISREG(mode)) {
		file = kzalloc(sizeof(*file), GFP_KERNEL);
		if (!file) {
			iput(inode);
			return NULL;
		}
		address_space_init(&file->mapping, inode, &info->used_tables);
		file->seals = F_SEAL_SEAL;
		inode->i_mapping = &file->mapping;
		inode->i_op = &tmpfs_file_inode_operations;
		inode->i_fop = &tmpfs_file_operations;
	} else if (!S_ISLNK(mode)) {
		init_special_inode(inode, dev);
	}
	return inode;
}

static void tmpfs_evict_inode(struct inode *inode)
{
	struct tmpfs_sb_info *info = tmpfs_sb(inode->i_sb);

	if (inode->i_mapping) {
		tmpfs_free_pages(inode);
		kfree(tmpfs_i(inode));
	} else if (inode->i_blocks) {
		atomic64_dec(&info->used_blocks);
	}
	atomic64_dec(&info->used_inodes);
}

/* ---- names ---- */

/* Gives inode a name in dir. Takes over the reference. */
static int add_name(struct inode *dir, struct dentry *dentry, struct inode *inode)
{
	int err = d_add_pinned(dentry, inode);

	if (err) {
		dentry->d_inode = NULL;
		iput(inode);
		return err;
	}
	dir->i_size += BYTES_A_NAME;
	return 0;
}

/* The same for a new inode. */
static int tmpfs_add(struct inode *dir, struct dentry *dentry, struct inode *inode)
{
	inode_init_owner(inode, dir);
	return add_name(dir, dentry, inode);
}

static int tmpfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, mode, dev);

	return inode ? tmpfs_add(dir, dentry, inode) : -ENOSPC;
}

static int tmpfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	return tmpfs_mknod(dir, dentry, mode, 0);
}

static int tmpfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = tmpfs_mknod(dir, dentry, mode, 0);

	if (!err)
		dir->i_nlink++;
	return err;
}

static int tmpfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, S_IFLNK | S_IRWXUGO, 0);
	struct tmpfs_sb_info *info = tmpfs_sb(dir->i_sb);
	int err = -ENOSPC;

	if (!inode)
		return err;
	inode->i_size = (loff_t)strlen(target);
	if (inode->i_size >= LONG_SYMLINK) {
		if (!tmpfs_charge(&info->used_blocks, info->max_blocks))
			goto put;
		inode->i_blocks = PAGE_SIZE / 512;
	}
	err = -ENOMEM;
	inode->i_link = kstrdup(target, GFP_KERNEL);
	if (inode->i_link)
		return tmpfs_add(dir, dentry, inode);
put:
	iput(inode);
	return err;
}

struct inode *tmpfs_tmpfile(struct inode *dir, umode_t mode)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, S_IFREG | mode, 0);

	if (!inode)
		return ERR_PTR(-ENOSPC);
	inode_init_owner(inode, dir);
	inode->i_nlink = 0;
	return inode;
}

static struct inode *tmpfs_whiteout(struct inode *dir)
{
	struct inode *inode = tmpfs_new_inode(dir->i_sb, S_IFCHR, 0);

	if (!inode)
		return ERR_PTR(-ENOSPC);
	inode_init_owner(inode, dir);
	return inode;
}

/* A name goes, or does not come. The last one is counted with its inode. */
static void uncharge_name(const struct inode *inode)
{
	if (inode->i_nlink)
		atomic64_dec(&tmpfs_sb(inode->i_sb)->used_inodes);
}

/* Each further name counts as an inode, because it needs memory, too. */
static int tmpfs_link(struct inode *inode, struct inode *dir, struct dentry *dentry)
{
	struct tmpfs_sb_info *info = tmpfs_sb(dir->i_sb);
	int err;

	if (inode->i_nlink && !tmpfs_charge(&info->used_inodes, info->max_inodes))
		return -ENOSPC;
	err = add_name(dir, dentry, ihold(inode));
	if (err)
		uncharge_name(inode);
	else
		inode->i_nlink++;
	return err;
}

static int tmpfs_unlink(struct inode *dir, struct dentry *dentry)
{
	dir->i_size -= BYTES_A_NAME;
	simple_unlink(dir, dentry);
	uncharge_name(dentry->d_inode);
	return 0;
}

static int tmpfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	int err = simple_rmdir(dir, dentry);

	if (!err)
		dir->i_size -= BYTES_A_NAME;
	return err;
}

static int tmpfs_rename(struct inode *old_dir, struct dentry *old, struct inode *new_dir,
			struct dentry *target, unsigned flags)
{
	int err = simple_rename(old_dir, old, new_dir, target, flags);

	if (err || (flags & RENAME_EXCHANGE))
		return err;
	if (!(flags & RENAME_WHITEOUT))
		old_dir->i_size -= BYTES_A_NAME;
	if (target)
		uncharge_name(target->d_inode);
	else
		new_dir->i_size += BYTES_A_NAME;
	return 0;
}

static const struct inode_operations tmpfs_dir_inode_operations = {
	.create = tmpfs_create,
	.mkdir = tmpfs_mkdir,
	.symlink = tmpfs_symlink,
	.mknod = tmpfs_mknod,
	.link = tmpfs_link,
	.rename = tmpfs_rename,
	.whiteout = tmpfs_whiteout,
	.tmpfile = tmpfs_tmpfile,
	.unlink = tmpfs_unlink,
	.rmdir = tmpfs_rmdir,
};

/* ---- the file system ---- */

static void tmpfs_put_super(struct super_block *sb)
{
	kfree(sb->s_fs_info);
}

struct super_operations tmpfs_super_operations __ro_after_init = {
	.evict_inode = tmpfs_evict_inode,
	.put_super = tmpfs_put_super,
};
int (*tmpfs_options_hook)(struct tmpfs_sb_info *info, const char *data);

static int fill_super(struct super_block *sb, const char *data, umode_t mode)
{
	struct tmpfs_sb_info *info = kzalloc(sizeof(*info), GFP_KERNEL);
	struct inode *root;
	struct meminfo mem;
	int err;

	if (!info)
		return -ENOMEM;
	si_meminfo(&mem);
	info->max_blocks = (s64)(mem.total / PAGE_SIZE / 2);
	info->max_inodes = info->max_blocks;
	info->mode = mode;
	err = data ? tmpfs_options_hook(info, data) : 0;
	if (err) {
		kfree(info);
		return err;
	}
	sb->s_fs_info = info;
	sb->s_op = &tmpfs_super_operations;
	sb->s_magic = TMPFS_MAGIC;
	root = tmpfs_new_inode(sb, S_IFDIR | info->mode, 0);
	if (root) {
		root->i_uid = info->uid;
		root->i_gid = info->gid;
		sb->s_root = d_make_root(root);
	}
	if (!sb->s_root) {
		kfree(info);
		return -ENOMEM;
	}
	return 0;
}

int tmpfs_fill_super(struct super_block *sb, const char *data)
{
	return fill_super(sb, data, S_IRWXUGO | S_ISVTX);
}

int rootfs_fill_super(struct super_block *sb, const char *data)
{
	return fill_super(sb, data, 0755);
}

static struct file_system_type tmpfs_type = {
	.name = "tmpfs",
	.nodev = true,
	.multiple = true,
	.fill_super = tmpfs_fill_super,
};
FILE_SYSTEM(tmpfs_type);

struct file_system_type rootfs_type = {
	.name = "rootfs",
	.nodev = true,
	.fill_super = rootfs_fill_super,
};
FILE_SYSTEM(rootfs_type);
