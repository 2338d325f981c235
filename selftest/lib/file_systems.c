/* Mounts what /etc/init.d/rcS of the root file system mounts. */
#include "selftest/lib/file_systems.h"
#include "fs/vfs/namei.h"
#include "fs/mount/namespace.h"
#include "kernel/panic.h"

static const struct {
	const char *type; /* NULL: only a directory, if sysfs is not linked */
	const char *path;
	umode_t mode; /* of the directory, unless it exists */
} mounts[] = {
	{ "devtmpfs", "/dev", 0755 },
	{ "proc", "/proc", 0555 },
	{ "sysfs", "/sys", 0555 },
	{ NULL, "/sys/kernel", 0755 },
	{ "debugfs", "/sys/kernel/debug", 0755 },
	{ "tracefs", "/sys/kernel/tracing", 0755 },
};

static void make_directory(const char *path, umode_t mode)
{
	int err = do_mkdirat(AT_FDCWD, path, mode);

	/* An initramfs or sysfs may have made it. */
	if (err && err != -EEXIST)
		panic("selftest: %s: %s", path, errno_text(-err));
}

void mount_file_systems(void)
{
	make_directory("/tmp", S_IRWXUGO | S_ISVTX);
	for (unsigned i = 0; i < ARRAY_SIZE(mounts); i++) {
		const char *type = mounts[i].type, *path = mounts[i].path;
		int err;

		make_directory(path, mounts[i].mode);
		err = type ? kern_mount_at(type, type, path) : 0;
		if (err && err != -ENODEV) /* -ENODEV: it is not linked */
			panic("selftest: %s on %s: %s", type, path, errno_text(-err));
	}
}
