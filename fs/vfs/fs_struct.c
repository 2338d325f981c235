/* The root, the current directory and the umask of tasks. See fs_struct.h. */
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "kernel/mm/slab.h"
#include "kernel/task/clone_flags.h"
#include "kernel/task/part.h"

struct fs_struct init_fs = {
	.users = ATOMIC_INIT(1),
	.lock = __SPINLOCK_INIT(init_fs.lock),
	.umask = 0022,
};

DEFINE_SPINLOCK(task_fs_lock);

/* On after the first pivot_root(2), which changes the paths of other tasks. */
DEFINE_STATIC_KEY_FALSE(others_change_paths);

/* Whether only the current task reads and writes its fs: it needs no lock to read. */
static __always_inline bool is_private(struct fs_struct *fs)
{
	return likely(atomic_read(&fs->users) == 1) &&
	       !static_branch_unlikely(&others_change_paths);
}

void init_fs_set_root(const struct path *root)
{
	init_fs.root = *root;
	init_fs.pwd = *root;
	path_get(root);
	path_get(root);
}

void fs_get_path(struct fs_struct *fs, const struct path *from, struct path *path)
{
	spin_lock(&fs->lock);
	*path = *from;
	path_get(path);
	spin_unlock(&fs->lock);
}

void get_current_root(struct path *path)
{
	struct fs_struct *fs = current_fs();

	if (is_private(fs)) {
		*path = fs->root;
		path_get(path);
		return;
	}
	fs_get_path(fs, &fs->root, path);
}

void get_current_pwd(struct path *path)
{
	struct fs_struct *fs = current_fs();

	if (is_private(fs)) {
		*path = fs->pwd;
		path_get(path);
		return;
	}
	fs_get_path(fs, &fs->pwd, path);
}

static struct fs_struct *copy_fs_struct(struct fs_struct *old)
{
	struct fs_struct *fs = kmalloc(sizeof(*fs), GFP_KERNEL);

	if (!fs)
		return NULL;
	atomic_set(&fs->users, 1);
	fs->in_exec = 0;
	spin_lock_init(&fs->lock);
	spin_lock(&old->lock);
	fs->umask = old->umask;
	fs->root = old->root;
	fs->pwd = old->pwd;
	path_get(&fs->root);
	path_get(&fs->pwd);
	spin_unlock(&old->lock);
	return fs;
}

static void put_fs_struct(struct fs_struct *fs)
{
	if (!atomic_dec_and_test(&fs->users))
		return;
	path_put(&fs->root);
	path_put(&fs->pwd);
	kfree(fs);
}

static void replace_current_fs(struct fs_struct *fs)
{
	struct fs_struct *old;

	spin_lock(&task_fs_lock);
	old = current->fs;
	current->fs = fs;
	spin_unlock(&task_fs_lock);
	if (old)
		put_fs_struct(old);
}

int unshare_fs_struct(void)
{
	struct fs_struct *fs;

	if (current->fs && atomic_read(&current->fs->users) == 1)
		return 0;
	fs = copy_fs_struct(current_fs());
	if (!fs)
		return -ENOMEM;
	replace_current_fs(fs);
	return 0;
}

struct fs_struct *writable_fs(void)
{
	if (!current->fs && unshare_fs_struct())
		return NULL;
	return current->fs;
}

static int set_path(struct fs_struct *fs, struct path *place, const struct path *path)
{
	struct path old;

	path_get(path);
	spin_lock(&fs->lock);
	old = *place;
	*place = *path;
	spin_unlock(&fs->lock);
	path_put(&old);
	return 0;
}

int set_current_root(const struct path *path)
{
	struct fs_struct *fs = writable_fs();

	return fs ? set_path(fs, &fs->root, path) : -ENOMEM;
}

int set_current_pwd(const struct path *path)
{
	struct fs_struct *fs = writable_fs();

	return fs ? set_path(fs, &fs->pwd, path) : -ENOMEM;
}

static int share_fs(struct task_struct *child, struct fs_struct *fs)
{
	bool in_exec;

	spin_lock(&fs->lock);
	in_exec = fs->in_exec;
	if (!in_exec)
		atomic_inc(&fs->users);
	spin_unlock(&fs->lock);
	if (in_exec)
		return -EAGAIN;
	child->fs = fs;
	return 0;
}

static int copy_fs(u64 clone_flags, struct task_struct *child)
{
	struct task_struct *parent = current;

	if (!parent->fs) {
		child->fs = NULL;
		return 0;
	}
	if (clone_flags & CLONE_FS)
		return share_fs(child, parent->fs);
	child->fs = copy_fs_struct(parent->fs);
	return child->fs ? 0 : -ENOMEM;
}

static void exit_fs(struct task_struct *task)
{
	struct fs_struct *fs;

	spin_lock(&task_fs_lock);
	fs = task->fs;
	task->fs = NULL;
	spin_unlock(&task_fs_lock);
	if (fs)
		put_fs_struct(fs);
}

static const struct task_part task_fs TASK_PART(task_fs) = {
	.copy = copy_fs,
	.exit = exit_fs,
};
