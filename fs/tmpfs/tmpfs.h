/* tmpfs: a file system in memory. The parts that its files share. */
#pragma once

#include "fs/vfs/page_cache.h"
#include "fs/vfs/permission.h"

/* One mounted tmpfs. Legend: [A] atomic; [C] constant, or changed by a remount. */
struct tmpfs_sb_info {
	atomic64_t used_blocks; /* [A] pages, and symbolic links with a long text */
	atomic64_t used_tables; /* [A] of the page cache */
	atomic64_t used_inodes; /* [A] inodes, and their names but the first */
	s64 max_blocks;         /* [C] 0: no limit */
	s64 max_inodes;         /* [C] 0: no limit */
	bool show_size;         /* [C] an option has set the limit */
	bool show_inodes;       /* [C] */
	umode_t mode;           /* [C] of the root directory */
	u32 uid, gid;           /* [C] of the root directory */
};

/* Seals, as fcntl(2) has them: what can no longer be done with a file of memfd_create(2). */
#define F_SEAL_SEAL         0x01U /* adding seals */
#define F_SEAL_SHRINK       0x02U
#define F_SEAL_GROW         0x04U
#define F_SEAL_WRITE        0x08U
#define F_SEAL_FUTURE_WRITE 0x10U /* writing, but for shared mappings that are there already */

/* A regular file with its pages. */
struct tmpfs_inode {
	struct address_space mapping;
	unsigned seals; /* [i_mutex] to write; mmap(2) reads it without the lock */
};

static inline struct tmpfs_inode *tmpfs_i(const struct inode *inode)
{
	return container_of(inode->i_mapping, struct tmpfs_inode, mapping);
}

static inline struct tmpfs_sb_info *tmpfs_sb(const struct super_block *sb)
{
	return sb->s_fs_info;
}

/* Counts one more block or inode. False: there are max already. max 0: no limit. */
bool tmpfs_charge(atomic64_t *used, s64 max);
/* Makes the page at index, if it does not exist. Returns it with a reference, or an ERR_PTR. */
struct page *tmpfs_make_page(struct inode *inode, u64 index);
static inline struct page *tmpfs_get_page(struct inode *inode, u64 index)
{
	struct page *page = find_get_page(inode->i_mapping, index);

	return likely(page) ? page : tmpfs_make_page(inode, index);
}

/*
 * fill_super of a tmpfs. The first one is of mount(2), with the mode 01777; the other one of / and
 * /dev, with the mode 0755.
 */
int tmpfs_fill_super(struct super_block *sb, const char *data);
int rootfs_fill_super(struct super_block *sb, const char *data);
extern struct file_system_type rootfs_type;

/*
 * What only programs ask for. In core initcalls options.c sets the hook, and adds show_options and
 * remount to the operations; statfs.c adds statfs. The hook parses the options of a new tmpfs into
 * info: 0, or -EINVAL. The kernel mounts without options, so the hook is not called while it is
 * NULL.
 */
extern int (*tmpfs_options_hook)(struct tmpfs_sb_info *info, const char *data);
extern struct super_operations tmpfs_super_operations;

/* With programs fallocate.c adds fallocate in a core initcall. */
extern struct file_operations tmpfs_file_operations;
extern const struct inode_operations tmpfs_file_inode_operations;

/*
 * memfd.c. fcntl(2): F_ADD_SEALS (add), or F_GET_SEALS. -EINVAL: no file of tmpfs, or an unknown
 * seal; -EPERM; -EBUSY.
 */
long memfd_fcntl(struct file *file, bool add, unsigned long seals);
/* A file without a name, counted against the limits of dir's file system. Or an ERR_PTR. */
struct inode *tmpfs_tmpfile(struct inode *dir, umode_t mode);
/* -EPERM: a seal of the file forbids a write up to end (excluded). i_mutex is held. */
int tmpfs_check_seals_write(const struct inode *inode, loff_t end);
/* The same for a change of the length. */
int tmpfs_check_seals_resize(const struct inode *inode, loff_t length);
/* May the file get this long? -EFBIG, and SIGXFSZ if the limit is that of the process. */
int tmpfs_check_size(const struct inode *inode, loff_t length);
/* Zeros the bytes of a page from start to end, if the page exists. */
void tmpfs_zero_part(struct inode *inode, u64 index, size_t start, size_t end);
/* Removes whole pages. The caller holds i_mutex and fault_lock for writing. */
void tmpfs_remove_pages(struct inode *inode, u64 first, u64 last, bool even_cows);
/* Frees the pages of a regular file, for evict_inode. */
void tmpfs_free_pages(struct inode *inode);
