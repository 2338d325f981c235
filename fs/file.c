/*
 * The descriptors and the current directory of a task.
 *
 * A files_struct belongs to one task: kernel_clone() copies it before the child runs, and do_exit()
 * drops it. So a descriptor lookup needs no lock and takes no reference: no other task can close
 * the file.
 */
#include "fs/internal.h"
#include "fs/file.h"
#include "fs/syscalls.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

static void free_files(struct files_struct *files)
{
	for (unsigned fd = 0; fd < files->max_fds; fd++)
		if (files->fd[fd])
			filp_close(files->fd[fd]);
	if (files->fd != files->fd_array)
		kfree(files->fd);
	dput(files->cwd.dentry);
	kfree(files);
}

/*
 * Returns the current task's files_struct, or NULL when memory is short. A kernel thread gets one
 * at its first call.
 */
static struct files_struct *current_files(void)
{
	struct files_struct *files = current->files;

	if (likely(files))
		return files;
	files = kzalloc(sizeof(*files), GFP_KERNEL);
	if (!files)
		return NULL;
	files->fd = files->fd_array;
	files->max_fds = NR_OPEN_DEFAULT;
	root_path(&files->cwd);
	current->files = files;
	return files;
}

static int expand_files(struct files_struct *files, unsigned max_fds)
{
	struct file **fd;

	if (max_fds > NR_OPEN_MAX)
		return -EMFILE;
	fd = kcalloc(max_fds, sizeof(*fd), GFP_KERNEL);
	if (!fd)
		return -ENOMEM;
	memcpy(fd, files->fd, files->max_fds * sizeof(*fd));
	if (files->fd != files->fd_array)
		kfree(files->fd);
	files->fd = fd;
	files->max_fds = max_fds;
	return 0;
}

int fd_install_from(struct file *file, int from)
{
	struct files_struct *files = current_files();
	unsigned fd = (unsigned)from;
	int err;

	if (!files)
		return -ENOMEM;
	if (from < 0 || from >= NR_OPEN_MAX)
		return -EINVAL;
	for (;;) {
		for (; fd < files->max_fds; fd++) {
			if (files->fd[fd])
				continue;
			files->fd[fd] = file;
			files->open++;
			return (int)fd;
		}
		err = expand_files(files, files->max_fds * 2);
		if (err)
			return err;
	}
}

struct file *fget(int fd)
{
	struct file *file = fcheck(fd);

	return file ? get_file(file) : NULL;
}

long close_fd(int fd)
{
	struct files_struct *files = current->files;
	struct file *file = fcheck(fd);

	if (!file)
		return -EBADF;
	files->fd[fd] = NULL;
	files->open--;
	return filp_close(file);
}

SYSCALL_DEFINE1(close, unsigned int, fd)
{
	return close_fd((int)fd);
}

SYSCALL_DEFINE3(close_range, unsigned int, fd, unsigned int, max_fd, unsigned int, flags)
{
	struct files_struct *files = current->files;

	if (flags || max_fd < fd)
		return -EINVAL;
	for (; files && fd < files->max_fds && fd <= max_fd; fd++)
		close_fd((int)fd);
	return 0;
}

SYSCALL_DEFINE1(dup, unsigned int, fildes)
{
	struct file *file;
	int newfd;

	file = fget((int)fildes);
	if (!file)
		return -EBADF;
	newfd = fd_install_from(file, 0);
	if (newfd < 0)
		fput(file);
	return newfd;
}

SYSCALL_DEFINE2(dup2, unsigned int, oldfd, unsigned int, newfd)
{
	struct file *file = fcheck((int)oldfd);
	struct files_struct *files = current->files;
	int err;

	if (!file || newfd >= NR_OPEN_MAX)
		return -EBADF;
	if (newfd == oldfd)
		return newfd;
	while (newfd >= files->max_fds) {
		err = expand_files(files, files->max_fds * 2);
		if (err)
			return err;
	}
	if (files->fd[newfd])
		filp_close(files->fd[newfd]);
	else
		files->open++;
	files->fd[newfd] = get_file(file);
	return newfd;
}

unsigned files_count_open(void)
{
	struct files_struct *files = current->files;

	return files ? files->open : 0;
}

void current_cwd(struct path *path)
{
	struct files_struct *files = current->files;

	if (!files) {
		root_path(path);
		return;
	}
	*path = files->cwd;
	path_get(path);
}

int set_current_cwd(const struct path *path)
{
	struct files_struct *files = current_files();

	if (!files)
		return -ENOMEM;
	path_get(path);
	path_put(&files->cwd);
	files->cwd = *path;
	return 0;
}

static int copy_files(unsigned long clone_flags, struct task_struct *child,
		      struct task_struct *parent)
{
	struct files_struct *old = parent->files, *files;

	(void)clone_flags;
	child->files = NULL;
	if (!old)
		return 0;
	files = kzalloc(sizeof(*files), GFP_KERNEL);
	if (!files)
		return -ENOMEM;
	files->fd = files->fd_array;
	files->max_fds = NR_OPEN_DEFAULT;
	if (old->max_fds > NR_OPEN_DEFAULT) {
		files->max_fds = old->max_fds;
		files->fd = kcalloc(old->max_fds, sizeof(*files->fd), GFP_KERNEL);
		if (!files->fd) {
			kfree(files);
			return -ENOMEM;
		}
	}
	for (unsigned fd = 0; fd < old->max_fds; fd++)
		files->fd[fd] = old->fd[fd] ? get_file(old->fd[fd]) : NULL;
	files->open = old->open;
	files->cwd = old->cwd;
	path_get(&files->cwd);
	child->files = files;
	return 0;
}

static void exit_files(struct task_struct *task)
{
	struct files_struct *files = task->files;

	task->files = NULL;
	if (files)
		free_files(files);
}

static const struct task_fs_hooks files_hooks = { .copy = copy_files, .exit = exit_files };

static int files_hooks_init(void)
{
	task_set_fs_hooks(&files_hooks);
	return 0;
}
core_initcall(files_hooks_init);
