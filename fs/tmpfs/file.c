/*
 * Regular files of tmpfs: their pages are in the page cache only. A page is made when its first
 * byte is written, or when a program touches it through a shared or private mapping. Missing pages
 * read as zeros.
 */
#include "fs/vfs/hooks.h"
#include "fs/vfs/internal.h"
#include "fs/tmpfs/tmpfs.h"
#include "fs/file/uio.h"
#include "kernel/lib/string.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/signal.h"
#include "kernel/task/program.h"

#define TMPFS_MAX_BYTES ((loff_t)(PAGE_CACHE_MAX_PAGES * PAGE_SIZE))

static void uncharge_pages(struct super_block *sb, u64 count)
{
	atomic64_sub((s64)count, &tmpfs_sb(sb)->used_blocks);
	count_shmem_pages(-(s64)count);
}

noinline struct page *tmpfs_make_page(struct inode *inode, u64 index)
{
	struct tmpfs_sb_info *info = tmpfs_sb(inode->i_sb);
	struct address_space *mapping = inode->i_mapping;
	struct page *page;
	int err;

	/*
	 * Tables are no blocks, so that as many bytes fit as on Linux. But sparse files may need
	 * more tables than pages: half as many tables as blocks is enough for files of two pages.
	 * The page may need some more; so the limit is passed by a few for each task that adds one.
	 */
	if (info->max_blocks && atomic64_read(&info->used_tables) > info->max_blocks / 2)
		return ERR_PTR(-ENOSPC);
	if (!tmpfs_charge(&info->used_blocks, info->max_blocks))
		return ERR_PTR(-ENOSPC);
	count_shmem_pages(1);
	page = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);
	if (!page) {
		uncharge_pages(inode->i_sb, 1);
		return ERR_PTR(-ENOMEM);
	}
	err = add_to_page_cache(mapping, page, index);
	if (!err)
		return page;
	put_page(page);
	uncharge_pages(inode->i_sb, 1);
	if (err != -EEXIST)
		return ERR_PTR(err);
	page = find_get_page(mapping, index);
	return page ? page : ERR_PTR(-ENOMEM);
}

/* ---- seals ---- */

int tmpfs_check_seals_write(const struct inode *inode, loff_t end)
{
	unsigned seals = tmpfs_i(inode)->seals;

	if (likely(!(seals & ~F_SEAL_SEAL)))
		return 0;
	if (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EPERM;
	return (seals & F_SEAL_GROW) && end > inode->i_size ? -EPERM : 0;
}

int tmpfs_check_seals_resize(const struct inode *inode, loff_t length)
{
	unsigned seals = tmpfs_i(inode)->seals;

	if ((seals & F_SEAL_SHRINK) && length < inode->i_size)
		return -EPERM;
	return (seals & F_SEAL_GROW) && length > inode->i_size ? -EPERM : 0;
}

/* ---- read and write ---- */

static ssize_t tmpfs_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = iocb->ki_filp->f_inode;
	loff_t pos = iocb->ki_pos;
	ssize_t done = 0;

	while (to->count) {
		loff_t size = READ_ONCE(inode->i_size);
		size_t offset = (size_t)pos % PAGE_SIZE, n, copied;
		struct page *page;

		if (pos >= size)
			break;
		n = min(min(to->count, PAGE_SIZE - offset), (size_t)(size - pos));
		page = find_get_page(inode->i_mapping, (u64)pos / PAGE_SIZE);
		if (page) {
			copied = copy_to_iter((char *)page_address(page) + offset, n, to);
			put_page(page);
		} else {
			copied = iov_iter_zero(n, to);
		}
		pos += (loff_t)copied;
		done += (ssize_t)copied;
		if (copied != n) {
			done = done ? done : -EFAULT;
			break;
		}
	}
	iocb->ki_pos = pos;
	if (!(iocb->ki_filp->f_flags & O_NOATIME))
		inode->i_atime = inode_now();
	return done;
}

/* Where the write goes, and how much it may write: the count, or a negative errno. */
static ssize_t check_write(struct kiocb *iocb, const struct iov_iter *from)
{
	const struct inode *inode = iocb->ki_filp->f_inode;
	unsigned long limit = rlimit(RLIMIT_FSIZE);
	loff_t max = TMPFS_MAX_BYTES;

	if (iocb->ki_flags & IOCB_APPEND)
		iocb->ki_pos = inode->i_size;
	if (limit < (unsigned long)max) {
		if (iocb->ki_pos >= (loff_t)limit) {
			program_ops.send_sig(SIGXFSZ);
			return -EFBIG;
		}
		max = (loff_t)limit;
	}
	if (iocb->ki_pos >= max)
		return -EFBIG;
	return (ssize_t)min(from->count, (size_t)(max - iocb->ki_pos));
}

/* i_mutex is held. */
static ssize_t write_pages(struct inode *inode, loff_t pos, size_t count, struct iov_iter *from)
{
	size_t done = 0;

	while (done < count) {
		size_t offset = (size_t)pos % PAGE_SIZE, copied;
		size_t n = min(count - done, PAGE_SIZE - offset);
		int err = tmpfs_check_seals_write(inode, pos + (loff_t)n);
		struct page *page =
			err ? ERR_PTR(err) : tmpfs_get_page(inode, (u64)pos / PAGE_SIZE);

		if (IS_ERR(page))
			return done ? (ssize_t)done : PTR_ERR(page);
		copied = copy_from_iter((char *)page_address(page) + offset, n, from);
		put_page(page);
		pos += (loff_t)copied;
		done += copied;
		if (pos > inode->i_size)
			WRITE_ONCE(inode->i_size, pos);
		if (copied != n)
			return done ? (ssize_t)done : -EFAULT;
	}
	return (ssize_t)done;
}

static ssize_t tmpfs_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = iocb->ki_filp->f_inode;
	ssize_t ret;

	if (!from->count)
		return 0;
	mutex_lock(&inode->i_mutex);
	ret = check_write(iocb, from);
	if (ret > 0) {
		/*
		 * Before the write: a program that has privileges must not contain a byte of the
		 * writer.
		 */
		file_remove_privs(inode);
		ret = write_pages(inode, iocb->ki_pos, (size_t)ret, from);
	}
	if (ret > 0) {
		iocb->ki_pos += ret;
		inode->i_mtime = inode->i_ctime = inode_now();
	}
	mutex_unlock(&inode->i_mutex);
	return ret;
}

/* SEEK_DATA and SEEK_HOLE go from page to page. */
static loff_t seek_data_or_hole(struct inode *inode, loff_t offset, int whence)
{
	loff_t size = READ_ONCE(inode->i_size), found;
	u64 index;

	if (offset < 0 || offset >= size)
		return -ENXIO;
	if (whence == SEEK_DATA)
		index = page_cache_next(inode->i_mapping, (u64)offset / PAGE_SIZE);
	else
		index = page_cache_next_hole(inode->i_mapping, (u64)offset / PAGE_SIZE);
	if (index > (u64)size / PAGE_SIZE)
		found = size;
	else
		found = min(size, max(offset, (loff_t)(index * PAGE_SIZE)));
	return whence == SEEK_DATA && found == size ? -ENXIO : found;
}

static loff_t tmpfs_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		loff_t pos = seek_data_or_hole(file->f_inode, offset, whence);

		if (pos >= 0)
			file->f_pos = pos;
		return pos;
	}
	return generic_file_llseek(file, offset, whence);
}

/* ---- length ---- */

void tmpfs_zero_part(struct inode *inode, u64 index, size_t start, size_t end)
{
	struct page *page = find_get_page(inode->i_mapping, index);

	if (page) {
		memset((char *)page_address(page) + start, 0, end - start);
		put_page(page);
	}
}

void tmpfs_remove_pages(struct inode *inode, u64 first, u64 last, bool even_cows)
{
	uncharge_pages(inode->i_sb,
		       remove_from_page_cache(inode->i_mapping, first, last, even_cows));
}

int tmpfs_check_size(const struct inode *inode, loff_t length)
{
	if (length > TMPFS_MAX_BYTES)
		return -EFBIG;
	if (length > inode->i_size && (unsigned long)length > rlimit(RLIMIT_FSIZE)) {
		program_ops.send_sig(SIGXFSZ);
		return -EFBIG;
	}
	return 0;
}

static int tmpfs_truncate(struct inode *inode, loff_t length)
{
	struct address_space *mapping = inode->i_mapping;
	loff_t old = inode->i_size;
	int err = tmpfs_check_seals_resize(inode, length);

	if (!err)
		err = tmpfs_check_size(inode, length);
	if (err)
		return err;
	if (length >= old) {
		WRITE_ONCE(inode->i_size, length);
		return 0;
	}
	down_write(&mapping->fault_lock);
	WRITE_ONCE(inode->i_size, length);
	tmpfs_remove_pages(inode, DIV_ROUND_UP((u64)length, PAGE_SIZE), ~0ULL, true);
	/* The bytes must be zero if the file grows again. */
	if ((u64)length % PAGE_SIZE)
		tmpfs_zero_part(inode, (u64)length / PAGE_SIZE, (u64)length % PAGE_SIZE, PAGE_SIZE);
	up_write(&mapping->fault_lock);
	return 0;
}

static int tmpfs_mmap(struct file *file, struct vm_area_struct *vma)
{
	return vfs_hooks.tmpfs_mmap(file, vma); /* only programs map files */
}

/* The pages of the cache are the blocks of the file. */
static void tmpfs_getattr(struct inode *inode)
{
	inode->i_blocks = READ_ONCE(inode->i_mapping->nr_pages) * (PAGE_SIZE / 512);
}

void tmpfs_free_pages(struct inode *inode)
{
	uncharge_pages(inode->i_sb, free_page_cache(inode->i_mapping));
}

/* A file without a name goes with its last descriptor or mapping. */
static size_t tmpfs_memory(struct file *file)
{
	const struct address_space *mapping = file->f_inode->i_mapping;
	u64 pages = READ_ONCE(mapping->nr_pages) + READ_ONCE(mapping->nr_tables);

	return READ_ONCE(file->f_inode->i_nlink) ? 0 : pages * PAGE_SIZE;
}

struct file_operations tmpfs_file_operations __ro_after_init = {
	.read_iter = tmpfs_read_iter,
	.write_iter = tmpfs_write_iter,
	.llseek = tmpfs_llseek,
	.mmap = tmpfs_mmap,
	.memory = tmpfs_memory,
};

const struct inode_operations tmpfs_file_inode_operations = {
	.truncate = tmpfs_truncate,
	.getattr = tmpfs_getattr,
};
