/* Mounts what /etc/init.d/rcS of the root file system mounts. */
#include "selftest/lib/file_systems.h"
#include "fs/vfs/namei.h"
#include "fs/mount/namespace.h"
#include "kernel/panic.h"

static const struct {
	const char *type, *path;
	umode_t mode; /* of the directory that is made; 0: it exists */
} mounts[] = {
	{ "devtmpfs", "/dev", 0755 },
	{ "proc", "/proc", 0555 },
	{ "sysfs", "/sys", 0555 },
	{ "debugfs", "/sys/kernel/debug", 0 },
	{ "tracefs", "/sys/kernel/tracing", 0 },
	{ "tracefs", "/sys/kernel/debug/tracing", 0 },
};

static void make_directory(const char *path, umode_t mode)
{
	int err = do_mkdirat(AT_FDCWD, path, mode);

	/* An initramfs may have made it. */
	if (err && err != -EEXIST)
		panic("selftest: %s: %s", path, errno_text(-err));
}

void mount_file_systems(void)
{
	make_directory("/tmp", S_IRWXUGO | S_ISVTX);
	for (unsigned i = 0; i < ARRAY_SIZE(mounts); i++) {
		int err;

		if (mounts[i].mode)
			make_directory(mounts[i].path, mounts[i].mode);
		err = kern_mount_at(mounts[i].type, mounts[i].type, mounts[i].path);
		if (err)
			panic("selftest: %s on %s: %s", mounts[i].type, mounts[i].path,
			      errno_text(-err));
	}
}
