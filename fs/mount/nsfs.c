/* The file system of the files that stand for namespaces (nsfs.h), and their ioctls: ioctl_ns(2).
 */
#include "fs/mount/nsfs.h"

#include "arch/user/uaccess.h"
#include "fs/vfs/dcache.h"
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "kernel/init.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/process/clone_flags.h"

#define NSFS_MAGIC     0x6e736673
#define NS_FIRST_INODE 4026531834UL /* of NS_TIME; the others follow */

#define NS_GET_USERNS    0xb701
#define NS_GET_PARENT    0xb702
#define NS_GET_NSTYPE    0xb703
#define NS_GET_OWNER_UID 0xb704

static const struct ns_type {
	const char *name;
	unsigned long flag;
} ns_types[NR_NS_KINDS] = {
	[NS_TIME] = { "time", CLONE_NEWTIME }, [NS_CGROUP] = { "cgroup", CLONE_NEWCGROUP },
	[NS_PID] = { "pid", CLONE_NEWPID },    [NS_USER] = { "user", CLONE_NEWUSER },
	[NS_UTS] = { "uts", CLONE_NEWUTS },    [NS_IPC] = { "ipc", CLONE_NEWIPC },
	[NS_NET] = { "net", CLONE_NEWNET },    [NS_MNT] = { "mnt", CLONE_NEWNS },
};

static struct path ns_paths[NR_NS_KINDS]; /* constant after nsfs_init() */

void ns_get_path(enum ns_kind kind, struct path *path)
{
	*path = ns_paths[kind];
	path_get(path);
}

static enum ns_kind kind_of(const struct file *file)
{
	return (enum ns_kind)(file->f_inode->i_ino - NS_FIRST_INODE);
}

/* A descriptor of the user namespace, to which all other namespaces belong. */
static long open_user_namespace(void)
{
	struct file *file;
	long err;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	file = alloc_empty_file(O_RDONLY);
	err = IS_ERR(file) ? PTR_ERR(file) : vfs_open(&ns_paths[NS_USER], file);
	if (!err) {
		fd_install((unsigned)fd, file);
		return fd;
	}
	put_unused_fd((unsigned)fd);
	if (!IS_ERR(file))
		fput(file);
	return err;
}

static long ns_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	enum ns_kind kind = kind_of(file);

	switch (cmd) {
	case NS_GET_USERNS:
		return kind == NS_USER ? -EPERM : open_user_namespace();
	case NS_GET_PARENT: /* the first ones have none */
		return kind == NS_USER || kind == NS_PID ? -EPERM : -EINVAL;
	case NS_GET_NSTYPE:
		return (long)ns_types[kind].flag;
	case NS_GET_OWNER_UID:
		return kind == NS_USER ? put_user(0U, (u32 __user *)arg) : -EINVAL;
	default:
		return -ENOTTY;
	}
}

static const struct file_operations ns_file_operations = {
	.ioctl = ns_ioctl,
	.llseek = no_llseek,
};

unsigned long ns_file_type(const struct file *file)
{
	return file->f_op == &ns_file_operations ? ns_types[kind_of(file)].flag : 0;
}

/* Makes the file of one kind. 0 or -ENOMEM. */
static int make_file(struct vfsmount *mnt, enum ns_kind kind)
{
	unsigned long ino = NS_FIRST_INODE + kind;
	struct dentry *dentry;
	struct inode *inode;
	char name[32];

	snprintf(name, sizeof(name), "%s:[%lu]", ns_types[kind].name, ino);
	dentry = d_alloc_pseudo(mnt->mnt_root, name);
	inode = dentry ? new_inode(mnt->mnt_sb, S_IFREG | 0444) : NULL;
	if (!inode) {
		if (dentry)
			dput(dentry);
		return -ENOMEM;
	}
	inode->i_ino = ino;
	inode->i_fop = &ns_file_operations;
	dentry->d_inode = inode;
	ns_paths[kind] = (struct path){ .mnt = mnt, .dentry = dentry };
	return 0;
}

static int nsfs_fill_super(struct super_block *sb, const char *data)
{
	struct inode *inode = new_inode(sb, S_IFDIR | 0555);

	(void)data;
	if (!inode)
		return -ENOMEM;
	sb->s_magic = NSFS_MAGIC;
	sb->s_root = d_make_root(inode);
	return sb->s_root ? 0 : -ENOMEM;
}

/* Not registered: no program mounts it. */
static struct file_system_type nsfs_type = {
	.name = "nsfs",
	.fill_super = nsfs_fill_super,
};

static int nsfs_init(void)
{
	struct vfsmount *mnt = kern_mount(&nsfs_type);
	int err = IS_ERR(mnt) ? (int)PTR_ERR(mnt) : 0;

	for (unsigned kind = 0; !err && kind < NR_NS_KINDS; kind++)
		err = make_file(mnt, kind);
	return err;
}
core_initcall(nsfs_init);
