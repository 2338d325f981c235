/* Open files: allocation, references, release. */
#include "fs/file/file_owner.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/fsnotify.h"
#include "fs/vfs/open.h"
#include "fs/vfs/permission.h"
#include "fs/vfs/syscalls.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"

static struct kmem_cache *filp_cachep;
static atomic_t nr_files;
unsigned long max_files;

static const struct file_operations empty_file_operations;

/*
 * Counts a file. False: there are fs.file-max files already. Root may have more, to find the fault.
 */
static bool count_file(void)
{
	static int most; /* the message comes once for each new height, so nobody floods the log */
	int count = atomic_inc_return(&nr_files);

	if (likely((unsigned long)count <= READ_ONCE(max_files)) || capable(CAP_SYS_ADMIN))
		return true;
	atomic_dec(&nr_files);
	if (count > READ_ONCE(most)) {
		WRITE_ONCE(most, count);
		pr_info("VFS: file-max limit %lu reached\n", READ_ONCE(max_files));
	}
	return false;
}

struct file *alloc_empty_file(unsigned flags)
{
	struct file *file;

	if (!count_file())
		return ERR_PTR(-ENFILE);
	file = kmem_cache_alloc(filp_cachep, GFP_KERNEL | __GFP_ZERO);
	if (!file) {
		atomic_dec(&nr_files);
		return ERR_PTR(-ENOMEM);
	}
	atomic_set(&file->f_count, 1);
	mutex_init(&file->f_pos_lock);
	file->f_flags = flags;
	if (flags & O_PATH)
		file->f_mode = FMODE_PATH;
	else
		file->f_mode = ((flags + 1) & O_ACCMODE) & (FMODE_READ | FMODE_WRITE);
	file->f_op = &empty_file_operations;
	return file;
}

static void file_free(struct file *file)
{
	if (unlikely(file->f_owner != NULL))
		vfs_hooks.f_owner_free(file->f_owner);
	atomic_dec(&nr_files);
	kmem_cache_free(filp_cachep, file);
}

int get_write_access(struct inode *inode)
{
	int count = atomic_read(&inode->i_writecount);

	while (count >= 0) {
		int seen = atomic_cmpxchg(&inode->i_writecount, count, count + 1);

		if (seen == count)
			return 0;
		count = seen;
	}
	return -ETXTBSY;
}

void put_write_access(struct inode *inode)
{
	atomic_dec(&inode->i_writecount);
}

/* Counts the file in its owner. An open directory does not use the owner, and is not counted. */
static bool open_owned(struct inode *inode, struct file *file)
{
	if (!inode->i_owner || S_ISDIR(inode->i_mode))
		return true;
	if (!file_owner_open(inode->i_owner))
		return false;
	file->f_mode |= FMODE_OWNED;
	return true;
}

/*
 * Gives file the operations of the inode, and keeps the module that has them, and the owner. False:
 * one of them is going. Under RCU, because a removed file of a module loses its operations before
 * the grace period that precedes the end of the module.
 */
static bool get_operations(struct inode *inode, struct file *file)
{
	const struct file_operations *fops;
	bool alive = true;

	rcu_read_lock();
	fops = READ_ONCE(inode->i_fop);
	if (fops) {
		alive = try_module_get(fops->owner);
		if (alive && !open_owned(inode, file)) {
			module_put(fops->owner);
			alive = false;
		}
	}
	if (alive && fops)
		file->f_op = fops;
	rcu_read_unlock();
	return alive;
}

int vfs_open(const struct path *path, struct file *file)
{
	struct inode *inode = path->dentry->d_inode;
	int err = 0;

	file->f_path = *path;
	path_get(path);
	file->f_inode = ihold(inode);
	if (file->f_mode & FMODE_PATH)
		return 0;
	if ((file->f_mode & FMODE_WRITE) && S_ISREG(inode->i_mode)) {
		err = get_write_access(inode);
		if (err)
			return err;
		file->f_mode |= FMODE_WRITER;
	}
	if (!get_operations(inode, file))
		return -ENODEV;
	if (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode))
		file->f_mode |= FMODE_ATOMIC_POS;
	if (file->f_op->open)
		err = file->f_op->open(inode, file);
	if (err) { /* fput() must not call release after an open that failed */
		module_put(file->f_op->owner);
		file->f_op = &empty_file_operations;
	}
	return err;
}

struct file *dentry_open(const struct path *path, unsigned flags)
{
	struct file *file = alloc_empty_file(flags);
	int err = IS_ERR(file) ? 0 : vfs_open(path, file);

	if (!err)
		return file;
	fput(file);
	return ERR_PTR(err);
}

struct file *get_file(struct file *file)
{
	atomic_inc(&file->f_count);
	return file;
}

void fput(struct file *file)
{
	if (!atomic_dec_and_test(&file->f_count))
		return;
	eventpoll_release(file);
	if (file->f_mode & FMODE_OPENED)
		fsnotify_file(file, file->f_mode & FMODE_WRITE ? IN_CLOSE_WRITE : IN_CLOSE_NOWRITE);
	if (file->f_inode)
		locks_remove_file(file);
	if (unlikely(file->f_flags & O_ASYNC) && file->f_op->fasync)
		file->f_op->fasync(-1, file, false);
	if (file->f_op->release)
		file->f_op->release(file->f_inode, file);
	module_put(file->f_op->owner);
	if (file->f_mode & FMODE_OWNED)
		file_owner_close(file->f_inode->i_owner);
	if (file->f_mode & FMODE_WRITER)
		put_write_access(file->f_inode);
	if (file->f_inode)
		iput(file->f_inode);
	if (file->f_path.dentry)
		path_put(&file->f_path);
	file_free(file);
}

unsigned nr_open_files(void)
{
	return (unsigned)atomic_read(&nr_files);
}

/*
 * A file and what belongs to it take about 1 KiB, so all files use at most a tenth of the memory.
 */
static unsigned long default_max_files(void)
{
	struct meminfo info;

	si_meminfo(&info);
	return max(info.total / 1024 / 10, (u64)8192);
}

static int files_init(void)
{
	max_files = default_max_files();
	filp_cachep = kmem_cache_create("filp", sizeof(struct file), 64);
	return filp_cachep ? 0 : -ENOMEM;
}
core_initcall(files_init);
