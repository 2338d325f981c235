/* unshare(2) and setns(2): what a thread no longer shares. There are no namespaces. */
#include "fs/file.h"
#include "fs/fs_struct.h"
#include "kernel/process/clone_flags.h"
#include "kernel/process/exit.h"
#include "kernel/syscalls/syscalls.h"

#define UNSHARE_THREAD (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)

/* Restricted: no namespaces: EINVAL */
SYSCALL_DEFINE1(unshare, unsigned long, unshare_flags)
{
	int err = 0;

	if (unshare_flags & ~(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | UNSHARE_THREAD))
		return -EINVAL;
	/* Only a process of one thread has nothing to separate here. */
	if ((unshare_flags & UNSHARE_THREAD) && !thread_group_empty(current))
		return -EINVAL;
	if (unshare_flags & CLONE_FS)
		err = unshare_fs_struct();
	if (!err && (unshare_flags & CLONE_FILES))
		err = unshare_files();
	return err;
}

/* Restricted: no namespaces: EINVAL */
SYSCALL_DEFINE2(setns, int, fd, int, flags)
{
	struct fd f = fdget((unsigned)fd);

	(void)flags;
	if (!f.file)
		return -EBADF;
	fdput(f);
	return -EINVAL;
}
