/*
 * Sending: a message is copied from the program first, and then put into the queue of the receiver.
 */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "net/unix/unix.h"

#define STREAM_PIECE_MAX 32768 /* bytes of a stream in one message */

/* As Linux accounts a message: the buffer is a power of two, or pages. */
static unsigned truesize_of(size_t len)
{
	size_t size = 512;

	while (size < len + 320 && size < 16384)
		size *= 2;
	if (size < len + 320)
		size = ALIGN(len + 320, PAGE_SIZE);
	return (unsigned)size + 256;
}

struct unix_msg *unix_alloc_msg(struct unix_sock *sender, size_t len)
{
	struct unix_msg *msg = kmalloc(sizeof(*msg) + len, GFP_KERNEL);

	if (!msg)
		return NULL;
	memset(msg, 0, sizeof(*msg));
	INIT_LIST_HEAD(&msg->list);
	msg->sender = unix_get(sender);
	msg->len = len;
	msg->truesize = truesize_of(len);
	atomic_add((int)msg->truesize, &sender->wmem);
	return msg;
}

void unix_free_msg(struct unix_msg *msg)
{
	struct unix_sock *sender = msg->sender;

	atomic_sub((int)msg->truesize, &sender->wmem);
	if (msg->embryo)
		unix_release_sock(msg->embryo, true);
	else if (unix_writable(sender)) {
		wake_up_all(&sender->sock.wait);
		unix_space_async(sender);
	}
	unix_put(sender);
	unix_address_put(msg->from);
	unix_cred_drop(&msg->cred);
	scm_drop(msg->fp);
	kfree(msg);
}

static bool has_room(const struct unix_sock *u)
{
	return atomic_read(&u->wmem) < READ_ONCE(u->sock.sndbuf);
}

/*
 * Waits until the sender's messages leave room. A receiver that closes makes room, too: so the
 * error that it leaves comes first.
 */
static int wait_for_wmem(struct unix_sock *u, s64 *timeout)
{
	int err;

	for (;;) {
		DEFINE_WAIT(wait);

		err = sock_error(&u->sock);
		if (!err && (READ_ONCE(u->shutdown) & SHUT_SND))
			err = -EPIPE;
		if (err || has_room(u))
			return err;
		prepare_to_wait(&u->sock.wait, &wait, TASK_INTERRUPTIBLE);
		if (!has_room(u) && !(READ_ONCE(u->shutdown) & SHUT_SND)) {
			WRITE_ONCE(u->nospace, READ_ONCE(u->sock.fasync) != NULL);
			err = sock_sleep(timeout);
		}
		finish_wait(&u->sock.wait, &wait);
		if (err)
			return err;
	}
}

/* A message of the next len bytes of msg. Or an ERR_PTR. */
static struct unix_msg *make_msg(struct unix_sock *u, struct msghdr *hdr, size_t len, s64 *timeout)
{
	int err = wait_for_wmem(u, timeout);
	struct unix_msg *msg;

	if (err)
		return ERR_PTR(err);
	msg = unix_alloc_msg(u, len);
	if (!msg)
		return ERR_PTR(-ENOBUFS);
	if (copy_from_iter(msg->data, len, &hdr->iter) != len) {
		unix_free_msg(msg);
		return ERR_PTR(-EFAULT);
	}
	msg->from = unix_address_get(u);
	return msg;
}

/* Adds the sender's credentials, if it or the receiver wants them. */
static void add_cred(struct unix_msg *msg, struct unix_sock *u, const struct unix_sock *other,
		     const struct msghdr *hdr)
{
	if (hdr->has_cred)
		unix_cred_copy(&msg->cred, &hdr->cred);
	else if (READ_ONCE(u->sock.passcred) || READ_ONCE(other->sock.passcred))
		unix_cred_current(&msg->cred);
	else
		return;
	msg->has_cred = true;
}

/*
 * Appends msg to the queue of other. The caller holds the lock of other, and unix_gc_lock if msg
 * has descriptors, which enter the queue with it.
 */
static void append(struct unix_msg *msg, struct unix_sock *other)
{
	if (msg->fp)
		unix_inflight(msg->fp, other);
	msg->stamp = sock_stamp(&other->sock);
	list_add_tail(&msg->list, &other->queue);
	other->queue_len++;
	other->arrivals++;
	other->queued_bytes += msg->len;
	other->queued_memory += msg->truesize;
}

/* ---- streams ---- */

static int deliver_stream(struct unix_msg *msg, struct unix_sock *other, bool urgent)
{
	bool files = msg->fp != NULL;
	int err = 0;

	if (files)
		spin_lock(&unix_gc_lock);
	spin_lock(&other->lock);
	if (other->dead || (other->shutdown & SHUT_RCV))
		err = -EPIPE;
	else
		append(msg, other);
	if (!err && urgent)
		other->oob = msg; /* the one before is an ordinary byte now */
	spin_unlock(&other->lock);
	if (files)
		spin_unlock(&unix_gc_lock);
	return err;
}

/* The owner of the socket's file gets SIGURG, also without O_ASYNC. */
static void unix_urgent_async(struct unix_sock *u)
{
	struct fown_struct owner = { 0 };

	spin_lock(&fasync_lock);
	spin_lock(&u->lock);
	if (u->file && READ_ONCE(u->file->f_owner))
		owner = *u->file->f_owner;
	get_pid(owner.pid);
	spin_unlock(&u->lock);
	spin_unlock(&fasync_lock);
	if (send_sigurg(&owner))
		kill_fasync(&u->sock.fasync, SIGURG, POLL_PRI);
	put_pid(owner.pid);
}

/* Sends the next len bytes as one message. 0 or a negative errno. */
static int send_piece(struct unix_sock *u, struct unix_sock *other, struct msghdr *hdr, size_t len,
		      bool urgent, s64 *timeout)
{
	struct unix_msg *msg;
	int err;

	if (READ_ONCE(u->shutdown) & SHUT_SND)
		return -EPIPE;
	msg = make_msg(u, hdr, len, timeout);
	if (IS_ERR(msg))
		return (int)PTR_ERR(msg);
	add_cred(msg, u, other, hdr);
	msg->fp = hdr->fp;
	err = deliver_stream(msg, other, urgent);
	if (err) {
		msg->fp = NULL; /* still the caller's */
		unix_free_msg(msg);
		return err;
	}
	hdr->fp = NULL;
	if (urgent)
		unix_urgent_async(other);
	wake_up_all(&other->sock.wait);
	unix_data_async(other, POLL_IN);
	return 0;
}

/*
 * Descriptors go with the first piece, and need at least a byte. MSG_OOB: the last byte is urgent.
 */
static ssize_t send_pieces(struct unix_sock *u, struct unix_sock *other, struct msghdr *hdr,
			   s64 timeout)
{
	size_t piece = min((size_t)READ_ONCE(u->sock.sndbuf) / 2 - 64, (size_t)STREAM_PIECE_MAX);
	bool oob = hdr->flags & MSG_OOB;
	ssize_t sent = 0;

	while (hdr->iter.count) {
		bool urgent = oob && hdr->iter.count == 1;
		size_t len = urgent ? 1 : min(hdr->iter.count - oob, piece);
		int err = send_piece(u, other, hdr, len, urgent, &timeout);

		if (err)
			return sent ? sent : err;
		sent += (ssize_t)len;
	}
	return sent;
}

static ssize_t send_stream(struct unix_sock *u, struct msghdr *hdr, s64 timeout)
{
	struct unix_sock *other;
	ssize_t n;

	if ((hdr->flags & MSG_OOB) && !hdr->iter.count)
		return -EOPNOTSUPP;
	if (hdr->namelen)
		return READ_ONCE(u->state) == UNIX_CONNECTED ? -EISCONN : -EOPNOTSUPP;
	other = unix_peer_get(u);
	if (!other)
		return -ENOTCONN;
	n = READ_ONCE(u->shutdown) & SHUT_SND ? -EPIPE : send_pieces(u, other, hdr, timeout);
	unix_put(other);
	if (n == -EPIPE && !(hdr->flags & MSG_NOSIGNAL))
		send_sig(SIGPIPE);
	return n;
}

/* ---- datagrams and packets ---- */

/* The receiver is gone: a connected socket forgets it. */
static int receiver_is_dead(struct unix_sock *u, struct unix_sock *other)
{
	struct unix_sock *old = NULL;

	if (!unix_is_dgram(u))
		return -EPIPE;
	spin_lock(&u->lock);
	if (u->peer == other) {
		old = u->peer;
		u->peer = NULL;
		u->state = UNIX_UNCONNECTED;
	}
	spin_unlock(&u->lock);
	unix_put(old);
	return -ECONNREFUSED;
}

/* One try. 1: the queue of other is full. */
static int deliver_packet(struct unix_msg *msg, struct unix_sock *u, struct unix_sock *other)
{
	bool files = msg->fp != NULL, dead;
	int err = 0;

	if (files)
		spin_lock(&unix_gc_lock);
	spin_lock(&other->lock);
	dead = other->dead;
	if (dead)
		;
	else if (unix_is_dgram(u) && other->peer && other->peer != u)
		err = -EPERM;
	else if (other->shutdown & SHUT_RCV)
		err = -EPIPE;
	else if (other != u && other->peer != u && other->queue_len > other->backlog)
		err = 1;
	else
		append(msg, other);
	spin_unlock(&other->lock);
	if (files)
		spin_unlock(&unix_gc_lock);
	return dead ? receiver_is_dead(u, other) : err;
}

/* Waits for room in the queue of other. */
static int wait_for_room(struct unix_sock *other, s64 *timeout)
{
	DEFINE_WAIT(wait);
	int err = 0;

	prepare_to_wait(&unix_room_wait, &wait, TASK_INTERRUPTIBLE);
	if (!READ_ONCE(other->dead) && !(READ_ONCE(other->shutdown) & SHUT_RCV) &&
	    READ_ONCE(other->queue_len) > READ_ONCE(other->backlog))
		err = sock_sleep(timeout);
	finish_wait(&unix_room_wait, &wait);
	return err;
}

static ssize_t send_packet(struct unix_sock *u, struct unix_sock *other, struct msghdr *hdr,
			   s64 timeout)
{
	size_t len = hdr->iter.count;
	struct unix_msg *msg;
	int err;

	if (len > (size_t)READ_ONCE(u->sock.sndbuf) - 32)
		return -EMSGSIZE;
	err = sock_error(&u->sock);
	if (err)
		return err;
	if (READ_ONCE(u->shutdown) & SHUT_SND)
		return -EPIPE;
	msg = make_msg(u, hdr, len, &timeout);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	add_cred(msg, u, other, hdr);
	msg->fp = hdr->fp;
	while ((err = deliver_packet(msg, u, other)) > 0) {
		err = wait_for_room(other, &timeout);
		if (err)
			break;
	}
	if (err) {
		msg->fp = NULL; /* still the caller's */
		unix_free_msg(msg);
		return err;
	}
	hdr->fp = NULL;
	wake_up_all(&other->sock.wait);
	unix_data_async(other, POLL_IN);
	return (ssize_t)len;
}

static ssize_t send_dgram(struct unix_sock *u, struct msghdr *hdr, s64 timeout)
{
	struct unix_sock *other;
	ssize_t n;
	int err;

	if (u->sock.type == SOCK_SEQPACKET) {
		err = sock_error(&u->sock);
		if (err)
			return err;
		if (READ_ONCE(u->state) != UNIX_CONNECTED)
			return -ENOTCONN;
		hdr->namelen = 0;
	}
	if (READ_ONCE(u->sock.passcred)) {
		err = unix_autobind(u);
		if (err)
			return err;
	}
	if (hdr->namelen) {
		err = unix_check_name(&hdr->name.un, (int)hdr->namelen);
		if (err)
			return err;
		other = unix_find_other(&hdr->name.un, hdr->namelen, u->sock.type);
		if (IS_ERR(other))
			return PTR_ERR(other);
	} else {
		other = unix_peer_get(u);
		if (!other)
			return -ENOTCONN;
	}
	n = send_packet(u, other, hdr, timeout);
	unix_put(other);
	return n;
}

ssize_t unix_sendmsg(struct unix_sock *u, struct msghdr *msg, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(u->sock.sndtimeo), nonblock);

	if ((msg->flags & MSG_OOB) && u->sock.type != SOCK_STREAM)
		return -EOPNOTSUPP;
	return u->sock.type == SOCK_STREAM ? send_stream(u, msg, timeout)
					   : send_dgram(u, msg, timeout);
}
