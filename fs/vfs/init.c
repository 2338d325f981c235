/* The files that the boot makes: the contents of the kernel's file systems, and the console of the
 * first process. */
#include "fs/debug/debugfs.h"
#include "fs/vfs/filesystems.h"
#include "fs/initramfs/initramfs.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/syscalls.h"
#include "kernel/init.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"

static struct file_system_type *const types[] = {
	&rootfs_type,  &tmpfs_type,   &devtmpfs_type, &proc_type,   &sysfs_type,
	&debugfs_type, &tracefs_type, &devpts_type,   &pstore_type,
};

/* What the root file system holds before an archive is unpacked, as on Linux. */
static int __init make_root(void)
{
	int err = kern_mount_at("rootfs", "rootfs", "/");

	err = err ? err : do_mkdirat(AT_FDCWD, "/dev", 0755);
	err = err ? err : do_mknodat(AT_FDCWD, "/dev/console", S_IFCHR | 0600, MKDEV(5, 1));
	return err ? err : do_mkdirat(AT_FDCWD, "/root", 0700);
}

/* Gives each file system of the kernel its contents. Mounts none of them. */
static int __init populate(void)
{
	static struct file_system_type *const singles[] = { &proc_type, &sysfs_type, &debugfs_type,
							    &tracefs_type, &pstore_type };
	int err = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(singles) && !err; i++) {
		struct vfsmount *mnt = kern_mount(singles[i]);

		err = IS_ERR(mnt) ? (int)PTR_ERR(mnt) : 0;
	}
	err = err ? err : sysfs_populate();
	err = err ? err : devfs_populate();
	err = err ? err : proc_sysctl_init();
	/* The place of the second mount of tracefs, which Linux keeps too. */
	if (!err)
		debugfs_create_dir("tracing", NULL);
	return err;
}

static int __init vfs_init(void)
{
	int err;

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
		register_filesystem(types[i]);
	err = make_root();
	err = err ? err : populate();
	if (err)
		return err;
	initramfs_unpack();
	first_program = run_first_program;
	return 0;
}
fs_initcall(vfs_init);

void console_on_rootfs(void)
{
	long fd = sys_open("/dev/console", O_RDWR, 0);

	while (fd >= 0 && fd < 2)
		fd = sys_dup(0);
	if (fd < 0)
		panic("/dev/console: %s", errno_text((int)-fd));
}
