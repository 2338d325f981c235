/*
 * ramfs: the root file system, in memory.
 *
 * A file's pages are the leaves of a tree of tables of 512 pointers. The tree is as high as the
 * file needs: no table for a file of one page, TABLE_LEVELS levels for 512 GiB. Missing pages are
 * holes. All files together may use half of the memory, as in Linux's tmpfs; then writes return
 * -ENOSPC.
 */
#include "fs/internal.h"
#include "fs/filesystems.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/time/ktime.h"

#define TABLE_BITS      9
#define TABLE_SIZE      (1U << TABLE_BITS)
#define TABLE_LEVELS    3
#define RAMFS_MAX_BYTES ((loff_t)PAGE_SIZE << (TABLE_BITS * TABLE_LEVELS))

/* inode.i_private of a regular file. [M] inode->i_mutex. */
struct ramfs_data {
	void *root;      /* [M] the only page, or the top table, or NULL */
	unsigned height; /* [M] levels of tables */
};

static atomic64_t pages_used; /* data pages and table pages of all files */
static s64 pages_max;         /* constant after the mount */

static const struct inode_operations ramfs_dir_inode_operations;
static const struct inode_operations ramfs_file_inode_operations;
static const struct file_operations ramfs_file_operations;

static void *ramfs_alloc_page(void)
{
	void *page;

	if (atomic64_inc_return(&pages_used) > pages_max) {
		atomic64_dec(&pages_used);
		return NULL;
	}
	page = get_free_page(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!page)
		atomic64_dec(&pages_used);
	return page;
}

static void ramfs_free_page(void *page)
{
	free_page(page);
	atomic64_dec(&pages_used);
}

/* Adds tables above the root until the tree covers index. Returns false when memory is short. */
static bool ramfs_grow(struct ramfs_data *data, u64 index)
{
	while (index >> (TABLE_BITS * data->height)) {
		if (data->root) {
			void **table = ramfs_alloc_page();

			if (!table)
				return false;
			table[0] = data->root;
			data->root = table;
		}
		data->height++;
	}
	return true;
}

/*
 * Returns the file's page at index. A missing page is allocated if alloc is set. NULL: a hole, or
 * no memory. i_mutex is held.
 */
static char *ramfs_page(struct inode *inode, u64 index, bool alloc)
{
	struct ramfs_data *data = inode->i_private;
	void **slot = &data->root;

	if (alloc ? !ramfs_grow(data, index) : index >> (TABLE_BITS * data->height))
		return NULL;
	for (unsigned level = data->height;; level--) {
		if (!*slot) {
			*slot = alloc ? ramfs_alloc_page() : NULL;
			if (!*slot)
				return NULL;
			if (level == 0)
				inode->i_blocks += PAGE_SIZE / 512;
		}
		if (level == 0)
			return *slot;
		slot = (void **)*slot + (index >> (TABLE_BITS * (level - 1))) % TABLE_SIZE;
	}
}

/* Frees the pages below *slot from index on. The recursion is at most TABLE_LEVELS deep. */
static void ramfs_free_from(struct inode *inode, void **slot, unsigned level, u64 index)
{
	if (!*slot)
		return;
	if (level == 0) {
		inode->i_blocks -= PAGE_SIZE / 512;
	} else {
		u64 span = 1ULL << (TABLE_BITS * (level - 1)); /* pages below one entry */
		void **table = *slot;

		for (u64 i = index / span; i < TABLE_SIZE; i++)
			if (table[i])
				ramfs_free_from(inode, &table[i], level - 1,
						i == index / span ? index % span : 0);
	}
	if (index)
		return; /* the table is needed for the pages before index */
	ramfs_free_page(*slot);
	*slot = NULL;
}

static void ramfs_free_pages(struct inode *inode, u64 index)
{
	struct ramfs_data *data = inode->i_private;

	if (index >> (TABLE_BITS * data->height))
		return;
	ramfs_free_from(inode, &data->root, data->height, index);
	if (!data->root)
		data->height = 0;
}

static int ramfs_truncate(struct inode *inode, loff_t length)
{
	if (length > RAMFS_MAX_BYTES)
		return -EFBIG;
	if (length < inode->i_size) {
		u64 tail = (u64)length % PAGE_SIZE;
		char *page = tail ? ramfs_page(inode, (u64)length / PAGE_SIZE, false) : NULL;

		ramfs_free_pages(inode, DIV_ROUND_UP((u64)length, PAGE_SIZE));
		if (page) /* the bytes must be zero if the file grows again */
			memset(page + tail, 0, PAGE_SIZE - tail);
	}
	inode->i_size = length;
	return 0;
}

static ssize_t ramfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct inode *inode = file->f_inode;
	size_t done = 0;

	mutex_lock(&inode->i_mutex);
	if (*pos >= inode->i_size)
		count = 0;
	else
		count = min(count, (size_t)(inode->i_size - *pos));
	while (done < count) {
		u64 offset = (u64)*pos % PAGE_SIZE;
		size_t n = min(count - done, (size_t)(PAGE_SIZE - offset));
		char *page = ramfs_page(inode, (u64)*pos / PAGE_SIZE, false);

		if (page)
			memcpy(buf + done, page + offset, n);
		else
			memset(buf + done, 0, n);
		done += n;
		*pos += (loff_t)n;
	}
	inode->i_atime = ktime_get();
	mutex_unlock(&inode->i_mutex);
	return (ssize_t)done;
}

static ssize_t ramfs_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct inode *inode = file->f_inode;
	size_t done = 0;
	int err = 0;

	if (!count)
		return 0;
	mutex_lock(&inode->i_mutex);
	if (file->f_flags & O_APPEND)
		*pos = inode->i_size;
	while (done < count) {
		u64 offset = (u64)*pos % PAGE_SIZE;
		size_t n = min(count - done, (size_t)(PAGE_SIZE - offset));
		char *page;

		err = *pos >= RAMFS_MAX_BYTES ? -EFBIG : 0;
		page = err ? NULL : ramfs_page(inode, (u64)*pos / PAGE_SIZE, true);
		if (!page) {
			err = err ? err : -ENOSPC;
			break;
		}
		memcpy(page + offset, buf + done, n);
		done += n;
		*pos += (loff_t)n;
		inode->i_size = max(inode->i_size, *pos);
	}
	inode->i_mtime = inode->i_ctime = ktime_get();
	mutex_unlock(&inode->i_mutex);
	return done ? (ssize_t)done : err;
}

static struct inode *ramfs_new_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb, mode);

	if (!inode)
		return NULL;
	if (S_ISDIR(mode)) {
		inode->i_op = &ramfs_dir_inode_operations;
		inode->i_fop = &simple_dir_operations;
		inode->i_nlink = 2;
	} else if (S_ISREG(mode)) {
		inode->i_op = &ramfs_file_inode_operations;
		inode->i_fop = &ramfs_file_operations;
		inode->i_private = kzalloc(sizeof(struct ramfs_data), GFP_KERNEL);
		if (!inode->i_private) {
			iput(inode);
			return NULL;
		}
	} else {
		inode->i_op = &simple_symlink_inode_operations;
	}
	return inode;
}

static int ramfs_add(struct dentry *dentry, struct inode *inode)
{
	int err = d_add_pinned(dentry, inode);

	if (err) {
		dentry->d_inode = NULL;
		iput(inode);
	}
	return err;
}

static int ramfs_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	struct inode *inode = ramfs_new_inode(dir->i_sb, mode);

	return inode ? ramfs_add(dentry, inode) : -ENOMEM;
}

static int ramfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = ramfs_create(dir, dentry, mode);

	if (!err)
		dir->i_nlink++;
	return err;
}

static int ramfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	struct inode *inode = ramfs_new_inode(dir->i_sb, S_IFLNK | S_IRWXUGO);

	if (!inode)
		return -ENOMEM;
	inode->i_link = kstrdup(target, GFP_KERNEL);
	if (!inode->i_link) {
		iput(inode);
		return -ENOMEM;
	}
	inode->i_size = (loff_t)strlen(target);
	return ramfs_add(dentry, inode);
}

static void ramfs_evict_inode(struct inode *inode)
{
	if (!inode->i_private)
		return;
	ramfs_free_pages(inode, 0);
	kfree(inode->i_private);
}

static const struct file_operations ramfs_file_operations = {
	.read = ramfs_read,
	.write = ramfs_write,
	.llseek = generic_file_llseek,
};

static const struct inode_operations ramfs_file_inode_operations = {
	.truncate = ramfs_truncate,
};

static const struct inode_operations ramfs_dir_inode_operations = {
	.create = ramfs_create,
	.mkdir = ramfs_mkdir,
	.symlink = ramfs_symlink,
	.unlink = simple_unlink,
	.rmdir = simple_rmdir,
};

static const struct super_operations ramfs_super_operations = {
	.evict_inode = ramfs_evict_inode,
};

static int ramfs_fill_super(struct super_block *sb)
{
	struct meminfo info;
	struct inode *inode;

	si_meminfo(&info);
	pages_max = (s64)(info.total / PAGE_SIZE / 2);
	sb->s_op = &ramfs_super_operations;
	inode = ramfs_new_inode(sb, S_IFDIR | 0755);
	if (!inode)
		return -ENOMEM;
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}

struct file_system_type ramfs_type = {
	.name = "ramfs",
	.nodev = true,
	.fill_super = ramfs_fill_super,
};

u64 ramfs_bytes(void)
{
	return (u64)atomic64_read(&pages_used) * PAGE_SIZE;
}
