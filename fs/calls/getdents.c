/* getdents(2) and getdents64(2): the entries of a directory. */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

/*
 * Entries are collected in a buffer of the kernel, because the directory is locked during the
 * collection, and then copied to the program.
 */
struct getdents_context {
	struct dir_context ctx;
	char *buf;
	size_t size, used;
	bool too_small; /* an entry did not fit */
};

/* Room for a record, or NULL. */
static void *new_record(struct getdents_context *c, size_t reclen)
{
	void *record = c->buf + c->used;

	if (reclen > c->size - c->used) {
		c->too_small = true;
		return NULL;
	}
	memset(record, 0, reclen);
	c->used += reclen;
	return record;
}

static bool filldir64(struct dir_context *ctx, const char *name, size_t len, loff_t pos, u64 ino,
		      unsigned type)
{
	struct getdents_context *c = container_of(ctx, struct getdents_context, ctx);
	size_t reclen =
		ALIGN(__builtin_offsetof(struct linux_dirent64, d_name) + len + 1, sizeof(u64));
	struct linux_dirent64 *entry = new_record(c, reclen);

	if (!entry)
		return false;
	entry->d_ino = ino;
	entry->d_off = pos + 1;
	entry->d_reclen = (u16)reclen;
	entry->d_type = (u8)type;
	memcpy(entry->d_name, name, len);
	return true;
}

/* getdents(2): the type is the last byte of the record. */
struct linux_dirent {
	unsigned long d_ino;
	unsigned long d_off;
	u16 d_reclen;
	char d_name[];
};

static bool filldir(struct dir_context *ctx, const char *name, size_t len, loff_t pos, u64 ino,
		    unsigned type)
{
	struct getdents_context *c = container_of(ctx, struct getdents_context, ctx);
	size_t reclen =
		ALIGN(__builtin_offsetof(struct linux_dirent, d_name) + len + 2, sizeof(long));
	struct linux_dirent *entry = new_record(c, reclen);

	if (!entry)
		return false;
	entry->d_ino = ino;
	entry->d_off = (unsigned long)pos + 1;
	entry->d_reclen = (u16)reclen;
	memcpy(entry->d_name, name, len);
	((u8 *)entry)[reclen - 1] = (u8)type;
	return true;
}

#define GETDENTS_MAX 32768U /* bytes that one call gives at most */

static long do_getdents(unsigned fd, void __user *dirent, unsigned count,
			bool (*actor)(struct dir_context *ctx, const char *name, size_t len,
				      loff_t pos, u64 ino, unsigned type))
{
	struct getdents_context c = { .ctx.actor = actor, .size = min(count, GETDENTS_MAX) };
	struct fd f = fdget(fd);
	loff_t start;
	long err;

	if (!f.file)
		return -EBADF;
	c.buf = kmalloc(max(c.size, (size_t)1), GFP_KERNEL);
	err = -ENOMEM;
	if (!c.buf)
		goto out;
	mutex_lock(&f.file->f_pos_lock);
	start = f.file->f_pos;
	err = iterate_dir(f.file, &c.ctx);
	if (!err && c.used && copy_to_user(dirent, c.buf, c.used)) {
		f.file->f_pos = start;
		err = -EFAULT;
	}
	mutex_unlock(&f.file->f_pos_lock);
	if (!err)
		err = !c.used && c.too_small ? -EINVAL : (long)c.used;
	kfree(c.buf);
out:
	fdput(f);
	return err;
}

SYSCALL_DEFINE3(getdents64, unsigned int, fd, struct linux_dirent64 __user *, dirent, unsigned int,
		count)
{
	return do_getdents(fd, dirent, count, filldir64);
}

SYSCALL_DEFINE3(getdents, unsigned int, fd, struct linux_dirent __user *, dirent, unsigned int,
		count)
{
	return do_getdents(fd, dirent, count, filldir);
}
