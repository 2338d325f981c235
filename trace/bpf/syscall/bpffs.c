/*
 * The file system bpf, at /sys/fs/bpf: a file keeps an object of bpf(2) while no program has a
 * descriptor of it. BPF_OBJ_PIN makes files, BPF_OBJ_GET opens them. open(2) opens only those of
 * maps, which are text (map_text.c). Directories, links and removal are as everywhere; the names
 * are in the dcache only (fs/vfs/libfs.h).
 */
#include "trace/bpf/syscall/bpffs.h"

#include "fs/mount/namespace.h"
#include "fs/mount/options.h"
#include "fs/vfs/libfs.h"
#include "fs/vfs/permission.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

#define BPF_FS_MAGIC 0xcafe4a11

/* ---- files ---- */

/* One for each kind: that is how an inode tells its kind. */
static const struct inode_operations pin_inode_operations[NR_BPF_PIN_KINDS];

void *bpffs_object(const struct inode *inode, enum bpf_pin_kind *kind)
{
	for (unsigned i = 0; i < NR_BPF_PIN_KINDS; i++) {
		if (inode->i_op != &pin_inode_operations[i])
			continue;
		*kind = (enum bpf_pin_kind)i;
		return inode->i_private;
	}
	return NULL;
}

static int no_open(struct inode *inode __unused, struct file *file __unused)
{
	return -EIO;
}

static const struct file_operations pin_file_operations = { .open = no_open };

static void bpffs_evict_inode(struct inode *inode)
{
	enum bpf_pin_kind kind;
	void *object = bpffs_object(inode, &kind);

	if (object)
		bpf_pin_put(object, kind);
}

/* ---- directories ---- */

static const struct inode_operations dir_operations;

/*
 * Adds a new inode (NULL: memory is short) to dir, and takes it over. Names with dots are Linux's.
 */
static int add(struct inode *dir, struct dentry *dentry, struct inode *inode)
{
	int error;

	if (!inode)
		return -ENOMEM;
	inode_init_owner(inode, dir);
	error = strchr(dentry->d_name.name, '.') ? -EPERM : d_add_pinned(dentry, inode);
	if (error) {
		dentry->d_inode = NULL;
		iput(inode);
	}
	return error;
}

int bpffs_create(struct inode *dir, struct dentry *dentry, enum bpf_pin_kind kind, void *object,
		 umode_t mode)
{
	struct inode *inode;
	int error;

	if (dir->i_op != &dir_operations)
		return -EPERM;
	error = inode_permission(dir, MAY_WRITE | MAY_EXEC);
	if (error)
		return error;
	inode = new_inode(dir->i_sb, S_IFREG | mode);
	if (!inode)
		return -ENOMEM;
	inode->i_op = &pin_inode_operations[kind];
	inode->i_fop = kind == BPF_PIN_MAP ? &bpf_map_text_operations : &pin_file_operations;
	inode->i_private = object;
	bpf_pin_get(object, kind); /* an error gives up that one, and leaves the caller's */
	error = add(dir, dentry, inode);
	if (!error)
		bpf_pin_put(object, kind);
	return error;
}

static int bpffs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	struct inode *inode = new_inode(dir->i_sb, S_IFDIR | mode);
	int error;

	if (inode) {
		inode->i_op = &dir_operations;
		inode->i_fop = &simple_dir_operations;
		inode->i_nlink = 2;
	}
	error = add(dir, dentry, inode);
	if (!error)
		dir->i_nlink++;
	return error;
}

static int bpffs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	struct inode *inode = new_inode(dir->i_sb, S_IFLNK | S_IRWXUGO);

	if (!inode)
		return -ENOMEM;
	inode->i_op = &simple_symlink_inode_operations;
	inode->i_size = (loff_t)strlen(target);
	inode->i_link = kstrdup(target, GFP_KERNEL);
	if (inode->i_link)
		return add(dir, dentry, inode);
	iput(inode);
	return -ENOMEM;
}

static int bpffs_link(struct inode *inode, struct inode *dir __unused, struct dentry *dentry)
{
	int error = d_add_pinned(dentry, ihold(inode));

	if (!error) {
		inode->i_nlink++;
		return 0;
	}
	dentry->d_inode = NULL;
	iput(inode);
	return error;
}

static const struct inode_operations dir_operations = {
	.mkdir = bpffs_mkdir,
	.symlink = bpffs_symlink,
	.link = bpffs_link,
	.rename = simple_rename,
	.unlink = simple_unlink,
	.rmdir = simple_rmdir,
};

/* ---- the file system ---- */

/* As Linux's, ignores options that it does not know. */
static int set_option(void *mode, const char *name, const char *value)
{
	u32 number;

	if (strcmp(name, "mode"))
		return 0;
	if (mount_option_number(value, 8, S_IALLUGO, &number))
		return -EINVAL;
	*(umode_t *)mode = (umode_t)number;
	return 0;
}

static void bpffs_show_options(struct seq_file *m, struct super_block *sb)
{
	umode_t mode = sb->s_root->d_inode->i_mode & S_IALLUGO & ~S_ISVTX;

	if (mode != S_IRWXUGO)
		seq_printf(m, ",mode=%o", mode);
}

static const struct super_operations bpffs_super_operations = {
	.evict_inode = bpffs_evict_inode,
	.show_options = bpffs_show_options,
};

static int bpffs_fill_super(struct super_block *sb, const char *data)
{
	umode_t mode = S_IRWXUGO;
	int error = parse_mount_options(data, set_option, &mode);

	sb->s_magic = BPF_FS_MAGIC;
	sb->s_op = &bpffs_super_operations;
	return error ? error : simple_fill_super(sb, S_ISVTX | mode, &dir_operations);
}

static struct file_system_type bpffs_type = {
	.name = "bpf",
	.nodev = true,
	.multiple = true,
	.fill_super = bpffs_fill_super,
};
FILE_SYSTEM(bpffs_type);
