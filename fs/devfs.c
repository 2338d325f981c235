/* devfs: devices as files, at /dev. */
#include "fs/devfs.h"
#include "fs/devices.h"
#include "fs/filesystems.h"

static int devfs_fill_super(struct super_block *sb)
{
	return simple_fill_super(sb, 0755, &simple_dir_inode_operations);
}

struct file_system_type devfs_type = {
	.name = "devfs",
	.nodev = true,
	.fill_super = devfs_fill_super,
};

int devfs_create(const char *name, umode_t mode, u32 dev, const struct file_operations *fops,
		 void *private)
{
	struct dentry *dentry;

	if (!devfs_type.sb)
		return -ENODEV;
	dentry = simple_create_file(devfs_type.sb->s_root, name, S_IFCHR | mode, fops, private);
	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	dentry->d_inode->i_rdev = dev;
	return 0;
}

int devfs_populate(void)
{
	int err = mem_devices_init();

	err = err ? err : kmsg_device_init();
	return err ? err : tty_devices_init();
}
