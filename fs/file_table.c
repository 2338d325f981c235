/* Open files: allocation, references, release. */
#include "fs/file_owner.h"
#include "fs/internal.h"
#include "fs/syscalls.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"

static struct kmem_cache *filp_cachep;
static atomic_t nr_files;

static const struct file_operations empty_file_operations;

struct file *alloc_empty_file(unsigned flags)
{
	struct file *file = kmem_cache_alloc(filp_cachep, GFP_KERNEL | __GFP_ZERO);

	if (!file)
		return ERR_PTR(-ENOMEM);
	atomic_set(&file->f_count, 1);
	mutex_init(&file->f_pos_lock);
	file->f_flags = flags;
	file->f_mode = ((flags + 1) & O_ACCMODE) & (FMODE_READ | FMODE_WRITE);
	file->f_op = &empty_file_operations;
	atomic_inc(&nr_files);
	return file;
}

static void file_free(struct file *file)
{
	atomic_dec(&nr_files);
	kmem_cache_free(filp_cachep, file);
}

/* Counts the file in its owner. An open directory does not use the owner, and is not counted. */
static int open_owned(struct inode *inode, struct file *file)
{
	if (!inode->i_owner || S_ISDIR(inode->i_mode))
		return 0;
	if (!file_owner_open(inode->i_owner))
		return -ENODEV;
	file->f_mode |= FMODE_OWNED;
	return 0;
}

int vfs_open(const struct path *path, struct file *file)
{
	struct inode *inode = path->dentry->d_inode;
	int err;

	file->f_path = *path;
	path_get(path);
	file->f_inode = ihold(inode);
	if (inode->i_fop)
		file->f_op = inode->i_fop;
	if (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode))
		file->f_mode |= FMODE_ATOMIC_POS;
	err = open_owned(inode, file);
	if (!err && file->f_op->open)
		err = file->f_op->open(inode, file);
	if (err) /* fput() must not call release after an open that failed */
		file->f_op = &empty_file_operations;
	return err;
}

struct file *alloc_file(struct inode *inode, unsigned f_mode, unsigned f_flags,
			const struct file_operations *fops)
{
	struct file *file = alloc_empty_file(f_flags);

	if (IS_ERR(file))
		return file;
	file->f_inode = inode;
	file->f_mode = f_mode;
	file->f_op = fops;
	return file;
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
	if (file->f_op->release)
		file->f_op->release(file->f_inode, file);
	if (file->f_mode & FMODE_OWNED)
		file_owner_close(file->f_inode->i_owner);
	if (file->f_inode)
		iput(file->f_inode);
	if (file->f_path.dentry)
		path_put(&file->f_path);
	file_free(file);
}

int filp_close(struct file *file)
{
	fput(file);
	return 0;
}

unsigned nr_open_files(void)
{
	return (unsigned)atomic_read(&nr_files);
}

static int files_init(void)
{
	filp_cachep = kmem_cache_create("filp", sizeof(struct file), 64);
	return filp_cachep ? 0 : -ENOMEM;
}
core_initcall(files_init);
