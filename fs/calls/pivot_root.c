/* pivot_root(2): another mount becomes the root of the tree, and the old root goes below it. */
#include "fs/vfs/fs_struct.h"
#include "fs/calls/getname.h"
#include "fs/vfs/internal.h"
#include "fs/mount/mount.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/process/process.h"
#include "kernel/rcu/rcu.h"
#include "kernel/syscalls/syscalls.h"

static bool is_mounted_root(const struct path *path)
{
	return path->dentry == path->mnt->mnt_root && path->mnt->mnt_parent != path->mnt;
}

/* mount_mutex held. 0 or a negative errno. */
static int may_pivot(const struct path *root, const struct path *new, const struct path *put_old)
{
	if (!is_mounted_root(root))
		return -EINVAL;
	if (new->mnt == root->mnt || put_old->mnt == root->mnt)
		return -EBUSY;
	if (!is_mounted_root(new) || !path_is_under(put_old, new) || !path_is_under(new, root))
		return -EINVAL;
	return 0;
}

/* Exchanges the places. mount_mutex held. */
static void pivot(const struct path *root, const struct path *new, const struct path *put_old)
{
	struct path place = { .mnt = root->mnt->mnt_parent, .dentry = root->mnt->mnt_mountpoint };

	path_get(&place);
	mntget(new->mnt);
	(void)detach_mount(new->mnt, true);
	mntget(root->mnt);
	(void)detach_mount(root->mnt, true);
	attach_mount(root->mnt, put_old);
	attach_mount(new->mnt, &place);
	path_put(&place);
}

/* All tasks whose root or current directory is old have new instead. */
static void chroot_fs_refs(const struct path *old, const struct path *new)
{
	struct task_struct *p;
	unsigned left;

	static_branch_enable(&others_change_paths);
	synchronize_rcu_tasks(); /* no task is within a read without the lock any more */
	left = replace_task_paths(NULL, old, new);
	spin_lock(&tasklist_lock);
	for_each_task (p)
		left += replace_task_paths(p, old, new);
	spin_unlock(&tasklist_lock);
	while (left--)
		path_put(old);
}

static int do_pivot_root(const struct path *new, struct path *put_old)
{
	struct path root;
	int err;

	get_current_root(&root);
	mutex_lock(&mount_mutex);
	follow_mounts(put_old);
	err = may_pivot(&root, new, put_old);
	if (!err)
		pivot(&root, new, put_old);
	mutex_unlock(&mount_mutex);
	if (!err)
		chroot_fs_refs(&root, new);
	path_put(&root);
	return err;
}

SYSCALL_DEFINE2(pivot_root, const char __user *, new_root, const char __user *, put_old)
{
	struct path new, old;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = user_path_at(AT_FDCWD, new_root, 0, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &new);
	if (err)
		return err;
	err = user_path_at(AT_FDCWD, put_old, 0, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &old);
	if (!err) {
		err = do_pivot_root(&new, &old);
		path_put(&old);
	}
	path_put(&new);
	return err;
}
