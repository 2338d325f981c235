/* The file system of the host, for tests that compare ours with it. Results are >= 0, or -errno. */
#pragma once

#include <stdint.h>

long linux_begin(void); /* makes an empty directory, and makes it the current directory */
void linux_end(void);
long linux_mkdir(const char *path, unsigned mode);
long linux_rename(const char *from, const char *to);
long linux_renameat2(const char *from, const char *to, unsigned flags);
long linux_link(const char *from, const char *to);
long linux_rmdir(const char *path);
long linux_unlink(const char *path);
long linux_symlink(const char *target, const char *path);
long linux_readlink(const char *path, char *buf, unsigned long size);
long linux_truncate(const char *path, long length);
long linux_chdir(const char *path);
long linux_open(const char *path, int flags, unsigned mode);
long linux_close(int fd);
long linux_read(int fd, void *buf, unsigned long size);
long linux_write(int fd, const void *buf, unsigned long size);
long linux_lseek(int fd, long offset, int whence);
/* The type, permission bits and (of a regular file or link) size of path. */
struct linux_stat {
	unsigned mode;
	long size;
};
long linux_stat(const char *path, int follow, struct linux_stat *st);
/* The sum of the hashes of each name and type in the directory fd. Their order does not matter. */
long linux_list(int fd, uint64_t *sum);
uint64_t name_hash(const char *name, unsigned type);
