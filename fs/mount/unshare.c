/*
 * unshare(2): what a thread no longer shares. setns(2): entering a namespace. There is one
 * namespace of each kind, in which all tasks are already; unshare(2) makes no new one.
 */
#include "fs/file/file.h"
#include "fs/vfs/fs_struct.h"
#include "fs/mount/nsfs.h"
#include "kernel/process/clone_flags.h"
#include "kernel/process/cred.h"
#include "kernel/process/exit.h"
#include "kernel/process/fork.h"
#include "kernel/process/pidfd.h"
#include "kernel/process/ptrace.h"
#include "kernel/syscalls/syscalls.h"

#define UNSHARE_THREAD (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)
#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWTIME |                \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWCGROUP)

/* Restricted: no new namespaces: EINVAL, or EPERM for a task that may not make any */
SYSCALL_DEFINE1(unshare, unsigned long, unshare_flags)
{
	int err;

	if (unshare_flags & ~(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | UNSHARE_THREAD | NAMESPACES))
		return -EINVAL;
	/* Only a process of one thread has nothing to separate here. */
	if ((unshare_flags & UNSHARE_THREAD) && !thread_group_empty(current))
		return -EINVAL;
	err = check_new_namespaces(unshare_flags & NAMESPACES);
	if (!err && (unshare_flags & CLONE_FS))
		err = unshare_fs_struct();
	if (!err && (unshare_flags & CLONE_FILES))
		err = unshare_files();
	return err;
}

/* To enter a mount namespace is to go to its root, even for a task that is in it. */
static int enter_mounts(bool alone)
{
	struct path root;
	int err;

	if (!capable(CAP_SYS_CHROOT))
		return -EPERM;
	if (alone && atomic_read(&current->fs->users) != 1)
		return -EINVAL;
	get_init_root(&root);
	err = set_current_root(&root);
	if (!err)
		err = set_current_pwd(&root);
	path_put(&root);
	return err;
}

/* Enters the namespaces of types, CLONE_NEW*. 0 or a negative errno. */
static int enter_namespaces(unsigned long types)
{
	if (types & CLONE_NEWUSER) /* not that in which the task is */
		return -EINVAL;
	if (types == CLONE_NEWTIME && !thread_group_empty(current))
		return -EUSERS;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return types & CLONE_NEWNS ? enter_mounts(types == CLONE_NEWNS) : 0;
}

/* The namespaces of a process, by its pidfd. */
static int enter_those_of_process(int fd, unsigned long types)
{
	bool nonblock, allowed = false;
	struct task_struct *task;
	struct pid *pid = pidfd_ops->get(fd, &nonblock);

	if (IS_ERR(pid) || !types || (types & ~NAMESPACES)) {
		if (!IS_ERR(pid))
			put_pid(pid);
		return -EINVAL;
	}
	task = find_get_task_by_pid(pid->nr);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	allowed = ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS);
	put_task_struct(task);
	return allowed ? enter_namespaces(types) : -EPERM;
}

/* Restricted: there is one namespace of each kind */
SYSCALL_DEFINE2(setns, int, fd, int, flags)
{
	unsigned long wanted = (unsigned)flags, type;
	struct fd f = fdget((unsigned)fd);

	if (!f.file)
		return -EBADF;
	type = ns_file_type(f.file);
	fdput(f);
	if (!type)
		return enter_those_of_process(fd, wanted);
	return wanted && wanted != type ? -EINVAL : enter_namespaces(type);
}
