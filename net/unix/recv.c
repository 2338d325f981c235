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

/*
 * Takes the message out of the queue, and wakes those who wait for room. False: the socket was
 * closed meanwhile, which has taken it.
 */
static void unlink_msg(struct unix_sock *u, struct unix_msg *msg)
{
	bool files = msg->fp != NULL, was_full;

	if (files)
		spin_lock(&unix_gc_lock);
	spin_lock(&u->lock);
	list_del_init(&msg->list);
	was_full = u->queue_len > u->backlog;
	u->queue_len--;
	u->queued_bytes -= msg->len - msg->offset;
	spin_unlock(&u->lock);
	if (files) {
		unix_notinflight(msg->fp);
		spin_unlock(&unix_gc_lock);
	}
	if (was_full)
		wake_up_all(&unix_room_wait);
}

/* Tells the program who sent the message, and the control data; peek: the message keeps its own. */
static int take_control(struct unix_msghdr *hdr, struct unix_msg *msg, bool peek)
{
	if (msg->from && !hdr->namelen) {
		hdr->name = msg->from->name;
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
 * Waits for a message; iolock held, and released while it sleeps. 0; 1: no more messages will come;
 * or a negative errno.
 */
static int wait_for_msg(struct unix_sock *u, s64 *timeout, struct unix_msg **msg)
{
	for (;;) {
		DEFINE_WAIT(wait);
		int err;

		prepare_to_wait(&u->wait, &wait, TASK_INTERRUPTIBLE);
		*msg = first_msg(u);
		if (*msg) {
			finish_wait(&u->wait, &wait);
			return 0;
		}
		err = unix_take_error(u);
		/* A socket of datagrams that does not wait says EAGAIN, also after shutdown(2). */
		if (!err && (READ_ONCE(u->shutdown) & SHUT_RCV) && (!unix_is_dgram(u) || *timeout))
			err = 1;
		if (!err) {
			mutex_unlock(&u->iolock);
			WRITE_ONCE(u->waits_for_data, u->type == SOCK_STREAM);
			err = unix_sleep(timeout);
			WRITE_ONCE(u->waits_for_data, false);
			finish_wait(&u->wait, &wait);
			mutex_lock(&u->iolock);
		} else {
			finish_wait(&u->wait, &wait);
		}
		if (err)
			return err;
	}
}

/* ---- streams ---- */

/* Whether bytes of msg may follow those that hdr has got already. */
static bool may_join(struct unix_sock *u, const struct unix_msghdr *hdr, const struct unix_msg *msg)
{
	if (hdr->fp && msg->fp)
		return false;
	if (!READ_ONCE(u->passcred))
		return true;
	return hdr->cred.pid == msg->cred.pid && hdr->cred.uid == msg->cred.uid &&
	       hdr->cred.gid == msg->cred.gid;
}

/* Copies from one message. Returns the bytes, or -EFAULT, -ENOMEM. *done: the next message waits.
 */
static ssize_t copy_stream(struct unix_sock *u, struct unix_msghdr *hdr, struct unix_msg *msg,
			   bool peek, bool *done)
{
	size_t n = min(msg->len - msg->offset, hdr->iter.count);
	bool files = msg->fp != NULL;
	int err;

	if (n && !(n = copy_to_iter(msg->data + msg->offset, n, &hdr->iter)))
		return -EFAULT;
	err = take_control(hdr, msg, true);
	if (err)
		return err;
	*done = files;
	if (peek)
		return (ssize_t)n;
	spin_lock(&u->lock);
	msg->offset += n;
	u->queued_bytes -= n;
	spin_unlock(&u->lock);
	if (files) {
		/* The program has its copy; only the first bytes of a message carry files. */
		struct scm_fp *fp;

		spin_lock(&unix_gc_lock);
		fp = msg->fp;
		msg->fp = NULL;
		unix_notinflight(fp);
		spin_unlock(&unix_gc_lock);
		scm_drop(fp);
	}
	if (msg->offset == msg->len) {
		unlink_msg(u, msg);
		unix_free_msg(msg);
	}
	return (ssize_t)n;
}

/* Looks at more than the first message without taking any. iolock held. */
static ssize_t peek_stream(struct unix_sock *u, struct unix_msghdr *hdr, struct unix_msg *msg)
{
	ssize_t copied = 0;
	bool done = false;

	while (msg && hdr->iter.count && !done) {
		ssize_t n;

		if (copied && !may_join(u, hdr, msg))
			break;
		n = copy_stream(u, hdr, msg, true, &done);
		if (n < 0)
			return copied ? copied : n;
		copied += n;
		spin_lock(&u->lock);
		msg = msg->list.next == &u->queue ? NULL : list_next_entry(msg, list);
		spin_unlock(&u->lock);
	}
	return copied;
}

static ssize_t recv_stream(struct unix_sock *u, struct unix_msghdr *hdr, s64 timeout,
			   unsigned flags)
{
	size_t target = flags & MSG_WAITALL ? hdr->iter.count
					    : min(hdr->iter.count, (size_t)READ_ONCE(u->rcvlowat));
	ssize_t copied = 0, n = 0;
	bool done = false;

	if (READ_ONCE(u->state) != UNIX_CONNECTED)
		return -EINVAL;
	mutex_lock(&u->iolock);
	do {
		struct unix_msg *msg = first_msg(u);

		if (!msg) {
			if (copied && (size_t)copied >= target)
				break;
			n = wait_for_msg(u, &timeout, &msg);
			if (n)
				break;
		}
		if (copied && !may_join(u, hdr, msg))
			break;
		n = flags & MSG_PEEK ? peek_stream(u, hdr, msg)
				     : copy_stream(u, hdr, msg, false, &done);
		if (n > 0)
			copied += n;
		if (flags & MSG_PEEK)
			break;
	} while (n > 0 && hdr->iter.count && !done);
	mutex_unlock(&u->iolock);
	if (copied)
		return copied;
	return n < 0 ? n : 0; /* 1: the end */
}

/* ---- datagrams and packets ---- */

static ssize_t recv_packet(struct unix_sock *u, struct unix_msghdr *hdr, s64 timeout,
			   unsigned flags)
{
	bool peek = flags & MSG_PEEK;
	struct unix_msg *msg;
	size_t len, n;
	int err;

	if (u->type == SOCK_SEQPACKET && READ_ONCE(u->state) != UNIX_CONNECTED)
		return -ENOTCONN;
	mutex_lock(&u->iolock);
	err = wait_for_msg(u, &timeout, &msg);
	if (err) {
		mutex_unlock(&u->iolock);
		return err < 0 ? err : 0;
	}
	len = msg->len;
	n = min(len, hdr->iter.count);
	/* A message that cannot be copied is lost, as on Linux. */
	err = copy_to_iter(msg->data, n, &hdr->iter) == n ? 0 : -EFAULT;
	if (!err && peek)
		err = take_control(hdr, msg, true);
	if (!peek) {
		unlink_msg(u, msg);
		if (!err)
			err = take_control(hdr, msg, false);
		if (!err)
			msg->fp = NULL;
		unix_free_msg(msg);
	}
	mutex_unlock(&u->iolock);
	if (err)
		return err;
	if (n < len)
		hdr->flags |= MSG_TRUNC;
	return (ssize_t)(flags & MSG_TRUNC ? len : n);
}

ssize_t unix_recvmsg(struct unix_sock *u, struct unix_msghdr *msg, bool nonblock)
{
	s64 timeout = unix_timeout(READ_ONCE(u->rcvtimeo), nonblock);
	unsigned flags = msg->flags;

	msg->flags = 0;
	msg->namelen = 0;
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	return u->type == SOCK_STREAM ? recv_stream(u, msg, timeout, flags)
				      : recv_packet(u, msg, timeout, flags);
}
