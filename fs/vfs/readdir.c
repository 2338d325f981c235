/* The entries of a directory. */
#include "fs/vfs/internal.h"
#include "fs/vfs/fsnotify.h"

int iterate_dir(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;
	int err = -ENOENT;

	if (!file->f_op->iterate)
		return -ENOTDIR;
	mutex_lock(&dir->i_mutex);
	if (!(READ_ONCE(file->f_path.dentry->d_flags) & DCACHE_DEAD)) {
		ctx->pos = file->f_pos;
		err = file->f_op->iterate(file, ctx);
		file->f_pos = ctx->pos;
	}
	mutex_unlock(&dir->i_mutex);
	if (!err)
		fsnotify_file(file, IN_ACCESS);
	return err;
}
