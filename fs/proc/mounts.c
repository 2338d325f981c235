/* /proc/mounts and /proc/filesystems. */
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "fs/proc/task/task.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

/* Prints the absolute path, with blanks and backslashes as octal escapes. */
static int show_path(struct seq_file *m, const struct path *path)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *name;

	if (!buf)
		return -ENOMEM;
	name = d_path(path, buf, PATH_MAX);
	if (!IS_ERR(name))
		seq_escape(m, name, " \t\n\\");
	kfree(buf);
	return IS_ERR(name) ? (int)PTR_ERR(name) : 0;
}

/* The options of the mount, or all of them. */
static void show_mount_options(struct seq_file *m, const struct vfsmount *mnt, bool readonly)
{
	static const struct {
		unsigned flag;
		const char *text;
	} flags[] = {
		{ MS_NOSUID, ",nosuid" },         { MS_NODEV, ",nodev" },
		{ MS_NOEXEC, ",noexec" },         { MS_NOATIME, ",noatime" },
		{ MS_NODIRATIME, ",nodiratime" }, { MS_RELATIME, ",relatime" },
	};

	seq_puts(m, readonly ? "ro" : "rw");
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (mnt->mnt_flags & flags[i].flag)
			seq_puts(m, flags[i].text);
}

static void show_super_options(struct seq_file *m, struct super_block *sb)
{
	if (sb->s_op && sb->s_op->show_options)
		sb->s_op->show_options(m, sb);
}

int proc_show_mounts(struct seq_file *m, void *v)
{
	struct vfsmount *mnt;
	int err = 0;

	(void)v;
	mutex_lock(&mount_mutex);
	list_for_each_entry (mnt, &mount_list, mnt_list) {
		struct path root = { .mnt = mnt, .dentry = mnt->mnt_root };

		seq_printf(m, "%s ", mnt->mnt_devname);
		err = show_path(m, &root);
		if (err)
			break;
		seq_printf(m, " %s ", mnt->mnt_sb->s_type->name);
		show_mount_options(m, mnt, mnt_is_readonly(mnt));
		show_super_options(m, mnt->mnt_sb);
		seq_puts(m, " 0 0\n");
	}
	mutex_unlock(&mount_mutex);
	return err;
}

/* Prints where in its file system the root of the mount is: not "/" for a bind mount. */
static int show_root(struct seq_file *m, struct vfsmount *mnt)
{
	struct dentry *dentry = mnt->mnt_root;
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *at;

	if (!buf)
		return -ENOMEM;
	at = buf + PATH_MAX - 1;
	*at = '\0';
	read_seqlock_excl(&rename_lock);
	for (; dentry != dentry->d_parent; dentry = dentry->d_parent) {
		if ((size_t)(at - buf) <= dentry->d_name.len)
			break;
		at -= dentry->d_name.len;
		memcpy(at, dentry->d_name.name, dentry->d_name.len);
		*--at = '/';
	}
	read_sequnlock_excl(&rename_lock);
	seq_escape(m, *at ? at : "/", " \t\n\\");
	kfree(buf);
	return 0;
}

static int show_mountinfo(struct seq_file *m, struct vfsmount *mnt)
{
	struct path root = { .mnt = mnt, .dentry = mnt->mnt_root };
	struct super_block *sb = mnt->mnt_sb;
	int err;

	seq_printf(m, "%d %d %u:%u ", mnt->mnt_id, mnt->mnt_parent->mnt_id, MAJOR(sb->s_dev),
		   MINOR(sb->s_dev));
	err = show_root(m, mnt);
	if (err)
		return err;
	seq_putc(m, ' ');
	err = show_path(m, &root);
	if (err)
		return err;
	seq_putc(m, ' ');
	show_mount_options(m, mnt, READ_ONCE(mnt->mnt_flags) & MS_RDONLY);
	seq_printf(m, " - %s %s %s", sb->s_type->name, mnt->mnt_devname,
		   READ_ONCE(sb->s_flags) & MS_RDONLY ? "ro" : "rw");
	show_super_options(m, sb);
	seq_putc(m, '\n');
	return 0;
}

int proc_show_mountinfo(struct seq_file *m, void *v)
{
	struct vfsmount *mnt;
	int err = 0;

	(void)v;
	mutex_lock(&mount_mutex);
	list_for_each_entry (mnt, &mount_list, mnt_list) {
		err = show_mountinfo(m, mnt);
		if (err)
			break;
	}
	mutex_unlock(&mount_mutex);
	return err;
}

static int mounts_show(struct seq_file *m, void *v)
{
	return proc_show_mounts(m, v);
}
DEFINE_SHOW_ATTRIBUTE(mounts);

static int filesystems_show(struct seq_file *m, void *v)
{
	struct file_system_type *type;

	(void)v;
	mutex_lock(&mount_mutex);
	list_for_each_entry (type, &file_systems, fs_list)
		seq_printf(m, "%s\t%s\n", type->nodev ? "nodev" : "", type->name);
	mutex_unlock(&mount_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(filesystems);

static int __init proc_mounts_init(void)
{
	proc_create("mounts", 0444, NULL, &mounts_fops);
	proc_create("filesystems", 0444, NULL, &filesystems_fops);
	return 0;
}
device_initcall(proc_mounts_init);
