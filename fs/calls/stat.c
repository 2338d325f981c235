/* What programs learn about files: stat, statx, readlink. */
#include "fs/vfs/stat.h"
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/permission.h"
#include "fs/vfs/syscalls.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timespec.h"

/* ---- stat ---- */

void vfs_getattr(const struct path *path, struct kstat *st)
{
	struct inode *inode = path->dentry->d_inode;

	if (inode->i_op->getattr)
		inode->i_op->getattr(inode);
	*st = (struct kstat){
		.st_dev = inode->i_sb->s_dev,
		.st_ino = inode->i_ino,
		.st_mode = inode->i_mode,
		.st_nlink = inode->i_nlink,
		.st_uid = inode->i_uid,
		.st_gid = inode->i_gid,
		.st_rdev = inode->i_rdev,
		.st_size = READ_ONCE(inode->i_size),
		.st_blocks = READ_ONCE(inode->i_blocks),
		.st_atime = inode->i_atime,
		.st_mtime = inode->i_mtime,
		.st_ctime = inode->i_ctime,
		.st_btime = inode->i_btime,
		.st_mnt_id = (u32)path->mnt->mnt_id,
		.st_mount_root = path->dentry == path->mnt->mnt_root,
	};
}

int vfs_stat(const char *name, bool follow, struct kstat *st)
{
	struct path path;
	int err = kern_path(name, follow ? LOOKUP_FOLLOW : 0, &path);

	if (err)
		return err;
	vfs_getattr(&path, st);
	path_put(&path);
	return 0;
}

int vfs_fstat(int fd, struct kstat *st)
{
	struct fd f = fdget_raw((unsigned)fd);

	if (!f.file)
		return -EBADF;
	vfs_getattr(&f.file->f_path, st);
	fdput(f);
	return 0;
}

/* The status of a name, or of the descriptor dfd if the name is empty. */
static int stat_at(int dfd, const char __user *filename, int flags, struct kstat *st)
{
	struct path path;
	char first;
	int err;

	/* fstat(2) comes this way, so it need not copy a name. */
	if ((flags & AT_EMPTY_PATH) && dfd >= 0) {
		if (get_user(first, filename))
			return -EFAULT;
		if (!first)
			return vfs_fstat(dfd, st);
	}
	err = user_path_at(dfd, filename, flags & AT_EMPTY_PATH,
			   (flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW) |
				   (flags & AT_NO_AUTOMOUNT ? 0 : LOOKUP_AUTOMOUNT),
			   &path);
	if (err)
		return err;
	vfs_getattr(&path, st);
	path_put(&path);
	return 0;
}

/* struct stat of stat(2) on x86_64. */
struct stat {
	u64 st_dev;
	u64 st_ino;
	u64 st_nlink;
	u32 st_mode;
	u32 st_uid;
	u32 st_gid;
	u32 unused0;
	u64 st_rdev;
	s64 st_size;
	s64 st_blksize;
	s64 st_blocks;
	struct timespec st_atim, st_mtim, st_ctim;
	s64 unused[3];
};
BUILD_BUG_ON(sizeof(struct stat) != 144);

/* Splits ns into seconds and the rest, which is never negative. */
static struct timespec to_timespec(s64 ns)
{
	s64 sec = ns / (s64)NSEC_PER_SEC, rest = ns % (s64)NSEC_PER_SEC;

	if (rest < 0) {
		rest += (s64)NSEC_PER_SEC;
		sec--;
	}
	return (struct timespec){ .tv_sec = sec, .tv_nsec = rest };
}

static long copy_stat(const struct kstat *st, struct stat __user *statbuf)
{
	struct stat buf = {
		.st_dev = st->st_dev,
		.st_ino = st->st_ino,
		.st_nlink = st->st_nlink,
		.st_mode = st->st_mode,
		.st_uid = st->st_uid,
		.st_gid = st->st_gid,
		.st_rdev = st->st_rdev,
		.st_size = st->st_size,
		.st_blksize = (s64)PAGE_SIZE,
		.st_blocks = (s64)st->st_blocks,
		.st_atim = to_timespec(st->st_atime),
		.st_mtim = to_timespec(st->st_mtime),
		.st_ctim = to_timespec(st->st_ctime),
	};

	return copy_to_user(statbuf, &buf, sizeof(buf)) ? -EFAULT : 0;
}

static long stat_user(int dfd, const char __user *filename, struct stat __user *statbuf, int flags)
{
	struct kstat st;
	int err = stat_at(dfd, filename, flags | AT_NO_AUTOMOUNT, &st);

	return err ? err : copy_stat(&st, statbuf);
}

SYSCALL_DEFINE2(newstat, const char __user *, filename, struct stat __user *, statbuf)
{
	return stat_user(AT_FDCWD, filename, statbuf, 0);
}

SYSCALL_DEFINE2(newlstat, const char __user *, filename, struct stat __user *, statbuf)
{
	return stat_user(AT_FDCWD, filename, statbuf, AT_SYMLINK_NOFOLLOW);
}

SYSCALL_DEFINE4(newfstatat, int, dfd, const char __user *, filename, struct stat __user *, statbuf,
		int, flag)
{
	if (flag & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	return stat_user(dfd, filename, statbuf, flag);
}

SYSCALL_DEFINE2(newfstat, unsigned int, fd, struct stat __user *, statbuf)
{
	struct kstat st;
	int err = vfs_fstat((int)fd, &st);

	return err ? err : copy_stat(&st, statbuf);
}

/* statx(2). */
struct statx_timestamp {
	s64 tv_sec;
	u32 tv_nsec;
	s32 unused;
};

struct statx {
	u32 stx_mask;
	u32 stx_blksize;
	u64 stx_attributes;
	u32 stx_nlink;
	u32 stx_uid;
	u32 stx_gid;
	u16 stx_mode;
	u16 unused0;
	u64 stx_ino;
	u64 stx_size;
	u64 stx_blocks;
	u64 stx_attributes_mask;
	struct statx_timestamp stx_atime, stx_btime, stx_ctime, stx_mtime;
	u32 stx_rdev_major, stx_rdev_minor;
	u32 stx_dev_major, stx_dev_minor;
	u64 stx_mnt_id;
	u64 unused[13];
};
BUILD_BUG_ON(sizeof(struct statx) != 256);

#define STATX_BASIC_STATS     0x07ffU
#define STATX_BTIME           0x0800U
#define STATX_MNT_ID          0x1000U
#define STATX__RESERVED       0x80000000U
#define STATX_ATTR_MOUNT_ROOT 0x2000U

static struct statx_timestamp to_statx_time(s64 ns)
{
	struct timespec ts = to_timespec(ns);

	return (struct statx_timestamp){ .tv_sec = ts.tv_sec, .tv_nsec = (u32)ts.tv_nsec };
}

SYSCALL_DEFINE5(statx, int, dfd, const char __user *, filename, unsigned, flags, unsigned int, mask,
		struct statx __user *, buffer)
{
	struct statx stx;
	struct kstat st;
	int err;

	if (mask & STATX__RESERVED)
		return -EINVAL;
	if (flags &
	    ~(unsigned)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_SYNC_TYPE))
		return -EINVAL;
	if ((flags & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
		return -EINVAL;
	err = stat_at(dfd, filename, (int)flags, &st);
	if (err)
		return err;
	stx = (struct statx){
		.stx_mask =
			STATX_BASIC_STATS | STATX_MNT_ID | (st.st_btime ? mask & STATX_BTIME : 0),
		.stx_blksize = PAGE_SIZE,
		.stx_attributes = st.st_mount_root ? STATX_ATTR_MOUNT_ROOT : 0,
		.stx_nlink = st.st_nlink,
		.stx_uid = st.st_uid,
		.stx_gid = st.st_gid,
		.stx_mode = (u16)st.st_mode,
		.stx_ino = st.st_ino,
		.stx_size = (u64)st.st_size,
		.stx_blocks = st.st_blocks,
		.stx_attributes_mask = STATX_ATTR_MOUNT_ROOT,
		.stx_atime = to_statx_time(st.st_atime),
		.stx_btime = to_statx_time(mask & STATX_BTIME ? st.st_btime : 0),
		.stx_ctime = to_statx_time(st.st_ctime),
		.stx_mtime = to_statx_time(st.st_mtime),
		.stx_rdev_major = MAJOR(st.st_rdev),
		.stx_rdev_minor = MINOR(st.st_rdev),
		.stx_dev_major = MAJOR(st.st_dev),
		.stx_dev_minor = MINOR(st.st_dev),
		.stx_mnt_id = st.st_mnt_id,
	};
	return copy_to_user(buffer, &stx, sizeof(stx)) ? -EFAULT : 0;
}

/* ---- readlink ---- */

/* Copies the text of a link. Returns its length, cut at size. */
static long copy_link(const struct path *path, char __user *buf, int size)
{
	struct inode *inode = path->dentry->d_inode;
	char *text = inode->i_link;
	long n;

	if (!S_ISLNK(inode->i_mode))
		return -EINVAL;
	if (!text)
		text = inode->i_op->get_link ? inode->i_op->get_link(path->dentry)
					     : ERR_PTR(-EINVAL);
	if (IS_ERR(text))
		return PTR_ERR(text);
	n = (long)min(strlen(text), (size_t)size);
	if (copy_to_user(buf, text, (size_t)n))
		n = -EFAULT;
	if (text != inode->i_link)
		kfree(text);
	return n;
}

static long readlink_user(int dfd, const char __user *pathname, char __user *buf, int bufsiz)
{
	struct path path;
	long n;
	int err;

	if (bufsiz <= 0)
		return -EINVAL;
	err = user_path_at(dfd, pathname, AT_EMPTY_PATH, 0, &path);
	if (err)
		return err;
	n = copy_link(&path, buf, bufsiz);
	path_put(&path);
	return n;
}

SYSCALL_DEFINE3(readlink, const char __user *, path, char __user *, buf, int, bufsiz)
{
	long n = readlink_user(AT_FDCWD, path, buf, bufsiz);
	char first;

	/* The empty name is the current directory here, which is no link. */
	if (n == -EINVAL && bufsiz > 0 && !get_user(first, path) && !first)
		return -ENOENT;
	return n;
}

SYSCALL_DEFINE4(readlinkat, int, dfd, const char __user *, pathname, char __user *, buf, int,
		bufsiz)
{
	long n = readlink_user(dfd, pathname, buf, bufsiz);
	char first;

	/* An empty name is for a descriptor of a link: open(O_PATH | O_NOFOLLOW). */
	if (n == -EINVAL && bufsiz > 0 && !get_user(first, pathname) && !first)
		return -ENOENT;
	return n;
}
