/* AF_UNIX: making, closing and polling a socket. See unix.h. */
#include "net/unix/unix.h"

#include "fs/vfs/dcache.h"
#include "fs/file/poll.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"

#define FIONREAD   0x541bU
#define TIOCOUTQ   0x5411U
#define SIOCATMARK 0x8905U

int unix_max_dgram_qlen = 10, unix_somaxconn = 4096;
DECLARE_WAIT_QUEUE_HEAD(unix_room_wait);
static const struct proto_ops unix_ops;

struct unix_sock *unix_create(unsigned type)
{
	struct unix_sock *u = kzalloc(sizeof(*u), GFP_KERNEL);

	if (!u)
		return NULL;
	atomic_set(&u->refs, 1);
	socket_init(&u->sock, &unix_ops, type, 0);
	spin_lock_init(&u->lock);
	mutex_init(&u->iolock);
	mutex_init(&u->bind_lock);
	INIT_LIST_HEAD(&u->queue);
	INIT_LIST_HEAD(&u->fps);
	INIT_LIST_HEAD(&u->bound);
	INIT_LIST_HEAD(&u->gc_node);
	u->backlog = (unsigned)READ_ONCE(unix_max_dgram_qlen);
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

/* ---- close ---- */

/* The peer of a connection: it can neither send nor receive more. */
static void disconnect_peer(struct unix_sock *peer, bool reset)
{
	spin_lock(&peer->lock);
	peer->shutdown = SHUT_ALL;
	if (reset)
		WRITE_ONCE(peer->sock.error, ECONNRESET);
	spin_unlock(&peer->lock);
	wake_up_all(&peer->sock.wait);
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
	u->queued_memory = 0;
	spin_unlock(&u->lock);
	list_for_each_entry (msg, list, list)
		if (msg->fp)
			unix_notinflight(msg->fp);
	spin_unlock(&unix_gc_lock);
}

bool unix_drop_queue(struct unix_sock *u)
{
	struct unix_msg *msg, *next;
	LIST_HEAD(messages);
	bool any;

	take_queue(u, &messages);
	any = !list_empty(&messages);
	list_for_each_entry_safe (msg, next, &messages, list) {
		list_del_init(&msg->list);
		unix_free_msg(msg);
	}
	return any;
}

void unix_release_sock(struct unix_sock *u, bool embryo)
{
	struct unix_sock *peer;
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
	wake_up_all(&u->sock.wait);
	if (peer) {
		if (!unix_is_dgram(u))
			disconnect_peer(peer, unread || embryo);
		unix_put(peer);
	}
	(void)unix_drop_queue(u);
	wake_up_all(&unix_room_wait);
	unix_put(u);
}

static void unix_release(struct socket *sock)
{
	unix_release_sock(unix_sk(sock), false);
	unix_gc();
}

/* ---- the file ---- */

bool unix_writable(const struct unix_sock *u)
{
	return (s64)atomic_read(&u->wmem) * 4 <= READ_ONCE(u->sock.sndbuf);
}

void unix_space_async(struct unix_sock *u)
{
	if (READ_ONCE(u->nospace) && __atomic_exchange_n(&u->nospace, false, __ATOMIC_SEQ_CST))
		kill_fasync(&u->sock.fasync, SIGIO, POLL_OUT);
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

static unsigned unix_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait)
{
	struct unix_sock *u = unix_sk(sock);
	unsigned mask = 0, shutdown;
	enum unix_state state;

	poll_wait(file, &u->sock.wait, wait);
	if (unix_is_dgram(u))
		poll_wait(file, &unix_room_wait, wait);
	shutdown = READ_ONCE(u->shutdown);
	state = READ_ONCE(u->state);
	if (READ_ONCE(u->sock.error))
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
	else if (unix_is_dgram(u) && READ_ONCE(u->sock.fasync))
		WRITE_ONCE(u->nospace, true);
	return mask;
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

static long unix_ioctl(struct socket *sock, unsigned cmd, unsigned long arg)
{
	struct unix_sock *u = unix_sk(sock);
	size_t n = 0;

	switch (cmd) {
	case FIONREAD:
		if (READ_ONCE(u->state) == UNIX_LISTEN)
			return -EINVAL;
		spin_lock(&u->lock);
		if (u->sock.type != SOCK_DGRAM)
			n = u->queued_bytes;
		else if (!list_empty(&u->queue))
			n = list_first_entry(&u->queue, struct unix_msg, list)->len;
		spin_unlock(&u->lock);
		return put_user((int)n, (int __user *)arg);
	case SIOCATMARK:
		return u->sock.type == SOCK_STREAM ? put_user((int)at_mark(u), (int __user *)arg)
						   : -EOPNOTSUPP;
	case TIOCOUTQ:
		return put_user(atomic_read(&u->wmem), (int __user *)arg);
	}
	return -ENOTTY;
}

static void unix_installed(struct socket *sock, struct file *file)
{
	struct unix_sock *u = unix_sk(sock);

	spin_lock(&u->lock);
	u->file = file;
	u->ino = file->f_inode->i_ino;
	spin_unlock(&u->lock);
}

/* ---- the family ---- */

static int unix_getname(struct socket *sock, union sockname *name, enum name_of whose)
{
	struct unix_sock *u = unix_sk(sock),
			 *peer = whose != NAME_OF_SOCKET ? unix_peer_get(u) : unix_get(u);
	struct unix_address *addr;
	int len = sizeof(u16);

	if (!peer)
		return -ENOTCONN;
	addr = unix_address_get(peer);
	name->un.sun_family = AF_UNIX;
	if (addr) {
		name->un = addr->name;
		len = (int)addr->len;
	}
	unix_address_put(addr);
	unix_put(peer);
	return len;
}

static int bind(struct socket *sock, const union sockname *name, int len)
{
	return unix_bind(unix_sk(sock), &name->un, len);
}

static int connect(struct socket *sock, const union sockname *name, int len, bool nonblock)
{
	return unix_connect(unix_sk(sock), &name->un, len, nonblock);
}

static struct socket *accept(struct socket *sock, bool nonblock)
{
	struct unix_sock *new = unix_accept(unix_sk(sock), nonblock);

	return IS_ERR(new) ? ERR_CAST(new) : &new->sock;
}

static int listen(struct socket *sock, int backlog)
{
	return unix_listen(unix_sk(sock), backlog);
}

static int shutdown(struct socket *sock, unsigned how)
{
	return unix_shutdown(unix_sk(sock), how);
}

static int socketpair(struct socket *a, struct socket *b)
{
	unix_socketpair(unix_sk(a), unix_sk(b));
	return 0;
}

static ssize_t sendmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	return unix_sendmsg(unix_sk(sock), msg, nonblock);
}

static ssize_t recvmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	return unix_recvmsg(unix_sk(sock), msg, nonblock);
}

static const struct proto_ops unix_ops = {
	.memory = unix_memory,
	.family = AF_UNIX,
	.release = unix_release,
	.bind = bind,
	.connect = connect,
	.socketpair = socketpair,
	.accept = accept,
	.listen = listen,
	.shutdown = shutdown,
	.getname = unix_getname,
	.setsockopt = unix_setsockopt,
	.getsockopt = unix_getsockopt,
	.sendmsg = sendmsg,
	.recvmsg = recvmsg,
	.scm_send = scm_send,
	.scm_recv = scm_recv,
	.poll = unix_poll,
	.ioctl = unix_ioctl,
	.installed = unix_installed,
};

static struct socket *create(unsigned type, int protocol)
{
	struct unix_sock *u;

	if (protocol && protocol != AF_UNIX)
		return ERR_PTR(-EPROTONOSUPPORT);
	if (type == SOCK_RAW) /* the same */
		type = SOCK_DGRAM;
	if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET)
		return ERR_PTR(-ESOCKTNOSUPPORT);
	u = unix_create(type);
	return u ? &u->sock : ERR_PTR(-ENOMEM);
}

SOCKET_FAMILY(unix) = { AF_UNIX, create };

struct unix_sock *unix_from_file(const struct file *file)
{
	struct socket *sock = sock_from_file(file);

	return sock && sock->ops == &unix_ops ? unix_sk(sock) : NULL;
}
