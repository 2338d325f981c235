/* fallocate(2) for files of tmpfs: pages that are made before they are used, and holes. */
#include "fs/tmpfs/tmpfs.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/open.h"
#include "kernel/init.h"

/* i_mutex is held. */
static void punch_hole(struct inode *inode, loff_t offset, loff_t len)
{
	struct address_space *mapping = inode->i_mapping;
	u64 start = (u64)offset, end = start + (u64)len;
	u64 first = DIV_ROUND_UP(start, PAGE_SIZE), last = end / PAGE_SIZE; /* whole pages */

	down_write(&mapping->fault_lock);
	if (start / PAGE_SIZE == end / PAGE_SIZE) {
		tmpfs_zero_part(inode, start / PAGE_SIZE, start % PAGE_SIZE, end % PAGE_SIZE);
	} else {
		if (start % PAGE_SIZE)
			tmpfs_zero_part(inode, start / PAGE_SIZE, start % PAGE_SIZE, PAGE_SIZE);
		if (end % PAGE_SIZE)
			tmpfs_zero_part(inode, last, 0, end % PAGE_SIZE);
		if (first < last)
			tmpfs_remove_pages(inode, first, last - 1, false);
	}
	up_write(&mapping->fault_lock);
}

/* Made by the call of fallocate(2) that holds i_mutex. */
#define PAGE_RESERVED (1UL << PAGE_OWNER_SHIFT)

/* Makes the missing pages of [index, end). Returns the first one that it could not make, or end. */
static u64 make_pages(struct inode *inode, u64 index, u64 end, int *err)
{
	for (; index < end; index++) {
		struct page *page = find_get_page(inode->i_mapping, index);

		if (!page) {
			page = tmpfs_make_page(inode, index);
			if (IS_ERR(page)) {
				*err = (int)PTR_ERR(page);
				break;
			}
			__atomic_fetch_or(&page->state, PAGE_RESERVED, __ATOMIC_RELAXED);
		}
		put_page(page);
	}
	return index;
}

/* Ends make_pages() for [index, end). cancel: removes the new pages that no program uses yet. */
static void finish_pages(struct inode *inode, u64 index, u64 end, bool cancel)
{
	struct address_space *mapping = inode->i_mapping;

	down_write(&mapping->fault_lock);
	for (; index < end; index++) {
		struct page *page = find_get_page(mapping, index);
		bool made = page->state & PAGE_RESERVED, unused = page_count(page) == 2;

		__atomic_fetch_and(&page->state, ~PAGE_RESERVED, __ATOMIC_RELAXED);
		put_page(page);
		if (cancel && made && unused)
			tmpfs_remove_pages(inode, index, index, false);
	}
	up_write(&mapping->fault_lock);
}

/* Makes all pages of a range. If that fails, removes those that it has made. i_mutex is held. */
static int reserve_range(struct inode *inode, loff_t offset, loff_t len)
{
	u64 index = (u64)offset / PAGE_SIZE, end = DIV_ROUND_UP((u64)(offset + len), PAGE_SIZE);
	struct tmpfs_sb_info *info = tmpfs_sb(inode->i_sb);
	int err = 0;

	/* So that a hopeless request does not first use up the memory. */
	if (info->max_blocks && end - index > (u64)info->max_blocks)
		return -ENOSPC;
	end = make_pages(inode, index, end, &err);
	finish_pages(inode, index, end, err);
	return err;
}

static long tmpfs_fallocate(struct file *file, int mode, loff_t offset, loff_t len)
{
	struct inode *inode = file->f_inode;
	int err = 0;

	if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE))
		return -EOPNOTSUPP;
	mutex_lock(&inode->i_mutex);
	if (mode & FALLOC_FL_PUNCH_HOLE) {
		err = tmpfs_check_seals_write(inode, 0);
		if (!err)
			punch_hole(inode, offset, len);
	} else {
		err = tmpfs_check_size(inode, offset + len);
		if (!err && offset + len > inode->i_size)
			err = tmpfs_check_seals_resize(inode, offset + len);
		if (!err)
			err = reserve_range(inode, offset, len);
		if (!err && !(mode & FALLOC_FL_KEEP_SIZE) && offset + len > inode->i_size)
			WRITE_ONCE(inode->i_size, offset + len);
	}
	if (!err) {
		file_remove_privs(inode);
		inode->i_mtime = inode->i_ctime = inode_now();
	}
	mutex_unlock(&inode->i_mutex);
	return err;
}

static int __init tmpfs_fallocate_init(void)
{
	tmpfs_file_operations.fallocate = tmpfs_fallocate;
	return 0;
}
core_initcall(tmpfs_fallocate_init);
