/* The files of sockets, and what sockets of all families share. */
#include "net/socket.h"

#include "fs/vfs/dcache.h"
#include "fs/calls/fcntl.h"
#include "fs/file/poll.h"
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "net/core/dev.h"
#include "net/unix/unix.h"

struct dentry *proc_net;
static atomic_t sockets; /* with a file */

int sockets_used(void)
{
	return atomic_read(&sockets);
}

void socket_init(struct socket *sock, const struct proto_ops *ops, unsigned type, unsigned protocol)
{
	sock->ops = ops;
	sock->type = type;
	sock->protocol = protocol;
	init_waitqueue_head(&sock->wait);
	sock->sndbuf = sock->rcvbuf = SOCK_BUF_DEFAULT;
	sock->rcvlowat = 1;
}

int sock_error(struct socket *sock)
{
	return READ_ONCE(sock->error) ? -__atomic_exchange_n(&sock->error, 0, __ATOMIC_SEQ_CST) : 0;
}

int sock_sleep(s64 *timeout)
{
	if (!*timeout)
		return -EAGAIN;
	if (signal_pending(current))
		return *timeout == (s64)MAX_SCHEDULE_TIMEOUT ? interrupted_error() : -EINTR;
	*timeout = (s64)schedule_timeout((u64)*timeout);
	return 0;
}

s64 sock_timeout(s64 option, bool nonblock)
{
	if (nonblock || option == SOCK_NO_TIME)
		return 0;
	return option ? option : (s64)MAX_SCHEDULE_TIMEOUT;
}

ssize_t sock_sendmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	return sock->ops->sendmsg(sock, msg, nonblock);
}

ssize_t sock_recvmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	return sock->ops->recvmsg(sock, msg, nonblock);
}

/* ---- the file ---- */

static int sock_close(struct inode *inode, struct file *file)
{
	struct socket *sock = file->private_data;

	(void)inode;
	sock->ops->release(sock);
	atomic_dec(&sockets);
	return 0;
}

static unsigned sock_poll(struct file *file, struct poll_table_struct *wait)
{
	struct socket *sock = file->private_data;

	return sock->ops->poll(file, sock, wait);
}

static int sock_fasync(int fd, struct file *file, bool on)
{
	struct socket *sock = file->private_data;

	return fasync_helper(fd, file, on, &sock->fasync);
}

static size_t sock_memory(struct file *file)
{
	struct socket *sock = file->private_data;

	return sock->ops->memory ? sock->ops->memory(sock) : 0;
}

/* ioctl(2) of sockets for the owner; fcntl(2) does the same for all files. */
#define FIOSETOWN 0x8901U
#define SIOCSPGRP 0x8902U
#define FIOGETOWN 0x8903U
#define SIOCGPGRP 0x8904U

static long sock_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct socket *sock = file->private_data;
	long ret;
	int who;

	switch (cmd) {
	case FIOSETOWN:
	case SIOCSPGRP:
		return get_user(who, (int __user *)arg)
			       ? -EFAULT
			       : fcntl_owner(file, F_SETOWN, (unsigned)who);
	case FIOGETOWN:
	case SIOCGPGRP:
		return put_user((int)fcntl_owner(file, F_GETOWN, 0), (int __user *)arg);
	}
	ret = sock->ops->ioctl(sock, cmd, arg);
	return ret == -ENOTTY ? dev_ioctl(cmd, (void __user *)arg) : ret;
}

static ssize_t sock_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct socket *sock = file->private_data;
	struct msghdr msg = { .iter = *to };
	ssize_t n;

	if (sock->type == SOCK_STREAM && !to->count)
		return 0;
	n = sock_recvmsg(sock, &msg, file->f_flags & O_NONBLOCK);
	scm_destroy(&msg);
	*to = msg.iter;
	return n;
}

static ssize_t sock_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct file *file = iocb->ki_filp;
	struct msghdr msg = { .iter = *from };
	ssize_t n = sock_sendmsg(file->private_data, &msg, file->f_flags & O_NONBLOCK);

	scm_destroy(&msg);
	*from = msg.iter;
	return n;
}

static const struct file_operations socket_file_ops = {
	.read_iter = sock_read_iter,
	.write_iter = sock_write_iter,
	.poll = sock_poll,
	.ioctl = sock_ioctl,
	.fasync = sock_fasync,
	.memory = sock_memory,
	.release = sock_close,
};

struct socket *sock_from_file(const struct file *file)
{
	return file->f_op == &socket_file_ops ? file->private_data : NULL;
}

struct file *sock_alloc_file(struct socket *sock, unsigned flags)
{
	struct inode *inode = alloc_anon_inode(S_IFSOCK | S_IRWXUGO);
	struct file *file;
	char name[32];

	if (!inode)
		return ERR_PTR(-ENOMEM);
	snprintf(name, sizeof(name), "socket:[%lu]", (unsigned long)inode->i_ino);
	file = alloc_file_pseudo(inode, NULL, name, O_RDWR | (flags & O_NONBLOCK),
				 &socket_file_ops);
	if (IS_ERR(file)) {
		iput(inode);
		return file;
	}
	file->private_data = sock;
	atomic_inc(&sockets);
	if (sock->ops->installed)
		sock->ops->installed(sock, file);
	return file;
}

static int __init proc_net_init(void)
{
	proc_net = proc_mkdir("net", NULL);
	return proc_net ? 0 : -ENOMEM;
}
device_initcall(proc_net_init);
