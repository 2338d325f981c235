/* AF_UNIX: making, closing and polling a socket. See unix.h. */
#include "net/unix/unix.h"

#include "fs/dcache.h"
#include "fs/fasync.h"
#include "fs/file.h"
#include "fs/poll.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/process/cred.h"

#define FIONREAD       0x541bU
#define TIOCOUTQ       0x5411U
#define SNDBUF_DEFAULT 212992

int unix_max_dgram_qlen = 10, unix_somaxconn = 4096;
DECLARE_WAIT_QUEUE_HEAD(unix_room_wait);

struct unix_sock *unix_create(unsigned type)
{
	struct unix_sock *u = kzalloc(sizeof(*u), GFP_KERNEL);

	if (!u)
		return NULL;
	atomic_set(&u->refs, 1);
	u->type = type;
	spin_lock_init(&u->lock);
	mutex_init(&u->iolock);
	mutex_init(&u->bind_lock);
	INIT_LIST_HEAD(&u->queue);
	INIT_LIST_HEAD(&u->bound);
	INIT_LIST_HEAD(&u->gc_node);
	init_waitqueue_head(&u->wait);
	u->backlog = (unsigned)READ_ONCE(unix_max_dgram_qlen);
	u->sndbuf = u->rcvbuf = SNDBUF_DEFAULT;
	u->rcvlowat = 1;
	u->peek_off = -1;
	unix_insert(u);
	return u;
}

struct unix_sock *unix_get(struct unix_sock *u)
{
	atomic_inc(&u->refs);
	return u;
}

void unix_put(struct unix_sock *u)
{
	if (!u || !atomic_dec_and_test(&u->refs))
		return;
	unix_address_put(u->addr);
	unix_cred_drop(&u->peercred);
	kfree(u);
}

struct unix_sock *unix_peer_get(struct unix_sock *u)
{
	struct unix_sock *peer;

	spin_lock(&u->lock);
	peer = u->peer ? unix_get(u->peer) : NULL;
	spin_unlock(&u->lock);
	return peer;
}

int unix_take_error(struct unix_sock *u)
{
	return READ_ONCE(u->error) ? -__atomic_exchange_n(&u->error, 0, __ATOMIC_SEQ_CST) : 0;
}

void unix_cred_current(struct unix_cred *cred)
{
	unix_cred_drop(cred);
	*cred = (struct unix_cred){ .pid = get_pid(current->group_leader->thread_pid),
				    .uid = current_cred()->euid,
				    .gid = current_cred()->egid };
}

void unix_cred_copy(struct unix_cred *to, const struct unix_cred *from)
{
	struct pid *old = to->pid;

	*to = *from;
	get_pid(to->pid);
	put_pid(old);
}

void unix_cred_drop(struct unix_cred *cred)
{
	put_pid(cred->pid);
	cred->pid = NULL;
}

int unix_sleep(s64 *timeout)
{
	if (!*timeout)
		return -EAGAIN;
	if (signal_pending(current))
		return *timeout == (s64)MAX_SCHEDULE_TIMEOUT ? interrupted_error() : -EINTR;
	*timeout = (s64)schedule_timeout((u64)*timeout);
	return 0;
}

s64 unix_timeout(s64 option, bool nonblock)
{
	if (nonblock)
		return 0;
	return option ? option : (s64)MAX_SCHEDULE_TIMEOUT;
}

/* ---- close ---- */

/* The peer of a connection: it can neither send nor receive more. */
static void disconnect_peer(struct unix_sock *peer, bool reset)
{
	spin_lock(&peer->lock);
	peer->shutdown = SHUT_ALL;
	if (reset)
		WRITE_ONCE(peer->error, ECONNRESET);
	spin_unlock(&peer->lock);
	wake_up_all(&peer->wait);
	unix_data_async(peer, POLL_HUP);
}

/* Takes the whole queue away: with unix_gc_lock, because messages with files leave it. */
static void take_queue(struct unix_sock *u, struct list_head *list)
{
	struct unix_msg *msg;

	spin_lock(&unix_gc_lock);
	spin_lock(&u->lock);
	list_splice_tail_init(&u->queue, list);
	u->oob = NULL;
	u->queue_len = 0;
	u->queued_bytes = 0;
	spin_unlock(&u->lock);
	list_for_each_entry (msg, list, list)
		if (msg->fp)
			unix_notinflight(msg->fp);
	spin_unlock(&unix_gc_lock);
}

void unix_release_sock(struct unix_sock *u, bool embryo)
{
	struct unix_msg *msg, *next;
	struct unix_sock *peer;
	LIST_HEAD(messages);
	bool unread;

	unix_remove(u);
	spin_lock(&u->lock);
	u->dead = true;
	u->shutdown = SHUT_ALL;
	peer = u->peer;
	u->peer = NULL;
	u->file = NULL;
	unread = u->state == UNIX_CONNECTED && !list_empty(&u->queue);
	spin_unlock(&u->lock);
	wake_up_all(&u->wait);
	if (peer) {
		if (!unix_is_dgram(u))
			disconnect_peer(peer, unread || embryo);
		unix_put(peer);
	}
	take_queue(u, &messages);
	list_for_each_entry_safe (msg, next, &messages, list) {
		list_del_init(&msg->list);
		unix_free_msg(msg);
	}
	wake_up_all(&unix_room_wait);
	unix_put(u);
}

static int unix_file_release(struct inode *inode, struct file *file)
{
	(void)inode;
	unix_release_sock(file->private_data, false);
	unix_gc();
	return 0;
}

/* ---- the file ---- */

bool unix_writable(const struct unix_sock *u)
{
	return (s64)atomic_read(&u->wmem) * 4 <= READ_ONCE(u->sndbuf);
}

void unix_space_async(struct unix_sock *u)
{
	if (READ_ONCE(u->nospace) && __atomic_exchange_n(&u->nospace, false, __ATOMIC_SEQ_CST))
		kill_fasync(&u->fasync, SIGIO, POLL_OUT);
}

/* Whether a datagram to the peer would have to wait for room in its queue. */
static bool peer_is_full(struct unix_sock *u)
{
	struct unix_sock *peer = unix_peer_get(u);
	bool full = peer && READ_ONCE(peer->peer) != u &&
		    READ_ONCE(peer->queue_len) > READ_ONCE(peer->backlog);

	unix_put(peer);
	return full;
}

static unsigned unix_poll(struct file *file, struct poll_table_struct *wait)
{
	struct unix_sock *u = file->private_data;
	unsigned mask = 0, shutdown;
	enum unix_state state;

	poll_wait(file, &u->wait, wait);
	if (unix_is_dgram(u))
		poll_wait(file, &unix_room_wait, wait);
	shutdown = READ_ONCE(u->shutdown);
	state = READ_ONCE(u->state);
	if (READ_ONCE(u->error))
		mask |= POLLERR;
	if (shutdown == SHUT_ALL)
		mask |= POLLHUP;
	if (shutdown & SHUT_RCV)
		mask |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (READ_ONCE(u->queue_len))
		mask |= POLLIN | POLLRDNORM;
	if (READ_ONCE(u->oob))
		mask |= POLLPRI;
	if (!unix_is_dgram(u) && state == UNIX_UNCONNECTED)
		mask |= POLLHUP;
	if (unix_writable(u) && state != UNIX_LISTEN && !(unix_is_dgram(u) && peer_is_full(u)))
		mask |= POLLOUT | POLLWRNORM | POLLWRBAND;
	else if (unix_is_dgram(u) && READ_ONCE(u->fasync))
		WRITE_ONCE(u->nospace, true);
	return mask;
}

static int unix_fasync(int fd, struct file *file, bool on)
{
	struct unix_sock *u = file->private_data;

	return fasync_helper(fd, file, on, &u->fasync);
}

/* ioctl(2) of sockets for the owner; fcntl(2) does the same for all files. */
#define FIOSETOWN  0x8901U
#define SIOCSPGRP  0x8902U
#define FIOGETOWN  0x8903U
#define SIOCGPGRP  0x8904U
#define SIOCATMARK 0x8905U

static long set_owner(struct file *file, int __user *arg)
{
	int who;

	return get_user(who, arg) ? -EFAULT : f_setown(file, who);
}

/* Whether the next byte of a stream is the urgent one. */
static bool at_mark(struct unix_sock *u)
{
	bool yes;

	spin_lock(&u->lock);
	yes = u->oob && u->oob == list_first_entry(&u->queue, struct unix_msg, list);
	spin_unlock(&u->lock);
	return yes;
}

static long unix_ioctl(struct file *file, unsigned cmd, unsigned long arg)
{
	struct unix_sock *u = file->private_data;
	size_t n = 0;

	switch (cmd) {
	case FIONREAD:
		if (READ_ONCE(u->state) == UNIX_LISTEN)
			return -EINVAL;
		spin_lock(&u->lock);
		if (u->type != SOCK_DGRAM)
			n = u->queued_bytes;
		else if (!list_empty(&u->queue))
			n = list_first_entry(&u->queue, struct unix_msg, list)->len;
		spin_unlock(&u->lock);
		return put_user((int)n, (int __user *)arg);
	case FIOSETOWN:
	case SIOCSPGRP:
		return set_owner(file, (int __user *)arg);
	case FIOGETOWN:
	case SIOCGPGRP:
		return put_user(f_getown(file), (int __user *)arg);
	case SIOCATMARK:
		return u->type == SOCK_STREAM ? put_user((int)at_mark(u), (int __user *)arg)
					      : -EOPNOTSUPP;
	case TIOCOUTQ:
		return put_user(atomic_read(&u->wmem), (int __user *)arg);
	}
	return -ENOTTY;
}

static ssize_t unix_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct unix_sock *u = file->private_data;
	struct unix_msghdr msg = { .iter = *to };
	ssize_t n;

	if (u->type == SOCK_STREAM && !to->count)
		return 0;
	n = unix_recvmsg(u, &msg, file->f_flags & O_NONBLOCK);
	scm_drop(msg.fp);
	unix_cred_drop(&msg.cred);
	*to = msg.iter;
	return n;
}

static ssize_t unix_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct file *file = iocb->ki_filp;
	struct unix_msghdr msg = { .iter = *from };
	ssize_t n = unix_sendmsg(file->private_data, &msg, file->f_flags & O_NONBLOCK);

	unix_cred_drop(&msg.cred);
	*from = msg.iter;
	return n;
}

const struct file_operations unix_file_operations = {
	.read_iter = unix_read_iter,
	.write_iter = unix_write_iter,
	.poll = unix_poll,
	.ioctl = unix_ioctl,
	.fasync = unix_fasync,
	.release = unix_file_release,
};

struct unix_sock *unix_from_file(const struct file *file)
{
	return file->f_op == &unix_file_operations ? file->private_data : NULL;
}

struct file *unix_file(struct unix_sock *u, unsigned flags)
{
	struct inode *inode = alloc_anon_inode(S_IFSOCK | S_IRWXUGO);
	struct file *file;
	char name[32];

	if (!inode)
		return ERR_PTR(-ENOMEM);
	snprintf(name, sizeof(name), "socket:[%lu]", (unsigned long)inode->i_ino);
	file = alloc_file_pseudo(inode, NULL, name, O_RDWR | (flags & O_NONBLOCK),
				 &unix_file_operations);
	if (IS_ERR(file)) {
		iput(inode);
		return file;
	}
	file->private_data = u;
	spin_lock(&u->lock);
	u->file = file;
	u->ino = inode->i_ino;
	spin_unlock(&u->lock);
	return file;
}
