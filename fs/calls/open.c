/* open(2) and its kin. */
#include "fs/calls/getname.h"
#include "fs/file/file.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/syscalls/syscalls.h"

#define VALID_OPEN_FLAGS                                                                           \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC |     \
	 O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC |     \
	 __O_SYNC | O_PATH | __O_TMPFILE)
#define O_PATH_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static noinline long do_sys_openat2(int dfd, const char __user *filename, int flags, umode_t mode,
				    unsigned lookup)
{
	struct filename *name = getname(filename);
	struct file *file;
	int fd;

	if (IS_ERR(name))
		return PTR_ERR(name);
	fd = get_unused_fd_flags((unsigned)flags);
	if (fd >= 0) {
		file = do_filp_open(dfd, name->name, flags, mode & (umode_t)~current_umask(),
				    lookup);
		if (IS_ERR(file)) {
			put_unused_fd((unsigned)fd);
			fd = (int)PTR_ERR(file);
		} else {
			fd_install((unsigned)fd, file);
		}
	}
	putname(name);
	return fd;
}

/* open and openat ignore flags that they do not know. */
static int known_flags(int flags)
{
	return flags & O_PATH ? flags & O_PATH_FLAGS : (flags & VALID_OPEN_FLAGS) | O_LARGEFILE;
}

/* noinline: probes of opened files stand here on many kernels. */
static noinline long do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode)
{
	return do_sys_openat2(dfd, filename, known_flags(flags), mode, 0);
}

SYSCALL_DEFINE3(open, const char __user *, filename, int, flags, umode_t, mode)
{
	return do_sys_open(AT_FDCWD, filename, flags, mode);
}

SYSCALL_DEFINE4(openat, int, dfd, const char __user *, filename, int, flags, umode_t, mode)
{
	return do_sys_open(dfd, filename, flags, mode);
}

SYSCALL_DEFINE2(creat, const char __user *, pathname, umode_t, mode)
{
	return do_sys_open(AT_FDCWD, pathname, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* openat2(2). */
struct open_how {
	u64 flags, mode, resolve;
};
#define RESOLVE_NO_XDEV       0x01
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS   0x04
#define RESOLVE_BENEATH       0x08
#define RESOLVE_IN_ROOT       0x10
#define RESOLVE_CACHED        0x20 /* all names are cached here */
#define RESOLVE_ALL           0x3f

static unsigned lookup_for_resolve(u64 resolve)
{
	return (resolve & RESOLVE_NO_XDEV ? LOOKUP_NO_XDEV : 0) |
	       (resolve & RESOLVE_NO_MAGICLINKS ? LOOKUP_NO_MAGICLINKS : 0) |
	       (resolve & RESOLVE_NO_SYMLINKS ? LOOKUP_NO_SYMLINKS | LOOKUP_NO_MAGICLINKS : 0) |
	       (resolve & RESOLVE_BENEATH ? LOOKUP_BENEATH : 0) |
	       (resolve & RESOLVE_IN_ROOT ? LOOKUP_IN_ROOT : 0);
}

/* openat2 refuses what it does not know, and what has no effect. */
static int check_open_how(const struct open_how *how)
{
	if ((how->flags & ~(u64)VALID_OPEN_FLAGS) || (how->resolve & ~(u64)RESOLVE_ALL) ||
	    (how->resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) ==
		    (RESOLVE_BENEATH | RESOLVE_IN_ROOT))
		return -EINVAL;
	if (how->flags & (O_CREAT | __O_TMPFILE) ? how->mode & ~(u64)S_IALLUGO : how->mode)
		return -EINVAL;
	if ((how->flags & O_PATH) && (how->flags & ~(u64)O_PATH_FLAGS))
		return -EINVAL;
	if ((how->resolve & RESOLVE_CACHED) && (how->flags & (O_TRUNC | O_CREAT | __O_TMPFILE)))
		return -EAGAIN;
	return 0;
}

SYSCALL_DEFINE4(openat2, int, dfd, const char __user *, filename, struct open_how __user *, how,
		size_t, usize)
{
	struct open_how h = { .flags = 0 };
	int err;

	if (usize < sizeof(h))
		return -EINVAL;
	if (usize > PAGE_SIZE)
		return -E2BIG;
	if (copy_from_user(&h, how, sizeof(h)))
		return -EFAULT;
	/* A larger struct comes from a newer program. What it adds must be 0. */
	for (size_t at = sizeof(h); at < usize; at++) {
		u8 byte;

		if (get_user(byte, (u8 __user *)how + at))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	err = check_open_how(&h);
	if (err)
		return err;
	return do_sys_openat2(dfd, filename, (int)h.flags, (umode_t)h.mode,
			      lookup_for_resolve(h.resolve));
}
