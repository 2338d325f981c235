/* Character devices by number, and devtmpfs, which has a file for each, at /dev. */
#include "fs/dev/devfs.h"
#include "fs/mount/namespace.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "kernel/init.h"

/* DEVICE_FILE() makes the entries. */
DEFINE_LINKER_TABLE(rodata, const struct device_file, device_files);

static bool device_exists(const struct device_file *device)
{
	return !device->exists || device->exists();
}

int chrdev_open(struct inode *inode, struct file *file)
{
	for_each_linker_table_entry (device, device_files) {
		if (device->dev != inode->i_rdev || !device_exists(device))
			continue;
		inode->i_private = device->private;
		file->f_op = device->fops;
		return device->fops->open ? device->fops->open(inode, file) : 0;
	}
	return -ENXIO;
}

/* Makes the devices in the current directory. */
static int __init make_devices(void)
{
	int err = 0;

	for_each_linker_table_entry (device, device_files)
		if (!err && device_exists(device))
			err = do_mknodat(AT_FDCWD, device->name, S_IFCHR | device->mode,
					 device->dev);
	if (err)
		return err;
	/* Names that programs expect. /proc/self/fd is a link to the descriptors of the reader. */
	err = do_symlinkat("/proc/self/fd", AT_FDCWD, "fd");
	err = err ? err : do_symlinkat("/proc/self/fd/0", AT_FDCWD, "stdin");
	err = err ? err : do_symlinkat("/proc/self/fd/1", AT_FDCWD, "stdout");
	return err ? err : do_symlinkat("/proc/self/fd/2", AT_FDCWD, "stderr");
}

static struct file_system_type devtmpfs_type;

static int __init devfs_populate(void)
{
	struct vfsmount *mnt = kern_mount(&devtmpfs_type);
	struct path old, root;
	int err;

	if (IS_ERR(mnt))
		return (int)PTR_ERR(mnt);
	/* Nothing is mounted yet, so the directory is reached as the current one of this task. */
	root = (struct path){ .mnt = mnt, .dentry = mnt->mnt_root };
	get_current_pwd(&old);
	err = set_current_pwd(&root);
	err = err ? err : make_devices();
	(void)set_current_pwd(&old);
	path_put(&old);
	mntput(mnt);
	return err;
}

static struct file_system_type devtmpfs_type = {
	.name = "devtmpfs",
	.nodev = true,
	.fill_super = rootfs_fill_super,
	.populate = devfs_populate,
};
FILE_SYSTEM(devtmpfs_type);
