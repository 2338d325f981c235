/* devtmpfs: devices as files, at /dev; and the table of character devices. */
#include "fs/dev/devfs.h"
#include "fs/vfs/chrdev.h"
#include "fs/dev/devices.h"
#include "fs/vfs/filesystems.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
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

int devfs_create(const char *name, umode_t mode, u32 dev, const struct file_operations *fops,
		 void *private)
{
	struct chrdev *chrdev = kzalloc(sizeof(*chrdev), GFP_KERNEL);

	if (!chrdev)
		return -ENOMEM;
	*chrdev = (struct chrdev){ .dev = dev, .fops = fops, .private = private };
	register_chrdev(chrdev);
	return do_mknodat(AT_FDCWD, name, S_IFCHR | mode, dev);
}

/* Makes the devices in the current directory. */
static int make_devices(void)
{
	int err = mem_devices_init();

	err = err ? err : physmem_device_init();
	err = err ? err : random_devices_init();
	err = err ? err : kmsg_device_init();
	err = err ? err : tty_devices_init();
	err = err ? err : ptmx_device_init();
	err = err ? err : pmsg_device_init();
	if (err)
		return err;
	/* Names that programs expect. /proc/self/fd is a link to the descriptors of the reader. */
	err = do_symlinkat("/proc/self/fd", AT_FDCWD, "fd");
	err = err ? err : do_symlinkat("/proc/self/fd/0", AT_FDCWD, "stdin");
	err = err ? err : do_symlinkat("/proc/self/fd/1", AT_FDCWD, "stdout");
	return err ? err : do_symlinkat("/proc/self/fd/2", AT_FDCWD, "stderr");
}

int devfs_populate(void)
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
