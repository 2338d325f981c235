/*
 * Receiving. A task holds iolock while it copies the first message to the program: so no other task
 * takes it, although the copy may fault and no spinlock is held.
 */
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "net/unix/unix.h"

static struct unix_msg *first_msg(struct unix_sock *u)
{
	struct unix_msg *msg;

	spin_lock(&u->lock);
	msg = list_first_entry_or_null(&u->queue, struct unix_msg, list);
	spin_unlock(&u->lock);
	return msg;
}

/* The message after msg, or NULL. iolock held: so msg stays in the queue. */
static struct unix_msg *next_msg(struct unix_sock *u, struct unix_msg *msg)
{
	spin_lock(&u->lock);
	msg = msg->list.next == &u->queue ? NULL : list_next_entry(msg, list);
	spin_unlock(&u->lock);
	return msg;
}

/* Takes the message out of the queue, and wakes those who wait for room. */
static void unlink_msg(struct unix_sock *u, struct unix_msg *msg)
{
	bool files = msg->fp != NULL, was_full;

	if (files)
		spin_lock(&unix_gc_lock);
	spin_lock(&u->lock);
	list_del_init(&msg->list);
	if (u->oob == msg)
		u->oob = NULL;
	was_full = u->queue_len > u->backlog;
	u->queue_len--;
	u->queued_bytes -= msg->len - msg->offset;
	u->queued_memory -= msg->truesize;
	spin_unlock(&u->lock);
	if (files) {
		unix_notinflight(msg->fp);
		spin_unlock(&unix_gc_lock);
	}
	if (was_full)
		wake_up_all(&unix_room_wait);
}

/* Tells the program who sent the message, and the control data; peek: the message keeps its own. */
static int take_control(struct msghdr *hdr, struct unix_msg *msg, bool peek)
{
	if (msg->from && !hdr->namelen) {
		hdr->name.un = msg->from->name;
		hdr->namelen = msg->from->len;
	}
	if (msg->has_cred && !hdr->has_cred) {
		unix_cred_copy(&hdr->cred, &msg->cred);
		hdr->has_cred = true;
	}
	if (!msg->fp || hdr->fp)
		return 0;
	if (!peek) {
		hdr->fp = msg->fp;
		return 0;
	}
	hdr->fp = kzalloc(sizeof(*hdr->fp), GFP_KERNEL);
	if (!hdr->fp)
		return -ENOMEM;
	spin_lock(&unix_gc_lock);
	scm_copy(hdr->fp, msg->fp);
	spin_unlock(&unix_gc_lock);
	return 0;
}

/*
 * Waits until a message comes after the first `arrivals`; iolock held, and released while it
 * sleeps. 0; 1: no more messages will come; or a negative errno.
 */
static int wait_for_arrival(struct unix_sock *u, s64 *timeout, unsigned arrivals)
{
	int err = 0;

	while (!err && READ_ONCE(u->arrivals) == arrivals) {
		DEFINE_WAIT(wait);
		bool failed, ended;

		prepare_to_wait(&u->sock.wait, &wait, TASK_INTERRUPTIBLE);
		failed = READ_ONCE(u->sock.error);
		/* A socket of datagrams that does not wait says EAGAIN, also after shutdown(2). */
		ended = (READ_ONCE(u->shutdown) & SHUT_RCV) && (!unix_is_dgram(u) || *timeout);
		/* Read last: a message that came before the end is received before it. */
		if (READ_ONCE(u->arrivals) == arrivals) {
			err = failed ? sock_error(&u->sock) : 0;
			if (!err && ended)
				err = 1;
			if (!err) {
				mutex_unlock(&u->iolock);
				WRITE_ONCE(u->waits_for_data, u->sock.type == SOCK_STREAM);
				err = sock_sleep(timeout);
				WRITE_ONCE(u->waits_for_data, false);
				finish_wait(&u->sock.wait, &wait);
				mutex_lock(&u->iolock);
			}
		}
		finish_wait(&u->sock.wait, &wait);
	}
	return err;
}

/* ---- SO_PEEK_OFF: iolock held ---- */

/* How many bytes of the queue MSG_PEEK leaves out. */
static size_t peek_offset(const struct unix_sock *u)
{
	return u->peek_off > 0 ? (size_t)u->peek_off : 0;
}

/* Bytes were looked at, or were taken from the queue. */
static void peek_forward(struct unix_sock *u, size_t n)
{
	if (u->peek_off >= 0)
		WRITE_ONCE(u->peek_off, (int)min((size_t)u->peek_off + n, (size_t)INT32_MAX));
}

static void peek_back(struct unix_sock *u, size_t n)
{
	if (u->peek_off >= 0)
		WRITE_ONCE(u->peek_off, (size_t)u->peek_off > n ? u->peek_off - (int)n : 0);
}

/* ---- streams ---- */

/* Whether bytes of msg may follow those that hdr has got already. */
static bool may_join(struct unix_sock *u, const struct msghdr *hdr, const struct unix_msg *msg)
{
	if (hdr->fp && msg->fp)
		return false;
	if (!READ_ONCE(u->sock.passcred))
		return true;
	return hdr->cred.pid == msg->cred.pid && hdr->cred.uid == msg->cred.uid &&
	       hdr->cred.gid == msg->cred.gid;
}

/* Takes a message out of the queue, and frees it. */
static void drop_msg(struct unix_sock *u, struct unix_msg *msg)
{
	unlink_msg(u, msg);
	unix_free_msg(msg);
}

/* The program has a copy of the files; only the first bytes of a message carry them. */
static void drop_files(struct unix_msg *msg)
{
	struct scm_fp *fp;

	spin_lock(&unix_gc_lock);
	fp = msg->fp;
	msg->fp = NULL;
	unix_notinflight(fp);
	spin_unlock(&unix_gc_lock);
	scm_drop(fp);
}

/*
 * Copies from one message. Returns the bytes, or -EFAULT, -ENOMEM. *done: the next message waits.
 */
static ssize_t copy_stream(struct unix_sock *u, struct msghdr *hdr, struct unix_msg *msg,
			   bool *done)
{
	size_t n = min(msg->len - msg->offset, hdr->iter.count);
	int err;

	if (n && !(n = copy_to_iter(msg->data + msg->offset, n, &hdr->iter)))
		return -EFAULT;
	err = take_control(hdr, msg, true);
	if (err)
		return err;
	*done = msg->fp != NULL;
	spin_lock(&u->lock);
	msg->offset += n;
	u->queued_bytes -= n;
	spin_unlock(&u->lock);
	peek_back(u, n);
	if (*done)
		drop_files(msg);
	if (msg->offset == msg->len)
		drop_msg(u, msg);
	return (ssize_t)n;
}

/*
 * The message from which the stream continues. NULL: there is none; or the call has copied bytes,
 * and has come to the place of an urgent byte. Without copied bytes it passes that place, and drops
 * a byte that is not read inline. iolock held.
 */
static struct unix_msg *stream_msg(struct unix_sock *u, bool copied)
{
	struct unix_msg *msg;

	while ((msg = first_msg(u))) {
		bool taken = msg->offset == msg->len, urgent = READ_ONCE(u->oob) == msg;

		if (!taken && !urgent)
			break;
		if (copied) {
			if (taken)
				drop_msg(u, msg);
			return NULL;
		}
		if (urgent && READ_ONCE(u->sock.oobinline)) {
			spin_lock(&u->lock);
			u->oob = NULL;
			spin_unlock(&u->lock);
			break;
		}
		drop_msg(u, msg);
	}
	return msg;
}

/* Looks at messages without taking any. -EAGAIN: there is nothing to see. iolock held. */
static ssize_t peek_stream(struct unix_sock *u, struct msghdr *hdr)
{
	size_t skip = peek_offset(u), copied = 0;
	ssize_t result = -EAGAIN;
	bool done = false;

	for (struct unix_msg *msg = first_msg(u); msg && !done; msg = next_msg(u, msg)) {
		size_t there = msg->len - msg->offset,
		       n = min(there - min(skip, there), hdr->iter.count);
		bool urgent = READ_ONCE(u->oob) == msg;
		int err;

		if (copied && (urgent || !hdr->iter.count || !may_join(u, hdr, msg)))
			break;
		if (urgent && !READ_ONCE(u->sock.oobinline))
			continue;
		if (skip >= there) {
			skip -= there;
			continue;
		}
		if (n && !(n = copy_to_iter(msg->data + msg->offset + skip, n, &hdr->iter)))
			return copied ? result : -EFAULT;
		err = take_control(hdr, msg, true);
		if (err)
			return copied ? result : err;
		peek_forward(u, n);
		copied += n;
		result = (ssize_t)copied;
		done = msg->fp || !hdr->iter.count;
		skip = 0;
	}
	return result;
}

/* MSG_OOB: the urgent byte. Its place in the stream remains: a later read stops there. */
static ssize_t recv_urgent(struct unix_sock *u, struct msghdr *hdr, bool peek)
{
	struct unix_msg *msg = NULL;
	ssize_t n = 1;

	mutex_lock(&u->iolock);
	spin_lock(&u->lock);
	if (!u->sock.oobinline)
		msg = u->oob;
	if (msg && !peek) {
		u->oob = NULL;
		msg->offset = msg->len;
		u->queued_bytes--;
	}
	spin_unlock(&u->lock);
	if (!msg)
		n = -EINVAL;
	else if (hdr->iter.count && !copy_to_iter(msg->data, 1, &hdr->iter))
		n = -EFAULT;
	mutex_unlock(&u->iolock);
	if (n == 1)
		hdr->flags |= MSG_OOB;
	return n;
}

static ssize_t recv_stream(struct unix_sock *u, struct msghdr *hdr, s64 timeout, unsigned flags)
{
	size_t target = flags & MSG_WAITALL
				? hdr->iter.count
				: min(hdr->iter.count, (size_t)READ_ONCE(u->sock.rcvlowat));
	ssize_t copied = 0, n = 0;
	bool done = false;

	if (READ_ONCE(u->state) != UNIX_CONNECTED)
		return -EINVAL;
	if (flags & MSG_OOB)
		return recv_urgent(u, hdr, flags & MSG_PEEK);
	mutex_lock(&u->iolock);
	for (;;) {
		unsigned arrivals = READ_ONCE(u->arrivals);
		struct unix_msg *msg;

		if (flags & MSG_PEEK) {
			n = peek_stream(u, hdr);
			if (n != -EAGAIN) {
				copied = max(n, (ssize_t)0);
				break;
			}
		} else if ((msg = stream_msg(u, copied))) {
			if (copied && !may_join(u, hdr, msg))
				break;
			n = copy_stream(u, hdr, msg, &done);
			copied += max(n, (ssize_t)0);
			if (n <= 0 || done || !hdr->iter.count)
				break;
			continue;
		}
		if (copied && ((size_t)copied >= target || first_msg(u)))
			break;
		n = wait_for_arrival(u, &timeout, arrivals);
		if (n)
			break;
	}
	mutex_unlock(&u->iolock);
	if (copied)
		return copied;
	return n < 0 ? n : 0; /* 1: the end */
}

/* ---- datagrams and packets ---- */

/*
 * The message that the call gets, or NULL. MSG_PEEK with an offset passes what was looked at; *skip
 * becomes what is left out of the message. iolock held.
 */
static struct unix_msg *packet_msg(struct unix_sock *u, bool peek, size_t *skip)
{
	struct unix_msg *msg = first_msg(u);

	*skip = 0;
	if (!peek || u->peek_off < 0)
		return msg;
	for (*skip = peek_offset(u); msg; msg = next_msg(u, msg)) {
		if (*skip < msg->len || (!*skip && !msg->peeked))
			break;
		*skip -= msg->len;
	}
	return msg;
}

static ssize_t recv_packet(struct unix_sock *u, struct msghdr *hdr, s64 timeout, unsigned flags)
{
	bool peek = flags & MSG_PEEK;
	struct unix_msg *msg;
	size_t len, n, skip;
	int err = 0;

	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (u->sock.type == SOCK_SEQPACKET && READ_ONCE(u->state) != UNIX_CONNECTED)
		return -ENOTCONN;
	mutex_lock(&u->iolock);
	for (;;) {
		unsigned arrivals = READ_ONCE(u->arrivals);

		msg = packet_msg(u, peek, &skip);
		if (msg)
			break;
		err = wait_for_arrival(u, &timeout, arrivals);
		if (err) {
			mutex_unlock(&u->iolock);
			return err < 0 ? err : 0;
		}
	}
	hdr->stamp = msg->stamp ?: sock_stamp(&u->sock);
	len = msg->len - skip;
	n = min(len, hdr->iter.count);
	/* A message that cannot be copied is lost, as on Linux. */
	err = copy_to_iter(msg->data + skip, n, &hdr->iter) == n ? 0 : -EFAULT;
	if (peek) {
		msg->peeked = true;
		if (!err)
			err = take_control(hdr, msg, true);
		if (!err)
			peek_forward(u, n);
	} else {
		unlink_msg(u, msg);
		if (!err)
			err = take_control(hdr, msg, false);
		if (!err)
			msg->fp = NULL;
		peek_back(u, len);
		unix_free_msg(msg);
	}
	mutex_unlock(&u->iolock);
	if (err)
		return err;
	if (n < len)
		hdr->flags |= MSG_TRUNC;
	return (ssize_t)(flags & MSG_TRUNC ? len : n);
}

ssize_t unix_recvmsg(struct unix_sock *u, struct msghdr *msg, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(u->sock.rcvtimeo), nonblock);
	unsigned flags = msg->flags;

	msg->flags = 0;
	msg->namelen = 0;
	return u->sock.type == SOCK_STREAM ? recv_stream(u, msg, timeout, flags)
					   : recv_packet(u, msg, timeout, flags);
}
