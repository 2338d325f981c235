/* Attributes of files: chmod, chown, utimensat and their older forms. */
#include "fs/file/file.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/open.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/permission.h"
#include "fs/vfs/syscalls.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timespec.h"

/*
 * In this file, who owns an inode is asked under its i_mutex, in the same section in which the
 * answer is used. A chown() to root that came between question and use would otherwise leave a
 * program of root with the mode that its last owner chose: set-user-id, for example.
 */

/* ---- mode ---- */

/* i_mutex is held. */
static int change_mode_locked(struct inode *inode, umode_t mode)
{
	if (!inode_owner_or_capable(inode) || inode->i_op->fixed_mode)
		return -EPERM;
	if (S_ISLNK(inode->i_mode))
		return -EOPNOTSUPP;
	mode &= S_IALLUGO;
	/* Only a member of the group makes programs that act for the group. */
	if ((mode & S_ISGID) && !in_group_p(inode->i_gid) && !capable(CAP_FSETID))
		mode &= (umode_t)~S_ISGID;
	inode->i_mode = (umode_t)((inode->i_mode & S_IFMT) | mode);
	inode->i_ctime = inode_now();
	return 0;
}

static int change_mode(const struct path *path, umode_t mode)
{
	struct inode *inode = path->dentry->d_inode;
	int err = mnt_want_write(path);

	if (err)
		return err;
	mutex_lock(&inode->i_mutex);
	err = change_mode_locked(inode, mode);
	mutex_unlock(&inode->i_mutex);
	if (!err)
		fsnotify_dentry(path->dentry, IN_ATTRIB);
	return err;
}

static long chmod_user(int dfd, const char __user *filename, umode_t mode)
{
	struct path path;
	int err = user_path_at(dfd, filename, 0, LOOKUP_FOLLOW, &path);

	if (err)
		return err;
	err = change_mode(&path, mode);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE2(chmod, const char __user *, filename, umode_t, mode)
{
	return chmod_user(AT_FDCWD, filename, mode);
}

SYSCALL_DEFINE3(fchmodat, int, dfd, const char __user *, filename, umode_t, mode)
{
	return chmod_user(dfd, filename, mode);
}

SYSCALL_DEFINE2(fchmod, unsigned int, fd, umode_t, mode)
{
	struct fd f = fdget(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = change_mode(&f.file->f_path, mode);
	fdput(f);
	return err;
}

/* ---- owner and group ---- */

#define NO_ID ((u32)-1) /* leaves the owner or the group as it is */

/* Only root gives files away. The owner may choose among the groups to which he belongs. */
static bool may_chown(const struct inode *inode, u32 uid, u32 gid)
{
	if (capable(CAP_CHOWN))
		return true;
	if (inode->i_uid != current_fsuid())
		return false;
	if (uid != NO_ID && uid != inode->i_uid)
		return false;
	return gid == NO_ID || gid == inode->i_gid || in_group_p(gid);
}

/* Whether a change of owner clears a bit of the mode, which only the owner may do. */
static bool chown_takes_privileges(const struct inode *inode)
{
	return !S_ISDIR(inode->i_mode) &&
	       ((inode->i_mode & S_ISUID) ||
		(inode->i_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP));
}

static int vfs_chown(const struct path *path, u32 uid, u32 gid)
{
	struct inode *inode = path->dentry->d_inode;
	int err = mnt_want_write(path);

	if (err)
		return err;
	mutex_lock(&inode->i_mutex);
	if (uid == NO_ID && gid == NO_ID) {
		/* As in Linux: this only takes the privileges of the program, which changes it. */
		if (chown_takes_privileges(inode) && !inode_owner_or_capable(inode))
			err = -EPERM;
	} else if (!may_chown(inode, uid, gid)) {
		err = -EPERM;
	} else {
		if (uid != NO_ID)
			inode->i_uid = uid;
		if (gid != NO_ID)
			inode->i_gid = gid;
	}
	if (!err) {
		inode->i_ctime = inode_now();
		/*
		 * A program does not keep its privileges when its owner changes, not even for root.
		 */
		if (!S_ISDIR(inode->i_mode)) {
			inode->i_mode &= (umode_t)~S_ISUID;
			if (inode->i_mode & 0010)
				inode->i_mode &= (umode_t)~S_ISGID;
		}
	}
	mutex_unlock(&inode->i_mutex);
	if (!err)
		fsnotify_dentry(path->dentry, IN_ATTRIB);
	return err;
}

static long chown_user(int dfd, const char __user *filename, u32 uid, u32 gid, int flags)
{
	struct path path;
	int err;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	err = user_path_at(dfd, filename, flags & AT_EMPTY_PATH,
			   flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	err = vfs_chown(&path, uid, gid);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE3(chown, const char __user *, filename, uid_t, user, gid_t, group)
{
	return chown_user(AT_FDCWD, filename, user, group, 0);
}

SYSCALL_DEFINE3(lchown, const char __user *, filename, uid_t, user, gid_t, group)
{
	return chown_user(AT_FDCWD, filename, user, group, AT_SYMLINK_NOFOLLOW);
}

SYSCALL_DEFINE5(fchownat, int, dfd, const char __user *, filename, uid_t, user, gid_t, group, int,
		flag)
{
	return chown_user(dfd, filename, user, group, flag);
}

SYSCALL_DEFINE3(fchown, unsigned int, fd, uid_t, user, gid_t, group)
{
	struct fd f = fdget(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_chown(&f.file->f_path, user, group);
	fdput(f);
	return err;
}

/* ---- times ---- */

#define UTIME_NOW  ((1L << 30) - 1L)
#define UTIME_OMIT ((1L << 30) - 2L)

/*
 * Times in ns are 64-bit numbers: the years 1678 to 2262. Others become the nearest, as Linux does
 * for file systems with a smaller range than its own.
 */
static s64 timespec_to_ns_clamped(const struct __kernel_timespec *ts)
{
	const s64 max_sec = (s64)(~0ULL >> 1) / (s64)NSEC_PER_SEC - 1;

	if (ts->tv_sec > max_sec)
		return max_sec * (s64)NSEC_PER_SEC;
	if (ts->tv_sec < -max_sec)
		return -max_sec * (s64)NSEC_PER_SEC;
	return ts->tv_sec * (s64)NSEC_PER_SEC + ts->tv_nsec;
}

static void set_time(s64 *time, const struct __kernel_timespec *ts, s64 now)
{
	if (ts->tv_nsec == UTIME_NOW)
		*time = now;
	else if (ts->tv_nsec != UTIME_OMIT)
		*time = timespec_to_ns_clamped(ts);
}

static bool valid_nsec(const struct __kernel_timespec *ts)
{
	return ts->tv_nsec == UTIME_NOW || ts->tv_nsec == UTIME_OMIT ||
	       (ts->tv_nsec >= 0 && ts->tv_nsec < (long)NSEC_PER_SEC);
}

/* A task that may write the file may set its times to now, by writing. i_mutex is held. */
static int may_set_times(struct inode *inode, bool both_now)
{
	if (inode_owner_or_capable(inode))
		return 0;
	return both_now ? inode_permission(inode, MAY_WRITE) : -EPERM;
}

/* times: access, modification; NULL: both now. */
static int vfs_utimes(const struct path *path, const struct __kernel_timespec *times)
{
	static const struct __kernel_timespec now[2] = { { .tv_nsec = UTIME_NOW },
							 { .tv_nsec = UTIME_NOW } };
	struct inode *inode = path->dentry->d_inode;
	int err;

	if (times && (!valid_nsec(&times[0]) || !valid_nsec(&times[1])))
		return -EINVAL;
	times = times ? times : now;
	if (times[0].tv_nsec == UTIME_OMIT && times[1].tv_nsec == UTIME_OMIT)
		return 0;
	err = mnt_want_write(path);
	if (err)
		return err;
	mutex_lock(&inode->i_mutex);
	err = may_set_times(inode, times[0].tv_nsec == UTIME_NOW && times[1].tv_nsec == UTIME_NOW);
	if (!err) {
		inode->i_ctime = inode_now();
		set_time(&inode->i_atime, &times[0], inode->i_ctime);
		set_time(&inode->i_mtime, &times[1], inode->i_ctime);
	}
	mutex_unlock(&inode->i_mutex);
	if (!err)
		fsnotify_dentry(path->dentry, IN_ATTRIB);
	return err;
}

static long do_utimes(int dfd, const char __user *filename, const struct __kernel_timespec *times,
		      int flags)
{
	struct path path;
	int err;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (!filename && dfd != AT_FDCWD) { /* futimens(3) */
		struct fd f = fdget((unsigned)dfd);

		if (flags)
			err = -EINVAL;
		else
			err = f.file ? vfs_utimes(&f.file->f_path, times) : -EBADF;
		if (f.file)
			fdput(f);
		return err;
	}
	err = user_path_at(dfd, filename, flags & AT_EMPTY_PATH,
			   flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	err = vfs_utimes(&path, times);
	path_put(&path);
	return err;
}

SYSCALL_DEFINE4(utimensat, int, dfd, const char __user *, filename,
		struct __kernel_timespec __user *, utimes, int, flags)
{
	struct __kernel_timespec times[2];

	if (utimes) {
		if (copy_from_user(times, utimes, sizeof(times)))
			return -EFAULT;
		if (times[0].tv_nsec == UTIME_OMIT && times[1].tv_nsec == UTIME_OMIT)
			return 0;
	}
	return do_utimes(dfd, filename, utimes ? times : NULL, flags);
}

struct utimbuf {
	long actime, modtime;
};

SYSCALL_DEFINE2(utime, char __user *, filename, struct utimbuf __user *, times)
{
	struct __kernel_timespec ts[2] = { { .tv_sec = 0 } };
	struct utimbuf buf;

	if (times) {
		if (copy_from_user(&buf, times, sizeof(buf)))
			return -EFAULT;
		ts[0].tv_sec = buf.actime;
		ts[1].tv_sec = buf.modtime;
	}
	return do_utimes(AT_FDCWD, filename, times ? ts : NULL, 0);
}

static long utimes_user(int dfd, const char __user *filename,
			const struct __kernel_old_timeval __user *utimes)
{
	struct __kernel_timespec ts[2];
	struct __kernel_old_timeval tv[2];

	if (!utimes)
		return do_utimes(dfd, filename, NULL, 0);
	if (copy_from_user(tv, utimes, sizeof(tv)))
		return -EFAULT;
	for (unsigned i = 0; i < 2; i++) {
		/* Else tv_usec * 1000 could be UTIME_NOW. */
		if (tv[i].tv_usec < 0 || tv[i].tv_usec >= 1000000)
			return -EINVAL;
		ts[i] = (struct __kernel_timespec){ .tv_sec = tv[i].tv_sec,
						    .tv_nsec = tv[i].tv_usec * 1000 };
	}
	return do_utimes(dfd, filename, ts, 0);
}

SYSCALL_DEFINE2(utimes, char __user *, filename, struct __kernel_old_timeval __user *, utimes)
{
	return utimes_user(AT_FDCWD, filename, utimes);
}

SYSCALL_DEFINE3(futimesat, int, dfd, const char __user *, filename,
		struct __kernel_old_timeval __user *, utimes)
{
	return utimes_user(dfd, filename, utimes);
}
