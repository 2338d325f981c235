/* getdents64: the entries of a directory. */
#include "fs/file.h"
#include "fs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/sched/sched.h"

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
	return err;
}

struct getdents_context {
	struct dir_context ctx;
	char *buf;
	size_t size, used;
	bool too_small; /* an entry did not fit */
};

static bool filldir64(struct dir_context *ctx, const char *name, size_t len, loff_t pos, u64 ino,
		      unsigned type)
{
	struct getdents_context *c = container_of(ctx, struct getdents_context, ctx);
	size_t reclen = ALIGN(sizeof(struct linux_dirent64) + len + 1, sizeof(u64));
	struct linux_dirent64 *entry = (void *)(c->buf + c->used);

	if (reclen > c->size - c->used) {
		c->too_small = true;
		return false;
	}
	memset(entry, 0, reclen);
	entry->d_ino = ino;
	entry->d_off = pos + 1;
	entry->d_reclen = (u16)reclen;
	entry->d_type = (u8)type;
	memcpy(entry->d_name, name, len);
	c->used += reclen;
	return true;
}

SYSCALL_DEFINE3(getdents64, unsigned int, fd, struct linux_dirent64 *, dirent, unsigned int, count)
{
	struct getdents_context c = { .ctx.actor = filldir64,
				      .buf = (void *)dirent,
				      .size = count };
	struct file *file = fcheck((int)fd);
	bool locked;
	int err;

	if (!file)
		return -EBADF;
	locked = atomic_read(&file->f_count) > 1;
	if (locked)
		mutex_lock(&file->f_pos_lock);
	err = iterate_dir(file, &c.ctx);
	if (locked)
		mutex_unlock(&file->f_pos_lock);
	if (err)
		return err;
	if (!c.used && c.too_small)
		return -EINVAL;
	return (long)c.used;
}
