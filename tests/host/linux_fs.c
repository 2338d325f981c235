/* The file system of the host. In a file of its own, because its constants have the names of ours. */
#define _GNU_SOURCE
#include "linux_fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX];

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

long linux_begin(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(top, sizeof(top), "%s/nop5-vfs-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(top) || chmod(top, 0755))
		return -errno;
	umask(022);
	return result(chdir(top));
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st, (void)kind, (void)walk;
	return remove(path);
}

void linux_end(void)
{
	if (top[0] && chdir("/") == 0)
		nftw(top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	top[0] = '\0';
}

long linux_mkdir(const char *path, unsigned mode)
{
	return result(mkdir(path, mode));
}

long linux_rename(const char *from, const char *to)
{
	return rename(from, to) ? -errno : 0;
}

long linux_renameat2(const char *from, const char *to, unsigned flags)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags) ? -errno : 0;
}

long linux_link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0) ? -errno : 0;
}

long linux_rmdir(const char *path)
{
	return result(rmdir(path));
}

long linux_unlink(const char *path)
{
	return result(unlink(path));
}

long linux_symlink(const char *target, const char *path)
{
	return result(symlink(target, path));
}

long linux_readlink(const char *path, char *buf, unsigned long size)
{
	return result(readlink(path, buf, size));
}

long linux_truncate(const char *path, long length)
{
	return result(truncate(path, length));
}

long linux_chdir(const char *path)
{
	return result(chdir(path));
}

long linux_open(const char *path, int flags, unsigned mode)
{
	return result(open(path, flags, mode));
}

long linux_close(int fd)
{
	return result(close(fd));
}

long linux_read(int fd, void *buf, unsigned long size)
{
	return result(read(fd, buf, size));
}

long linux_write(int fd, const void *buf, unsigned long size)
{
	return result(write(fd, buf, size));
}

long linux_lseek(int fd, long offset, int whence)
{
	return result(lseek(fd, offset, whence));
}

long linux_stat(const char *path, int follow, struct linux_stat *st)
{
	struct stat host;

	if (follow ? stat(path, &host) : lstat(path, &host))
		return -errno;
	st->mode = host.st_mode;
	st->size = S_ISDIR(host.st_mode) ? 0 : host.st_size;
	return 0;
}

uint64_t name_hash(const char *name, unsigned type)
{
	uint64_t hash = 14695981039346656037ULL + type;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 1099511628211ULL;
	return hash;
}

long linux_list(int fd, uint64_t *sum)
{
	int copy = dup(fd);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir) {
		long err = -errno;

		if (copy >= 0)
			close(copy);
		return err;
	}
	*sum = 0;
	rewinddir(dir);
	while ((entry = readdir(dir)))
		*sum += name_hash(entry->d_name, entry->d_type);
	closedir(dir);
	return 0;
}
