/* The paths of other tasks: to show them, and for pivot_root(2) to change them. See fs_struct.h. */
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"

bool get_task_root(struct task_struct *task, struct path *path)
{
	struct fs_struct *fs;

	spin_lock(&task_fs_lock);
	fs = task->fs ? task->fs : task->flags & PF_KTHREAD ? &init_fs : NULL;
	if (fs)
		fs_get_path(fs, &fs->root, path);
	spin_unlock(&task_fs_lock);
	return fs;
}

bool get_task_pwd(struct task_struct *task, struct path *path)
{
	struct fs_struct *fs;

	spin_lock(&task_fs_lock);
	fs = task->fs ? task->fs : task->flags & PF_KTHREAD ? &init_fs : NULL;
	if (fs)
		fs_get_path(fs, &fs->pwd, path);
	spin_unlock(&task_fs_lock);
	return fs;
}

umode_t get_task_umask(struct task_struct *task)
{
	umode_t umask;

	spin_lock(&task_fs_lock);
	umask = task->fs ? task->fs->umask : init_fs.umask;
	spin_unlock(&task_fs_lock);
	return umask;
}

/* Replaces *place by new, if it is old. True: the reference on old is the caller's. F held. */
static bool replace_path(struct path *place, const struct path *old, const struct path *new)
{
	if (place->mnt != old->mnt || place->dentry != old->dentry)
		return false;
	path_get(new);
	*place = *new;
	return true;
}

/* Returns how many references on old are left over. */
static unsigned replace_in_fs(struct fs_struct *fs, const struct path *old, const struct path *new)
{
	unsigned n;

	spin_lock(&fs->lock);
	n = replace_path(&fs->root, old, new);
	n += replace_path(&fs->pwd, old, new);
	spin_unlock(&fs->lock);
	return n;
}

unsigned replace_task_paths(struct task_struct *task, const struct path *old,
			    const struct path *new)
{
	struct fs_struct *fs;
	unsigned left = 0;

	spin_lock(&task_fs_lock);
	fs = task ? task->fs : &init_fs;
	if (fs)
		left = replace_in_fs(fs, old, new);
	spin_unlock(&task_fs_lock);
	return left;
}
