/*
 * The mount options of tracefs: uid, gid and mode are those of the root directory. As in Linux, a
 * mount or a remount with uid or gid also changes all entries that exist.
 */
#include "fs/mount/options.h"
#include "fs/tracefs/tracefs.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"

#define UNSET (~0U)

struct tracefs_options {
	u32 uid, gid, mode; /* UNSET: not given */
};

/* Options that tracefs does not know are ignored, as in Linux. */
static int set_option(void *info, const char *name, const char *value)
{
	struct tracefs_options *opts = info;

	if (!strcmp(name, "uid"))
		return mount_option_number(value, 10, UNSET - 1, &opts->uid);
	if (!strcmp(name, "gid"))
		return mount_option_number(value, 10, UNSET - 1, &opts->gid);
	if (!strcmp(name, "mode"))
		return mount_option_number(value, 8, S_IALLUGO, &opts->mode);
	return 0;
}

static void set_owner(struct inode *inode, const struct tracefs_options *opts)
{
	mutex_lock(&inode->i_mutex);
	if (opts->uid != UNSET)
		inode->i_uid = opts->uid;
	if (opts->gid != UNSET)
		inode->i_gid = opts->gid;
	mutex_unlock(&inode->i_mutex);
}

/* Returns the child of dir after position off, with a reference, or NULL. */
static struct dentry *next_child(struct dentry *dir, u64 off)
{
	struct dentry *child, *found = NULL;

	spin_lock(&dir->d_lock);
	list_for_each_entry (child, &dir->d_subdirs, d_child) {
		if (child->d_off >= off) {
			found = dget(child);
			break;
		}
	}
	spin_unlock(&dir->d_lock);
	return found;
}

/*
 * Sets the owner of everything below dir, which the caller holds. Directories are at most 8 deep.
 */
static void set_owners_below(struct dentry *dir, const struct tracefs_options *opts)
{
	struct dentry *child;
	u64 off = 0;

	while ((child = next_child(dir, off))) {
		off = child->d_off + 1;
		set_owner(child->d_inode, opts);
		if (S_ISDIR(child->d_inode->i_mode))
			set_owners_below(child, opts);
		dput(child);
	}
}

static int tracefs_remount(struct super_block *sb, const char *data)
{
	struct inode *root = sb->s_root->d_inode;
	struct tracefs_options opts = { UNSET, UNSET, UNSET };
	int error = parse_mount_options(data, set_option, &opts);

	if (error)
		return error;
	if (opts.mode != UNSET) {
		mutex_lock(&root->i_mutex);
		root->i_mode = (umode_t)(S_IFDIR | opts.mode);
		mutex_unlock(&root->i_mutex);
	}
	set_owner(root, &opts);
	if (opts.uid != UNSET || opts.gid != UNSET)
		set_owners_below(sb->s_root, &opts);
	return 0;
}

static void tracefs_show_options(struct seq_file *m, struct super_block *sb)
{
	const struct inode *root = sb->s_root->d_inode;
	unsigned mode = root->i_mode & S_IALLUGO;

	if (root->i_uid)
		seq_printf(m, ",uid=%u", root->i_uid);
	if (root->i_gid)
		seq_printf(m, ",gid=%u", root->i_gid);
	if (mode != TRACEFS_MODE)
		seq_printf(m, ",mode=%o", mode);
}

static int __init tracefs_options_init(void)
{
	tracefs_super_operations.remount = tracefs_remount;
	tracefs_super_operations.show_options = tracefs_show_options;
	return 0;
}
core_initcall(tracefs_options_init);
