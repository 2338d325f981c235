/* devtmpfs: devices as files, at /dev; and the table of character devices. */
#include "fs/dev/devfs.h"
#include "fs/vfs/chrdev.h"
#include "fs/mount/namespace.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"

static DEFINE_SPINLOCK(chrdevs_lock);
static LIST_HEAD(chrdevs); /* [chrdevs_lock] */

void register_chrdev(struct chrdev *chrdev)
{
	spin_lock(&chrdevs_lock);
	list_add_tail(&chrdev->list, &chrdevs);
	spin_unlock(&chrdevs_lock);
}

static const struct chrdev *find_chrdev(u32 dev)
{
	const struct chrdev *chrdev, *found = NULL;

	spin_lock(&chrdevs_lock);
	list_for_each_entry (chrdev, &chrdevs, list)
		if (chrdev->dev == dev)
			found = chrdev;
	spin_unlock(&chrdevs_lock);
	return found;
}

int chrdev_open(struct inode *inode, struct file *file)
{
	const struct chrdev *chrdev = find_chrdev(inode->i_rdev);

	if (!chrdev)
		return -ENXIO;
	inode->i_private = chrdev->private;
	file->f_op = chrdev->fops;
	return chrdev->fops->open ? chrdev->fops->open(inode, file) : 0;
}

/* DEVICE_FILE() makes the entries. */
DEFINE_LINKER_TABLE(init, const struct device_file, device_files);

/* Makes a device in the current directory. */
static int __init make_device(const struct device_file *device)
{
	struct chrdev *chrdev = kzalloc(sizeof(*chrdev), GFP_KERNEL);

	if (!chrdev)
		return -ENOMEM;
	*chrdev = (struct chrdev){ .dev = device->dev,
				   .fops = device->fops,
				   .private = device->private };
	register_chrdev(chrdev);
	return do_mknodat(AT_FDCWD, device->name, S_IFCHR | device->mode, device->dev);
}

/* Makes the devices in the current directory. */
static int __init make_devices(void)
{
	int err = 0;

	for_each_linker_table_entry (device, device_files)
		if (!err && (!device->exists || device->exists()))
			err = make_device(device);
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
	return err;
}

static struct file_system_type devtmpfs_type = {
	.name = "devtmpfs",
	.nodev = true,
	.fill_super = rootfs_fill_super,
	.populate = devfs_populate,
};
FILE_SYSTEM(devtmpfs_type);
