/* devpts: instances, slaves and their files. See devpts.h. */
#include "fs/dev/tty.h"
#include "fs/devpts/devpts.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/libfs.h"
#include "fs/proc/proc_fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"

#define DEVPTS_MAGIC 0x1cd1
#define PTS_MAJOR    136

int pty_max = PTY_MAX, pty_reserve = PTY_RESERVE;
atomic_t pty_count;

/* ---- slaves ---- */

/*
 * The slave of an inode, opened; or an ERR_PTR. The inode may have outlived its pty: a program has
 * opened it with O_PATH. It must not open a later pty, which may have the same number and address.
 */
static struct tty_struct *open_slave(const struct inode *inode)
{
	struct devpts_info *info = inode->i_sb->s_fs_info;
	struct pty *pty;
	int err;

	mutex_lock(&info->lock);
	pty = inode->i_private;
	err = pty ? pty_slave_open(&pty->tty) : -EIO;
	mutex_unlock(&info->lock);
	return err ? ERR_PTR(err) : &pty->tty;
}

static int pts_open(struct inode *inode, struct file *file)
{
	struct tty_struct *tty = open_slave(inode);

	if (IS_ERR(tty))
		return (int)PTR_ERR(tty);
	tty_file_opened(file, tty);
	return 0;
}

static const struct file_operations pts_fops = { .open = pts_open };

static struct dentry *create_node(struct devpts_info *info, struct pty *pty, unsigned index)
{
	struct inode *inode = new_inode(info->sb, S_IFCHR | info->mode);
	char name[12];

	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_uid = info->setuid ? info->uid : current_fsuid();
	inode->i_gid = info->setgid ? info->gid : current_fsgid();
	inode->i_ino = index + 3;
	inode->i_rdev = MKDEV(PTS_MAJOR, index);
	inode->i_fop = &pts_fops;
	inode->i_private = pty;
	snprintf(name, sizeof(name), "%u", index);
	return simple_add(info->sb->s_root, name, inode);
}

/* The lowest free number; the table grows if it must. lock held. -ENOSPC, -ENOMEM. */
static int find_index(struct devpts_info *info)
{
	unsigned index = 0, slots;
	struct pty **ptys;

	while (index < info->slots && info->ptys[index])
		index++;
	if (index >= info->max)
		return -ENOSPC;
	if (index < info->slots)
		return (int)index;
	slots = max(info->slots * 2, 16U);
	ptys = krealloc(info->ptys, slots * sizeof(*ptys), GFP_KERNEL);
	if (!ptys)
		return -ENOMEM;
	memset(ptys + info->slots, 0, (slots - info->slots) * sizeof(*ptys));
	info->ptys = ptys;
	info->slots = slots;
	return (int)index;
}

struct pty *devpts_new(struct devpts_info *info, unsigned *index, struct dentry **dentry)
{
	struct pty *pty = NULL;
	int i;

	if (atomic_inc_return(&pty_count) > READ_ONCE(pty_max)) {
		atomic_dec(&pty_count);
		return ERR_PTR(-ENOSPC);
	}
	mutex_lock(&info->lock);
	i = find_index(info);
	if (i >= 0) {
		pty = pty_create((unsigned)i);
		if (!pty)
			i = -ENOMEM;
	}
	if (i >= 0) {
		*dentry = create_node(info, pty, (unsigned)i);
		if (IS_ERR(*dentry)) {
			pty_master_close(pty);
			i = (int)PTR_ERR(*dentry);
		}
	}
	if (i >= 0) {
		info->ptys[i] = pty;
		dget(*dentry);
		*index = (unsigned)i;
	} else {
		atomic_dec(&pty_count);
	}
	mutex_unlock(&info->lock);
	return i >= 0 ? pty : ERR_PTR(i);
}

void devpts_kill(struct devpts_info *info, struct pty *pty, unsigned index, struct dentry *dentry)
{
	simple_recursive_removal(dentry);
	mutex_lock(&info->lock);
	dentry->d_inode->i_private = NULL;
	info->ptys[index] = NULL;
	mutex_unlock(&info->lock);
	dput(dentry);
	pty_master_close(pty);
	atomic_dec(&pty_count);
}

/* ---- the file system ---- */

static void devpts_put_super(struct super_block *sb)
{
	struct devpts_info *info = sb->s_fs_info;

	kfree(info->ptys);
	kfree(info);
}

static void devpts_show_options(struct seq_file *m, struct super_block *sb)
{
	const struct devpts_info *info = sb->s_fs_info;

	if (info->setuid)
		seq_printf(m, ",uid=%u", info->uid);
	if (info->setgid)
		seq_printf(m, ",gid=%u", info->gid);
	seq_printf(m, ",mode=%03o,ptmxmode=%03o", info->mode, info->ptmxmode);
	if (info->max < PTY_MAX)
		seq_printf(m, ",max=%u", info->max);
}

static int devpts_remount(struct super_block *sb, const char *data)
{
	struct devpts_info *info = sb->s_fs_info;
	int err = devpts_parse_options(info, data);

	if (!err)
		info->ptmx->d_inode->i_mode = S_IFCHR | info->ptmxmode;
	return err;
}

static const struct super_operations devpts_super_operations = {
	.put_super = devpts_put_super,
	.show_options = devpts_show_options,
	.remount = devpts_remount,
};

static struct dentry *create_ptmx(struct devpts_info *info)
{
	struct inode *inode = new_inode(info->sb, S_IFCHR | info->ptmxmode);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_ino = 2;
	inode->i_rdev = MKDEV(5, 2);
	inode->i_fop = &ptmx_fops;
	return simple_add(info->sb->s_root, "ptmx", inode);
}

static int devpts_fill_super(struct super_block *sb, const char *data)
{
	struct devpts_info *info = kzalloc(sizeof(*info), GFP_KERNEL);
	int err;

	if (!info)
		return -ENOMEM;
	mutex_init(&info->lock);
	info->sb = sb;
	info->mode = 0600;
	info->max = PTY_MAX;
	err = devpts_parse_options(info, data);
	if (!err)
		err = simple_fill_super(sb, 0755, &simple_dir_inode_operations);
	if (err) {
		kfree(info);
		return err;
	}
	sb->s_fs_info = info;
	sb->s_op = &devpts_super_operations;
	sb->s_magic = DEVPTS_MAGIC;
	info->ptmx = create_ptmx(info);
	return IS_ERR(info->ptmx) ? (int)PTR_ERR(info->ptmx) : 0;
}

struct file_system_type devpts_type = {
	.name = "devpts",
	.nodev = true,
	.multiple = true,
	.fill_super = devpts_fill_super,
};
FILE_SYSTEM(devpts_type);
