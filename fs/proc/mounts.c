/* /proc/mounts and /proc/filesystems. */
#include "fs/namespace.h"
#include "fs/proc/internal.h"
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

static void show_options(struct seq_file *m, const struct vfsmount *mnt)
{
	static const struct {
		unsigned flag;
		const char *text;
	} flags[] = {
		{ MS_NOSUID, ",nosuid" },         { MS_NODEV, ",nodev" },
		{ MS_NOEXEC, ",noexec" },         { MS_NOATIME, ",noatime" },
		{ MS_NODIRATIME, ",nodiratime" }, { MS_RELATIME, ",relatime" },
	};
	struct super_block *sb = mnt->mnt_sb;

	seq_puts(m, mnt_is_readonly(mnt) ? "ro" : "rw");
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (mnt->mnt_flags & flags[i].flag)
			seq_puts(m, flags[i].text);
	if (sb->s_op && sb->s_op->show_options)
		sb->s_op->show_options(m, sb);
	seq_puts(m, " 0 0\n");
}

static int mounts_show(struct seq_file *m, void *v)
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
		show_options(m, mnt);
	}
	mutex_unlock(&mount_mutex);
	return err;
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

int proc_mounts_init(void)
{
	proc_create("mounts", 0444, NULL, &mounts_fops);
	proc_create("filesystems", 0444, NULL, &filesystems_fops);
	return 0;
}
