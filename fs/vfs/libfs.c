/* libfs: building blocks for file systems that live in the dcache. See libfs.h. */
#include "fs/vfs/libfs.h"
#include "fs/file/file_owner.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

int simple_rmdir(struct inode *dir, struct dentry *dentry)
{
	int err = d_kill_empty_dir(dentry);

	if (err)
		return err;
	dir->i_nlink--;
	dentry->d_inode->i_nlink = 0;
	return 0;
}

int simple_unlink(struct inode *dir, struct dentry *dentry)
{
	(void)dir;
	dentry->d_inode->i_nlink--;
	return 0;
}

/* The number of links of a directory counts the ".." of the directories in it. */
static void move_dotdot(struct inode *from, struct inode *to, const struct dentry *dentry)
{
	if (from != to && S_ISDIR(dentry->d_inode->i_mode)) {
		from->i_nlink--;
		to->i_nlink++;
	}
}

int simple_rename(struct inode *old_dir, struct dentry *old, struct inode *new_dir,
		  struct dentry *target, unsigned flags)
{
	int err = 0;

	if (target && (flags & RENAME_EXCHANGE)) {
		move_dotdot(new_dir, old_dir, target);
	} else if (target) {
		err = S_ISDIR(target->d_inode->i_mode) ? simple_rmdir(new_dir, target)
						       : simple_unlink(new_dir, target);
	}
	if (!err)
		move_dotdot(old_dir, new_dir, old);
	return err;
}

bool dir_emit_dots(struct dentry *dir, struct dir_context *ctx)
{
	if (ctx->pos == 0) {
		if (!ctx->actor(ctx, ".", 1, 0, dir->d_inode->i_ino, DT_DIR))
			return false;
		ctx->pos = 1;
	}
	if (ctx->pos == 1) {
		if (!ctx->actor(ctx, "..", 2, 1, dir->d_parent->d_inode->i_ino, DT_DIR))
			return false;
		ctx->pos = 2;
	}
	return true;
}

/* The caller holds the i_mutex, so the list does not change. */
bool dir_emit_children(struct dentry *dir, struct dir_context *ctx)
{
	struct dentry *child;

	list_for_each_entry (child, &dir->d_subdirs, d_child) {
		if ((loff_t)child->d_off < ctx->pos)
			continue;
		if (!ctx->actor(ctx, child->d_name.name, child->d_name.len, (loff_t)child->d_off,
				child->d_inode->i_ino, S_DT(child->d_inode->i_mode)))
			return false;
		ctx->pos = (loff_t)child->d_off + 1;
	}
	return true;
}

static int dcache_readdir(struct file *file, struct dir_context *ctx)
{
	struct dentry *dir = file->f_path.dentry;

	if (dir_emit_dots(dir, ctx))
		dir_emit_children(dir, ctx);
	return 0;
}

loff_t dcache_dir_lseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

const struct file_operations simple_dir_operations = {
	.iterate = dcache_readdir,
	.llseek = dcache_dir_lseek,
};

const struct inode_operations simple_dir_inode_operations;
const struct inode_operations simple_symlink_inode_operations;

/* Makes an inode for an entry of parent, with parent's owner. Returns NULL when memory is short. */
static struct inode *simple_inode(struct dentry *parent, umode_t mode)
{
	struct inode *inode = new_inode(parent->d_sb, mode);

	if (inode)
		inode->i_owner = file_owner_get(parent->d_inode->i_owner);
	return inode;
}

struct dentry *simple_add(struct dentry *parent, const char *name, struct inode *inode)
{
	struct inode *dir = parent->d_inode;
	struct qstr last = { .name = name, .len = (u32)strlen(name) };
	struct dentry *dentry;
	int err = -EEXIST;

	mutex_lock(&dir->i_mutex);
	dentry = d_lookup(parent, &last);
	if (dentry)
		goto out;
	err = -ENOMEM;
	dentry = d_alloc(parent, &last);
	if (!dentry)
		goto out;
	err = d_add_pinned(dentry, inode);
	if (err) {
		dentry->d_inode = NULL;
		goto out;
	}
	inode = NULL;
	if (S_ISDIR(dentry->d_inode->i_mode))
		dir->i_nlink++;
	touch_dir(dir);
out:
	mutex_unlock(&dir->i_mutex);
	if (inode)
		iput(inode);
	dput(dentry);
	return err ? ERR_PTR(err) : dentry;
}

struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode,
				  const struct file_operations *fops, void *private)
{
	struct inode *inode;

	if (IS_ERR(parent))
		return parent;
	inode = simple_inode(parent, mode & S_IFMT ? mode : mode | S_IFREG);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_fop = fops;
	inode->i_private = private;
	return simple_add(parent, name, inode);
}

struct dentry *simple_create_dir(struct dentry *parent, const char *name, umode_t mode,
				 const struct inode_operations *iops)
{
	struct inode *inode;

	if (IS_ERR(parent))
		return parent;
	inode = simple_inode(parent, (mode & S_IALLUGO) | S_IFDIR);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode->i_nlink = 2;
	inode->i_op = iops;
	inode->i_fop = &simple_dir_operations;
	return simple_add(parent, name, inode);
}

static struct dentry *first_child(struct dentry *dir)
{
	struct dentry *child = NULL;

	spin_lock(&dir->d_lock);
	if (!list_empty(&dir->d_subdirs))
		child = dget(list_first_entry(&dir->d_subdirs, struct dentry, d_child));
	spin_unlock(&dir->d_lock);
	return child;
}

/* True if a module has the operations of the file, or the data that they use. */
static bool is_of_module(const struct inode *inode)
{
	return (inode->i_fop && inode->i_fop->owner) || (inode->i_owner && inode->i_owner->module);
}

/* Removes one name. Returns false if it is a directory that has got a child since. */
static bool remove_one(struct dentry *dentry)
{
	struct inode *dir = dentry->d_parent->d_inode;
	bool gone = true;

	mutex_lock(&dir->i_mutex);
	if (!(dentry->d_flags & DCACHE_PINNED)) {
		; /* another task has removed it */
	} else if (!S_ISDIR(dentry->d_inode->i_mode)) {
		simple_unlink(dir, dentry);
		if (is_of_module(dentry->d_inode))
			WRITE_ONCE(dentry->d_inode->i_fop, NULL); /* the module may go now */
		d_delete(dentry);
	} else if (simple_rmdir(dir, dentry) == 0) {
		d_delete(dentry);
	} else {
		gone = false;
	}
	mutex_unlock(&dir->i_mutex);
	return gone;
}

/*
 * Removes from the leaves up. The reference on victim also keeps victim's parents alive, so each
 * step takes a reference on the next dentry before it drops the one on victim.
 */
void simple_recursive_removal(struct dentry *dentry)
{
	struct dentry *victim = dget(dentry), *next;

	for (;;) {
		next = first_child(victim);
		if (!next) {
			if (!remove_one(victim))
				continue;
			if (victim == dentry)
				break;
			next = dget(victim->d_parent);
		}
		dput(victim);
		victim = next;
	}
	dput(victim);
}

void simple_remove_children(struct dentry *dir)
{
	struct dentry *child;

	while ((child = first_child(dir))) {
		simple_recursive_removal(child);
		dput(child);
	}
}

ssize_t simple_read_from_buffer(void *to, size_t count, loff_t *pos, const void *from,
				size_t available)
{
	if (*pos < 0)
		return -EINVAL;
	if ((u64)*pos >= available)
		return 0;
	count = min(count, available - (size_t)*pos);
	memcpy(to, (const char *)from + *pos, count);
	*pos += (loff_t)count;
	return (ssize_t)count;
}
EXPORT_SYMBOL(simple_read_from_buffer);

int simple_fill_super(struct super_block *sb, umode_t mode, const struct inode_operations *iops)
{
	struct inode *inode = new_inode(sb, S_IFDIR | mode);

	if (!inode)
		return -ENOMEM;
	inode->i_nlink = 2;
	inode->i_op = iops;
	inode->i_fop = &simple_dir_operations;
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}
