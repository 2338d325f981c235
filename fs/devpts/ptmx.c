/* ptmx: each open makes a pseudo-terminal; the open file is its master. */
#include "arch/mm/uaccess.h"
#include "fs/dev/devfs.h"
#include "fs/devpts/devpts.h"
#include "fs/file/file.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/internal.h"
#include "fs/dev/tty.h"
#include "fs/file/poll.h"
#include "kernel/mm/slab.h"

#define TIOCGPTN     0x80045430U
#define TTYAUX_MAJOR 5

/* An open master. [C] */
struct ptmx_file {
	struct pty *pty;
	unsigned index;
	struct path slave; /* counted: keeps the instance, too */
};

/*
 * Finds the instance for an open of ptmx: a counted path in it. The file may lie in the instance
 * itself; else the instance is mounted at "pts" in the same directory.
 */
static int find_instance(const struct path *ptmx, struct path *found)
{
	static const struct qstr pts = { .name = "pts", .len = 3 };
	struct dentry *dentry;

	if (ptmx->dentry->d_sb->s_type == &devpts_type) {
		*found = *ptmx;
		path_get(found);
		return 0;
	}
	dentry = d_lookup(ptmx->dentry->d_parent, &pts);
	if (!dentry)
		return -ENODEV;
	*found = (struct path){ .mnt = mntget(ptmx->mnt), .dentry = dentry };
	follow_mounts(found);
	if (found->dentry->d_sb->s_type == &devpts_type && found->dentry == found->mnt->mnt_root)
		return 0;
	path_put(found);
	return -ENODEV;
}

static int ptmx_open(struct inode *inode, struct file *file)
{
	struct ptmx_file *ptmx = kzalloc(sizeof(*ptmx), GFP_KERNEL);
	struct dentry *dentry;
	struct path instance;
	int err;

	(void)inode;
	if (!ptmx)
		return -ENOMEM;
	err = find_instance(&file->f_path, &instance);
	if (err) {
		kfree(ptmx);
		return err;
	}
	ptmx->pty = devpts_new(instance.dentry->d_sb->s_fs_info, &ptmx->index, &dentry);
	if (IS_ERR(ptmx->pty)) {
		err = (int)PTR_ERR(ptmx->pty);
		path_put(&instance);
		kfree(ptmx);
		return err;
	}
	dput(instance.dentry);
	ptmx->slave = (struct path){ .mnt = instance.mnt, .dentry = dentry };
	file->private_data = ptmx;
	return 0;
}

static int ptmx_release(struct inode *inode, struct file *file)
{
	struct ptmx_file *ptmx = file->private_data;

	(void)inode;
	devpts_kill(ptmx->slave.dentry->d_sb->s_fs_info, ptmx->pty, ptmx->index,
		    dget(ptmx->slave.dentry));
	path_put(&ptmx->slave);
	kfree(ptmx);
	return 0;
}

static ssize_t ptmx_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct ptmx_file *ptmx = file->private_data;

	(void)pos;
	return pty_master_read(ptmx->pty, (u8 *)buf, count, file->f_flags & O_NONBLOCK);
}

static ssize_t ptmx_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct ptmx_file *ptmx = file->private_data;

	(void)pos;
	return pty_master_write(ptmx->pty, (const u8 *)buf, count, file->f_flags & O_NONBLOCK);
}

static unsigned ptmx_poll(struct file *file, struct poll_table_struct *wait)
{
	struct pty *pty = ((struct ptmx_file *)file->private_data)->pty;
	unsigned mask = 0;

	poll_wait(file, &pty->read_wait, wait);
	poll_wait(file, &pty->write_wait, wait);
	if (pty_master_readable(pty))
		mask |= POLLIN | POLLRDNORM;
	if (pty_has_packet_status(pty))
		mask |= POLLPRI;
	if (pty_slave_is_closed(pty))
		mask |= POLLHUP;
	if (pty_master_writable(pty))
		mask |= POLLOUT | POLLWRNORM;
	return mask;
}

static int ptmx_fasync(int fd, struct file *file, bool on)
{
	struct pty *pty = ((struct ptmx_file *)file->private_data)->pty;

	return tty_fasync_helper(fd, file, on, NULL, &pty->fasync);
}

/* TIOCGPTPEER: opens the slave, also where its name cannot be reached. flags: of open(2). */
static long open_peer(struct ptmx_file *ptmx, unsigned flags)
{
	int fd = get_unused_fd_flags(flags);
	struct file *file;

	if (fd < 0)
		return fd;
	file = dentry_open(&ptmx->slave, flags & ~(unsigned)O_CLOEXEC);
	if (IS_ERR(file)) {
		put_unused_fd((unsigned)fd);
		return PTR_ERR(file);
	}
	fd_install((unsigned)fd, file);
	return fd;
}

static long ptmx_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct ptmx_file *ptmx = file->private_data;

	if (cmd == TIOCGPTN)
		return put_user(ptmx->index, (unsigned __user *)arg);
	if (cmd == TIOCGPTPEER)
		return open_peer(ptmx, (unsigned)arg);
	if (cmd == TIOCSCTTY)
		return tiocsctty(&ptmx->pty->tty, file->f_mode & FMODE_READ, arg == 1);
	return pty_master_ioctl(ptmx->pty, cmd, arg);
}

const struct file_operations ptmx_fops = {
	.open = ptmx_open,
	.release = ptmx_release,
	.read = ptmx_read,
	.write = ptmx_write,
	.poll = ptmx_poll,
	.ioctl = ptmx_ioctl,
	.fasync = ptmx_fasync,
};

DEVICE_FILE(ptmx) = {
	.name = "ptmx", .mode = 0666, .dev = MKDEV(TTYAUX_MAJOR, 2), .fops = &ptmx_fops
};
