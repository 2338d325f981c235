/*
 * The initramfs: archives that the boot loader has put into memory, unpacked into the root file
 * system. Each module of the boot loader holds archives in the format newc (fs/initramfs/cpio.h),
 * one after another, each as it is or compressed with gzip. Their memory is freed afterwards.
 *
 * Linux: Documentation/driver-api/early-userspace/buffer-format.rst. An entry replaces an object of
 * another type with the same name; a directory that exists gets the new mode and owner.
 */
#include "fs/initramfs/cpio.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/open.h"
#include "kernel/boot/boot_info.h"
#include "kernel/init.h"
#include "kernel/lib/inflate.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/printk/printk.h"
#include "kernel/time/ktime.h"

#define LINK_BUCKETS 32

/* A file with several names: the first name that was unpacked. */
struct seen_file {
	struct seen_file *next;
	u32 ino, dev_major, dev_minor;
	char name[];
};

/* A directory whose time is set at the end, because each new name in it changes the time. */
struct dir_time {
	struct dir_time *next;
	s64 mtime;
	char name[];
};

struct unpacker {
	struct seen_file *seen[LINK_BUCKETS];
	struct dir_time *dirs;
};

static void __init free_seen(struct unpacker *u)
{
	for (unsigned i = 0; i < LINK_BUCKETS; i++) {
		struct seen_file *seen = u->seen[i], *next;

		for (; seen; seen = next) {
			next = seen->next;
			kfree(seen);
		}
		u->seen[i] = NULL;
	}
}

/*
 * For an entry with several names: returns the first one, or NULL if this is the first; it is then
 * remembered.
 */
static const char *__init first_name_of(struct unpacker *u, const struct cpio_entry *e)
{
	struct seen_file **bucket = &u->seen[e->ino % LINK_BUCKETS], *seen;
	size_t size = strlen(e->name) + 1;

	if (e->nlink < 2)
		return NULL;
	for (seen = *bucket; seen; seen = seen->next)
		if (seen->ino == e->ino && seen->dev_major == e->dev_major &&
		    seen->dev_minor == e->dev_minor)
			return seen->name;
	seen = kmalloc(sizeof(*seen) + size, GFP_KERNEL);
	if (!seen)
		return NULL; /* the names become separate files */
	*seen = (struct seen_file){ *bucket, e->ino, e->dev_major, e->dev_minor };
	memcpy(seen->name, e->name, size);
	*bucket = seen;
	return NULL;
}

/* Removes an object of another type, or one that cannot be opened again, such as a link. */
static void __init make_room(const struct cpio_entry *e)
{
	struct path path;
	umode_t mode;

	if (kern_path(e->name, 0, &path))
		return;
	mode = path.dentry->d_inode->i_mode;
	path_put(&path);
	if ((mode & S_IFMT) == (e->mode & S_IFMT) && (S_ISDIR(mode) || S_ISREG(mode)))
		return;
	if (S_ISDIR(mode))
		do_rmdirat(AT_FDCWD, e->name);
	else
		do_unlinkat(AT_FDCWD, e->name);
}

static int __init unpack_file(struct unpacker *u, const struct cpio_entry *e)
{
	const char *first = first_name_of(u, e);
	struct file *file;
	loff_t pos = 0;
	ssize_t n = 0;
	int err;

	if (first) {
		do_unlinkat(AT_FDCWD, e->name);
		err = do_linkat(AT_FDCWD, first, AT_FDCWD, e->name, 0);
		if (err || !e->size)
			return err;
	}
	file = do_filp_open(AT_FDCWD, e->name, O_WRONLY | O_CREAT | O_TRUNC | O_LARGEFILE,
			    (umode_t)e->mode & S_IALLUGO, 0);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	if (e->size)
		n = kernel_write(file, e->data, e->size, &pos);
	fput(file);
	if (n < 0)
		return (int)n;
	return (size_t)n == e->size ? 0 : -ENOSPC;
}

static int __init unpack_symlink(const struct cpio_entry *e)
{
	char *text = kstrndup(e->data, e->size, GFP_KERNEL);
	int err = text ? do_symlinkat(text, AT_FDCWD, e->name) : -ENOMEM;

	kfree(text);
	return err;
}

static int __init unpack_dir(struct unpacker *u, const struct cpio_entry *e)
{
	size_t size = strlen(e->name) + 1;
	struct dir_time *dir = kmalloc(sizeof(*dir) + size, GFP_KERNEL);
	int err = do_mkdirat(AT_FDCWD, e->name, (umode_t)e->mode & S_IALLUGO);

	if (dir) {
		dir->next = u->dirs;
		dir->mtime = (s64)e->mtime * (s64)NSEC_PER_SEC;
		memcpy(dir->name, e->name, size);
		u->dirs = dir;
	}
	return err == -EEXIST ? 0 : err;
}

static void __init set_attributes(const struct cpio_entry *e)
{
	struct inode *inode;
	struct path path;

	if (kern_path(e->name, 0, &path))
		return;
	inode = path.dentry->d_inode;
	mutex_lock(&inode->i_mutex);
	inode->i_uid = e->uid;
	inode->i_gid = e->gid;
	if (!S_ISLNK(inode->i_mode))
		inode->i_mode = (inode->i_mode & S_IFMT) | ((umode_t)e->mode & S_IALLUGO);
	inode->i_mtime = (s64)e->mtime * (s64)NSEC_PER_SEC;
	mutex_unlock(&inode->i_mutex);
	path_put(&path);
}

static int __init unpack_entry(struct unpacker *u, const struct cpio_entry *e)
{
	umode_t type = (umode_t)e->mode & S_IFMT;
	int err;

	make_room(e);
	if (type == S_IFREG)
		err = unpack_file(u, e);
	else if (type == S_IFDIR)
		err = unpack_dir(u, e);
	else if (type == S_IFLNK)
		err = unpack_symlink(e);
	else
		err = do_mknodat(AT_FDCWD, e->name, (umode_t)e->mode,
				 MKDEV(e->rdev_major, e->rdev_minor));
	if (!err)
		set_attributes(e);
	return err;
}

static void __init set_dir_times(struct unpacker *u)
{
	struct dir_time *dir, *next;
	struct path path;

	for (dir = u->dirs; dir; dir = next) {
		next = dir->next;
		if (!kern_path(dir->name, 0, &path)) {
			path.dentry->d_inode->i_mtime = dir->mtime;
			path_put(&path);
		}
		kfree(dir);
	}
	u->dirs = NULL;
}

/* Compressed files that Linux can read, by their first bytes. */
static const struct {
	const char *magic, *name;
} compressions[] __initconst = {
	{ "\x1f\x8b", "gzip" },         { "BZh", "bzip2" },        { "\x5d\x00\x00", "lzma" },
	{ "\xfd\x37", "xz" },           { "\x89\x4c\x5a", "lzo" }, { "\x02\x21\x4c\x18", "lz4" },
	{ "\x28\xb5\x2f\xfd", "zstd" },
};

/* How the data is compressed. NULL: in no way that is known. */
static const char *__init compression_of(const char *data, size_t size)
{
	for (unsigned i = 0; i < ARRAY_SIZE(compressions); i++) {
		size_t length = max(strlen(compressions[i].magic), (size_t)2);

		if (size >= length && !memcmp(data, compressions[i].magic, length))
			return compressions[i].name;
	}
	return NULL;
}

/*
 * Unpacks archives in memory that are not compressed. Reports what it could not unpack, and goes on
 * where it can. Returns where it ended: the end, or a compressed archive, or an error, which it has
 * reported.
 */
static size_t __init unpack(struct unpacker *u, const char *data, size_t size)
{
	struct cpio_reader reader = { .data = data, .size = size };
	struct cpio_entry entry;
	unsigned failed = 0;
	int ret, err;

	while ((ret = cpio_next(&reader, &entry)) > 0) {
		if (ret == CPIO_TRAILER) {
			free_seen(u);
			continue;
		}
		err = unpack_entry(u, &entry);
		if (err && failed++ < 10)
			pr_err("initramfs: %s: %s\n", entry.name, errno_text(-err));
	}
	if (ret < 0 && !compression_of(data + reader.pos, size - reader.pos))
		pr_err("initramfs: %s, at byte %zu of %zu\n", reader.problem, reader.pos, size);
	free_seen(u);
	set_dir_times(u);
	return reader.pos;
}

/* Doubles the room for what is decompressed. */
static int __init grow(struct gunzip *z)
{
	size_t size = z->out_size ? z->out_size * 2 : max(z->in_size * 4, (size_t)65536);
	u8 *out = vmalloc(size);

	if (!out)
		return -ENOMEM;
	if (z->out_pos)
		memcpy(out, z->out, z->out_pos);
	vfree(z->out);
	z->out = out;
	z->out_size = size;
	return 0;
}

/* Unpacks a compressed archive. Returns its size, or 0: an error, which it has reported. */
static size_t __init unpack_compressed(struct unpacker *u, const char *data, size_t size)
{
	const char *name = compression_of(data, size);
	struct gunzip *z;
	int err;

	if (strcmp(name, "gzip")) {
		pr_err("initramfs: an archive is compressed with %s. nop5 reads gzip, and archives "
		       "that are not compressed\n",
		       name);
		return 0;
	}
	z = kzalloc(sizeof(*z), GFP_KERNEL);
	if (!z)
		return 0;
	z->in = (const u8 *)data;
	z->in_size = size;
	z->grow = grow;
	err = gunzip(z);
	if (err)
		pr_err("initramfs: a compressed archive: %s, at byte %zu of %zu\n",
		       err == -EINVAL ? z->problem : errno_text(-err), z->in_pos, size);
	else
		(void)unpack(u, (const char *)z->out, z->out_pos);
	size = err ? 0 : z->in_pos;
	vfree(z->out);
	kfree(z);
	return size;
}

/* Unpacks all archives of a module. */
static void __init unpack_module(struct unpacker *u, const char *data, size_t size)
{
	size_t pos = 0, used;

	while (pos < size) {
		pos += unpack(u, data + pos, size - pos);
		if (pos == size || !compression_of(data + pos, size - pos))
			return;
		used = unpack_compressed(u, data + pos, size - pos);
		if (!used)
			return;
		pos += used;
	}
}

/* Before the first program mounts anything on the root. */
static int __init initramfs_unpack(void)
{
	struct unpacker u = { 0 };

	for (unsigned i = 0; i < boot_info.module_count; i++) {
		const struct boot_module *module = &boot_info.modules[i];
		size_t size = (size_t)(module->end - module->start);

		if (!size)
			continue;
		unpack_module(&u, __va(module->start), size);
		pr_info("Freeing initrd memory: %zuK\n", size / 1024);
		free_boot_memory(module->start, module->end);
	}
	return 0;
}
device_initcall(initramfs_unpack);
