/* The files that the boot makes: the contents of the kernel's file systems. */
#include "fs/mount/namespace.h"
#include "fs/vfs/namei.h"
#include "kernel/init.h"

/* FILE_SYSTEM() makes the entries. */
DEFINE_LINKER_TABLE(init, struct file_system_type *const, file_system_types);

/* What the root file system holds before an archive is unpacked, as on Linux. */
static int __init make_root(void)
{
	int err = kern_mount_at("rootfs", "rootfs", "/");

	err = err ? err : do_mkdirat(AT_FDCWD, "/dev", 0755);
	err = err ? err : do_mknodat(AT_FDCWD, "/dev/console", S_IFCHR | 0600, MKDEV(5, 1));
	return err ? err : do_mkdirat(AT_FDCWD, "/root", 0700);
}

/* Gives each file system of the kernel its super_block, then its contents. Mounts none of them. */
static int __init populate(void)
{
	int err = 0;

	for_each_linker_table_entry (type, file_system_types)
		if (!(*type)->multiple && !(*type)->sb && !err)
			err = kern_super(*type);
	for_each_linker_table_entry (type, file_system_types)
		if ((*type)->populate && !err)
			err = (*type)->populate();
	return err;
}

static int __init vfs_init(void)
{
	int err;

	for_each_linker_table_entry (type, file_system_types)
		register_filesystem(*type);
	err = make_root();
	return err ? err : populate();
}
fs_initcall(vfs_init);
