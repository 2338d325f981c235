/*
 * memfd_create(2): files of tmpfs that have no name, and the seals of such files (fcntl(2)).
 *
 * The files are in an instance of tmpfs that is mounted nowhere, and has no limits.
 */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "fs/tmpfs/tmpfs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/vm/mm.h"

#define MFD_CLOEXEC       0x01U
#define MFD_ALLOW_SEALING 0x02U
#define MFD_HUGETLB       0x04U
#define MFD_HUGE_SIZES    (0x3fU << 26) /* with MFD_HUGETLB: the size of the pages */

#define PREFIX   "/memfd:"
#define SUFFIX   " (deleted)"
#define NAME_LEN 249 /* the longest name that a program may give: NAME_MAX - strlen("memfd:") */

#define F_ALL_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

static struct vfsmount *shm_mnt; /* constant after the boot */

/* ---- seals ---- */

static long add_seals(struct file *file, unsigned seals)
{
	struct inode *inode = file->f_inode;
	struct tmpfs_inode *info = tmpfs_i(inode);
	int err = 0;

	if (!(file->f_mode & FMODE_WRITE))
		return -EPERM;
	if (seals & ~F_ALL_SEALS)
		return -EINVAL;
	mutex_lock(&inode->i_mutex);
	if (info->seals & F_SEAL_SEAL)
		err = -EPERM;
	else if ((seals & ~info->seals) & F_SEAL_WRITE)
		err = vm_mapping_deny_shared(&info->mapping.i_mmap);
	if (!err)
		WRITE_ONCE(info->seals, info->seals | seals);
	mutex_unlock(&inode->i_mutex);
	return err;
}

long memfd_fcntl(struct file *file, bool add, unsigned long seals)
{
	if (file->f_op != &tmpfs_file_operations)
		return -EINVAL;
	if (!add)
		return READ_ONCE(tmpfs_i(file->f_inode)->seals);
	return seals == (unsigned)seals ? add_seals(file, (unsigned)seals) : -EINVAL;
}

/* ---- files ---- */

/* full: "/memfd:NAME (deleted)", what /proc shows. Or an ERR_PTR. */
static struct file *memfd_file(const char *full, unsigned flags)
{
	struct inode *inode = tmpfs_tmpfile(shm_mnt->mnt_root->d_inode, S_IRWXUGO);
	struct file *file;

	if (IS_ERR(inode))
		return ERR_CAST(inode);
	if (flags & MFD_ALLOW_SEALING)
		tmpfs_i(inode)->seals = 0;
	file = alloc_file_pseudo(inode, shm_mnt, full, O_RDWR | O_LARGEFILE,
				 &tmpfs_file_operations);
	if (IS_ERR(file))
		iput(inode);
	return file;
}

/* Restricted: no huge pages (MFD_HUGETLB). */
SYSCALL_DEFINE2(memfd_create, const char *, uname, unsigned int, flags)
{
	char full[sizeof(PREFIX) + NAME_LEN + sizeof(SUFFIX)] = PREFIX;
	unsigned known = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	struct file *file;
	long len;
	int fd;

	if (flags & MFD_HUGETLB)
		known |= MFD_HUGETLB | MFD_HUGE_SIZES;
	if (flags & ~known)
		return -EINVAL;
	len = strncpy_from_user(full + strlen(PREFIX), uname, NAME_LEN + 1);
	if (len < 0)
		return len;
	if (len > NAME_LEN)
		return -EINVAL;
	if (flags & MFD_HUGETLB)
		return -ENOSYS;
	strscat(full, SUFFIX, sizeof(full));
	fd = get_unused_fd_flags(flags & MFD_CLOEXEC ? O_CLOEXEC : 0);
	if (fd < 0)
		return fd;
	file = memfd_file(full, flags);
	if (IS_ERR(file)) {
		put_unused_fd((unsigned)fd);
		return PTR_ERR(file);
	}
	fd_install((unsigned)fd, file);
	return fd;
}

static int shm_fill_super(struct super_block *sb, const char *data)
{
	int err = tmpfs_fill_super(sb, data);

	if (!err)
		tmpfs_sb(sb)->max_blocks = tmpfs_sb(sb)->max_inodes = 0;
	return err;
}

/* Not registered: no program mounts it. */
static struct file_system_type shm_type = {
	.name = "tmpfs",
	.fill_super = shm_fill_super,
};

static int memfd_init(void)
{
	shm_mnt = kern_mount(&shm_type);
	return IS_ERR(shm_mnt) ? (int)PTR_ERR(shm_mnt) : 0;
}
fs_initcall(memfd_init);
