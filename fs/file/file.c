/*
 * The descriptors of a task. See file.h.
 *
 * All changes are made with the lock of the table. Tasks that share a table look up descriptors
 * with the lock, too, and count the file. A task with a table of its own does neither.
 */
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/syscalls.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/clone_flags.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/part.h"

#define BITS 64U

/* Guards task->files of other tasks, which may end. */
static DEFINE_SPINLOCK(task_files_lock);

static inline bool test_fd_bit(const unsigned long *set, unsigned fd)
{
	return set[fd / BITS] >> fd % BITS & 1;
}
static inline void set_fd_bit(unsigned long *set, unsigned fd)
{
	set[fd / BITS] |= 1UL << fd % BITS;
}
static inline void clear_fd_bit(unsigned long *set, unsigned fd)
{
	set[fd / BITS] &= ~(1UL << fd % BITS);
}

/* The lock is held. */
static void assign_close_on_exec(struct files_struct *files, unsigned fd, bool on)
{
	if (on)
		set_fd_bit(files->close_on_exec, fd);
	else
		clear_fd_bit(files->close_on_exec, fd);
}

/* ---- tables ---- */

static struct files_struct *alloc_files(void)
{
	struct files_struct *files = kzalloc(sizeof(*files), GFP_KERNEL);

	if (!files)
		return NULL;
	files->fd = files->fd_array;
	files->open_fds = &files->open_fds_init;
	files->close_on_exec = &files->close_on_exec_init;
	files->max_fds = files->light_max = NR_OPEN_DEFAULT;
	atomic_set(&files->users, 1);
	spin_lock_init(&files->lock);
	return files;
}

/* Frees the arrays of a table that has grown. */
static void free_arrays(struct file **fd)
{
	kfree(fd);
}

/* One allocation holds the three arrays. */
static struct file **alloc_arrays(unsigned max_fds)
{
	return kzalloc(max_fds * sizeof(struct file *) + max_fds / BITS * 2 * sizeof(unsigned long),
		       GFP_KERNEL);
}

/* Moves the table into larger arrays. Returns the old ones, which the caller frees if not NULL. */
static struct file **use_arrays(struct files_struct *files, struct file **fd, unsigned max_fds)
{
	struct file **old = files->fd != files->fd_array ? files->fd : NULL;
	unsigned long *open_fds = (unsigned long *)(fd + max_fds);
	unsigned long *close_on_exec = open_fds + max_fds / BITS;

	memcpy(fd, files->fd, files->max_fds * sizeof(*fd));
	memcpy(open_fds, files->open_fds, files->max_fds / 8);
	memcpy(close_on_exec, files->close_on_exec, files->max_fds / 8);
	files->fd = fd;
	files->open_fds = open_fds;
	files->close_on_exec = close_on_exec;
	files->max_fds = max_fds;
	if (files->light_max)
		files->light_max = max_fds;
	return old;
}

/* Makes room for fd. Releases the lock while it allocates. 0, -EMFILE or -ENOMEM. */
static int expand_files(struct files_struct *files, unsigned fd)
{
	unsigned max_fds = NR_OPEN_DEFAULT;
	struct file **new, **unused;

	if (fd >= NR_OPEN_MAX)
		return -EMFILE;
	while (max_fds <= fd)
		max_fds *= 2;
	spin_unlock(&files->lock);
	new = alloc_arrays(max_fds);
	spin_lock(&files->lock);
	if (!new)
		return -ENOMEM;
	unused = fd >= files->max_fds ? use_arrays(files, new, max_fds) : new;
	/* Another task that shares the table may have enlarged it during the allocation. */
	free_arrays(unused);
	return 0;
}

/* Not inlined: traces show the function under Linux's name. */
noinline int filp_close(struct file *filp, void *owner)
{
	if (owner)
		locks_remove_posix(filp, owner);
	fput(filp);
	return 0;
}

static void free_files(struct files_struct *files)
{
	for (unsigned fd = 0; fd < files->max_fds; fd++)
		if (files->fd[fd])
			filp_close(files->fd[fd], files);
	if (files->fd != files->fd_array)
		free_arrays(files->fd);
	kfree(files);
}

/* Drops a reference. The table of the last task that remains gets its cheap lookup back. */
static void put_files(struct files_struct *files)
{
	int users;

	spin_lock(&files->lock);
	users = atomic_sub_return(1, &files->users);
	if (users == 1)
		files->light_max = files->max_fds;
	spin_unlock(&files->lock);
	if (!users)
		free_files(files);
}

/* Adds a task that uses the table. */
static void share_files(struct files_struct *files)
{
	spin_lock(&files->lock);
	atomic_inc(&files->users);
	files->light_max = 0;
	spin_unlock(&files->lock);
}

/* The table of another task, which stays until put_files(); or NULL. */
static struct files_struct *get_task_files(struct task_struct *task)
{
	struct files_struct *files;

	spin_lock(&task_files_lock);
	files = task->files;
	/* A reader closes nothing: the task keeps its cheap lookup. */
	if (files)
		atomic_inc(&files->users);
	spin_unlock(&task_files_lock);
	return files;
}

static void set_task_files(struct task_struct *task, struct files_struct *files)
{
	struct files_struct *old;

	spin_lock(&task_files_lock);
	old = task->files;
	task->files = files;
	spin_unlock(&task_files_lock);
	if (old)
		put_files(old);
}

/* Returns the current task's table, or NULL when memory is short. A kernel thread gets one now. */
static struct files_struct *current_files(void)
{
	struct files_struct *files = current->files;

	if (likely(files))
		return files;
	files = alloc_files();
	if (files)
		set_task_files(current, files);
	return files;
}

/* A copy of a table, with the same files. */
static struct files_struct *dup_files(struct files_struct *old)
{
	struct files_struct *files = alloc_files();

	if (!files)
		return NULL;
	spin_lock(&old->lock);
	while (files->max_fds < old->max_fds) {
		unsigned max_fds = old->max_fds;
		struct file **fd;

		spin_unlock(&old->lock);
		fd = alloc_arrays(max_fds);
		if (!fd) {
			free_files(files);
			return NULL;
		}
		free_arrays(use_arrays(files, fd, max_fds));
		spin_lock(&old->lock);
	}
	memcpy(files->open_fds, old->open_fds, old->max_fds / 8);
	memcpy(files->close_on_exec, old->close_on_exec, old->max_fds / 8);
	for (unsigned fd = 0; fd < old->max_fds; fd++) {
		if (old->fd[fd])
			files->fd[fd] = get_file(old->fd[fd]);
		else /* reserved by another thread, or free */
			clear_fd_bit(files->open_fds, fd);
	}
	files->open = old->open;
	spin_unlock(&old->lock);
	return files;
}

/* ---- lookups ---- */

struct fd fdget_shared(unsigned fd)
{
	struct file *file = fget_raw(fd);

	return (struct fd){ .file = file, .counted = file };
}

static struct file *fget_files(struct files_struct *files, unsigned fd)
{
	struct file *file = NULL;

	spin_lock(&files->lock);
	if (fd < files->max_fds && files->fd[fd])
		file = get_file(files->fd[fd]);
	spin_unlock(&files->lock);
	return file;
}

struct file *fget_raw(unsigned fd)
{
	return current->files ? fget_files(current->files, fd) : NULL;
}

struct file *fget(unsigned fd)
{
	struct file *file = fget_raw(fd);

	if (file && (file->f_mode & FMODE_PATH)) {
		fput(file);
		return NULL;
	}
	return file;
}

struct file *fget_task(struct task_struct *task, unsigned fd)
{
	struct files_struct *files = get_task_files(task);
	struct file *file = NULL;

	if (files) {
		file = fget_files(files, fd);
		put_files(files);
	}
	return file;
}

struct file *fget_task_next(struct task_struct *task, unsigned *fd)
{
	struct files_struct *files = get_task_files(task);
	struct file *file = NULL;

	if (!files)
		return NULL;
	spin_lock(&files->lock);
	for (; *fd < files->max_fds; (*fd)++) {
		if (files->fd[*fd]) {
			file = get_file(files->fd[*fd]);
			break;
		}
	}
	spin_unlock(&files->lock);
	put_files(files);
	return file;
}

#define FILE_COST 1024 /* bytes: a file, its name and its inode */

size_t file_memory(struct file *file)
{
	size_t bytes = FILE_COST + (size_t)atomic_read(&file->f_nr_locks) * FILE_LOCK_COST;

	if (file->f_op->memory)
		bytes += file->f_op->memory(file);
	return bytes / (unsigned)max(atomic_read(&file->f_count), 1);
}

unsigned long task_file_pages(struct task_struct *task)
{
	struct files_struct *files;
	unsigned fd = 0, end = 0;
	size_t bytes = 0;

	do {
		spin_lock(&task_files_lock); /* keeps the table */
		files = task->files;
		if (files) {
			spin_lock(&files->lock);
			if (!fd)
				bytes = (size_t)atomic_read(&files->nr_locks) * FILE_LOCK_COST;
			for (end = fd + 16; fd < min(end, files->max_fds); fd++)
				if (files->fd[fd])
					bytes += file_memory(files->fd[fd]);
			spin_unlock(&files->lock);
		}
		spin_unlock(&task_files_lock);
	} while (files && fd == end);
	return bytes / PAGE_SIZE;
}

bool task_close_on_exec(struct task_struct *task, unsigned fd)
{
	struct files_struct *files = get_task_files(task);
	bool set = false;

	if (!files)
		return false;
	spin_lock(&files->lock);
	set = fd < files->max_fds && test_fd_bit(files->close_on_exec, fd);
	spin_unlock(&files->lock);
	put_files(files);
	return set;
}

unsigned task_fd_size(struct task_struct *task)
{
	struct files_struct *files = get_task_files(task);
	unsigned size;

	if (!files)
		return 0;
	size = READ_ONCE(files->max_fds);
	put_files(files);
	return size;
}

/* ---- descriptors ---- */

/* The lowest descriptor at or above `from` that is not in use; may be max_fds. The lock is held. */
static unsigned find_next_fd(const struct files_struct *files, unsigned from)
{
	unsigned fd = max(from, files->next_fd);

	while (fd < files->max_fds) {
		unsigned long free = ~files->open_fds[fd / BITS] >> fd % BITS;

		if (free)
			return fd + (unsigned)__builtin_ctzl(free);
		fd = ALIGN(fd + 1, BITS);
	}
	return max(fd, from);
}

/* Reserves a descriptor in [from, end). */
static int alloc_fd(unsigned from, unsigned end, unsigned flags)
{
	struct files_struct *files = current_files();
	unsigned fd;
	int err;

	if (!files)
		return -ENOMEM;
	spin_lock(&files->lock);
	for (;;) {
		fd = find_next_fd(files, from);
		err = fd >= end ? -EMFILE : 0;
		if (err || fd < files->max_fds)
			break;
		err = expand_files(files, fd);
		if (err)
			break;
	}
	if (!err) {
		set_fd_bit(files->open_fds, fd);
		assign_close_on_exec(files, fd, flags & O_CLOEXEC);
		if (from <= files->next_fd)
			files->next_fd = fd + 1;
		files->open++;
	}
	spin_unlock(&files->lock);
	return err ? err : (int)fd;
}

/* The first number that cannot be a descriptor. */
static unsigned fd_limit(void)
{
	return (unsigned)min(rlimit(RLIMIT_NOFILE), (unsigned long)NR_OPEN_MAX);
}

int get_unused_fd_flags(unsigned flags)
{
	return alloc_fd(0, fd_limit(), flags);
}

int get_unused_fd_from(unsigned from, unsigned flags)
{
	return from >= fd_limit() ? -EINVAL : alloc_fd(from, fd_limit(), flags);
}

/* The lock is held. */
static void free_fd(struct files_struct *files, unsigned fd)
{
	clear_fd_bit(files->open_fds, fd);
	files->open--;
	files->next_fd = min(files->next_fd, fd);
}

void put_unused_fd(unsigned fd)
{
	struct files_struct *files = current->files;

	spin_lock(&files->lock);
	free_fd(files, fd);
	spin_unlock(&files->lock);
}

void fd_install(unsigned fd, struct file *file)
{
	struct files_struct *files = current->files;

	spin_lock(&files->lock);
	files->fd[fd] = file;
	spin_unlock(&files->lock);
}

/* Takes the file out of the table. NULL: not open. The lock is held. */
static struct file *take_fd(struct files_struct *files, unsigned fd)
{
	struct file *file = fd < files->max_fds ? files->fd[fd] : NULL;

	if (!file)
		return NULL;
	files->fd[fd] = NULL;
	free_fd(files, fd);
	return file;
}

long close_fd(unsigned fd)
{
	struct files_struct *files = current->files;
	struct file *file;

	if (!files)
		return -EBADF;
	spin_lock(&files->lock);
	file = take_fd(files, fd);
	spin_unlock(&files->lock);
	return file ? filp_close(file, files) : -EBADF;
}

unsigned files_count_open(void)
{
	struct files_struct *files = current->files;

	return files ? files->open : 0;
}

long replace_fd(unsigned newfd, struct file *file, unsigned flags)
{
	struct files_struct *files = current_files();
	struct file *old;
	int err = 0;

	if (!files)
		return -ENOMEM;
	if (newfd >= fd_limit())
		return -EBADF;
	spin_lock(&files->lock);
	while (newfd >= files->max_fds && !err)
		err = expand_files(files, newfd);
	if (!err && !files->fd[newfd] && test_fd_bit(files->open_fds, newfd))
		err = -EBUSY; /* another thread has reserved it, and opens a file now */
	if (err) {
		spin_unlock(&files->lock);
		return err;
	}
	old = files->fd[newfd];
	files->fd[newfd] = get_file(file);
	if (!old) {
		set_fd_bit(files->open_fds, newfd);
		files->open++;
	}
	assign_close_on_exec(files, newfd, flags & O_CLOEXEC);
	spin_unlock(&files->lock);
	if (old)
		filp_close(old, files);
	return newfd;
}

void set_close_on_exec(unsigned fd, bool on)
{
	struct files_struct *files = current->files;

	spin_lock(&files->lock);
	if (fd < files->max_fds && test_fd_bit(files->open_fds, fd))
		assign_close_on_exec(files, fd, on);
	spin_unlock(&files->lock);
}

bool get_close_on_exec(unsigned fd)
{
	struct files_struct *files = current->files;
	bool set;

	spin_lock(&files->lock);
	set = fd < files->max_fds && test_fd_bit(files->close_on_exec, fd);
	spin_unlock(&files->lock);
	return set;
}

/* ---- tasks ---- */

int unshare_files(void)
{
	struct files_struct *files = current->files, *copy;

	if (!files || files->light_max)
		return 0;
	copy = dup_files(files);
	if (!copy)
		return -ENOMEM;
	set_task_files(current, copy);
	return 0;
}

void do_close_on_exec(void)
{
	struct files_struct *files = current->files;

	if (!files)
		return;
	for (unsigned fd = 0; fd < files->max_fds; fd++) {
		unsigned long word = files->close_on_exec[fd / BITS];

		if (!word)
			fd |= BITS - 1; /* nothing to close in the whole word */
		else if (word >> fd % BITS & 1)
			close_fd(fd);
	}
	memset(files->close_on_exec, 0, files->max_fds / 8);
}

static int copy_task_files(u64 clone_flags, struct task_struct *child)
{
	struct files_struct *old = current->files;

	child->files = NULL;
	if (old && (clone_flags & CLONE_FILES)) {
		share_files(old);
		child->files = old;
	} else if (old) {
		child->files = dup_files(old);
		if (!child->files)
			return -ENOMEM;
	}
	return 0;
}

static void exit_task_files(struct task_struct *task)
{
	set_task_files(task, NULL);
}

static const struct task_part task_files TASK_PART(task_files) = {
	.copy = copy_task_files,
	.exit = exit_task_files,
};

static int descriptors_init(void)
{
	vfs_hooks.fdget_shared = fdget_shared;
	return 0;
}
core_initcall(descriptors_init);
