/* The files that the boot makes: the mounts, and the console of the first process. */
#include "fs/debugfs.h"
#include "fs/filesystems.h"
#include "fs/initramfs.h"
#include "fs/namei.h"
#include "fs/syscalls.h"
#include "kernel/init.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"

static struct file_system_type *const types[] = {
	&rootfs_type, &tmpfs_type,   &devtmpfs_type, &proc_type,
	&sysfs_type,  &debugfs_type, &tracefs_type,  &devpts_type,
};

/* Mounts a file system on path. If mode is not 0, makes that directory first. */
static int __init mount_at(const char *type, const char *devname, const char *path, umode_t mode)
{
	int err = mode ? do_mkdirat(AT_FDCWD, path, mode) : 0;

	/* The initramfs may have made the directory. */
	if (!err || err == -EEXIST)
		err = kern_mount_at(type, devname, path);
	if (err)
		pr_err("vfs: %s on %s: %s\n", type, path, errno_text(-err));
	return err;
}

static int __init mount_all(void)
{
	int err = mount_at("rootfs", "rootfs", "/", 0);

	if (err)
		return err;
	if (initramfs_unpack())
		first_program = run_first_program;
	(void)do_mkdirat(AT_FDCWD, "/tmp", S_IRWXUGO | S_ISVTX);
	err = mount_at("devtmpfs", "devtmpfs", "/dev", 0755);
	err = err ? err : mount_at("proc", "proc", "/proc", 0555);
	err = err ? err : mount_at("sysfs", "sysfs", "/sys", 0555);
	err = err ? err : sysfs_populate();
	err = err ? err : mount_at("debugfs", "debugfs", "/sys/kernel/debug", 0);
	err = err ? err : mount_at("tracefs", "tracefs", "/sys/kernel/tracing", 0);
	if (err)
		return err;
	/* The same tree also at its older place, which Linux keeps too. */
	debugfs_create_dir("tracing", NULL);
	return mount_at("tracefs", "tracefs", "/sys/kernel/debug/tracing", 0);
}

static int __init vfs_init(void)
{
	int err;

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++)
		register_filesystem(types[i]);
	err = mount_all();
	if (!err)
		err = devfs_populate();
	if (!err)
		err = proc_populate();
	return err;
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
