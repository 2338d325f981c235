/* /proc/mounts and /proc/filesystems. */
#include "fs/namespace.h"
#include "fs/proc/internal.h"

static int mounts_show(struct seq_file *m, void *v)
{
	struct vfsmount *mnt;

	(void)v;
	mutex_lock(&mount_mutex);
	list_for_each_entry (mnt, &mount_list, mnt_list) {
		struct path root = { .mnt = mnt, .dentry = mnt->mnt_root };

		seq_printf(m, "%s ", mnt->mnt_devname);
		seq_path(m, &root, " \t\n\\");
		seq_printf(m, " %s rw 0 0\n", mnt->mnt_sb->s_type->name);
	}
	mutex_unlock(&mount_mutex);
	return 0;
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
