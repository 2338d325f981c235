/*
 * Descriptors in messages, and the collector of sockets that nothing but messages holds.
 *
 * A message in a queue may hold files; a file may be a socket; so a socket may lie in its own
 * queue, or several in each other's. When the last descriptor of such a socket is closed, nothing
 * can ever receive the messages, and no reference count becomes 0.
 *
 * unix_gc() finds them. A socket whose file has as many references as messages hold it
 * (`inflight`) has no other user: it is a candidate. Then it counts for each candidate how many of
 * these messages lie in queues of candidates. A candidate with a message elsewhere can be received,
 * and with it, all that is reachable through its queue. The rest is garbage: its messages are taken
 * away and freed, which closes the files.
 *
 * All that changes these numbers holds unix_gc_lock: a message with files enters and leaves a queue
 * under it, and so does a copy for MSG_PEEK count the files. A task can get a reference on a
 * candidate's file in no other way: no table of descriptors has it.
 */
#include "fs/file/file.h"
#include "net/unix/unix.h"

DEFINE_SPINLOCK(unix_gc_lock);
static LIST_HEAD(inflight_socks); /* [G] of unix_sock.gc_node */
static unsigned nr_inflight;      /* [G] to write: descriptors of all kinds in messages */

void unix_inflight(struct scm_fp *fp, struct unix_sock *u)
{
	list_add_tail(&fp->node, &u->fps);
	for (unsigned i = 0; i < fp->count; i++) {
		struct unix_sock *child = unix_from_file(fp->file[i]);

		if (child && !child->inflight++)
			list_add_tail(&child->gc_node, &inflight_socks);
	}
	nr_inflight += fp->count;
}

void unix_notinflight(struct scm_fp *fp)
{
	list_del(&fp->node);
	for (unsigned i = 0; i < fp->count; i++) {
		struct unix_sock *u = unix_from_file(fp->file[i]);

		if (u && !--u->inflight)
			list_del_init(&u->gc_node);
	}
	nr_inflight -= fp->count;
}

/*
 * Calls fn for each candidate that a message in the queue of u holds. It looks at descriptors only,
 * for which users are charged: a queue may have any number of messages without some. G held.
 */
static void scan_queue(struct unix_sock *u, void (*fn)(struct unix_sock *child))
{
	struct scm_fp *fp;

	list_for_each_entry (fp, &u->fps, node) {
		for (unsigned i = 0; i < fp->count; i++) {
			struct unix_sock *child = unix_from_file(fp->file[i]);

			if (child && child->gc_candidate)
				fn(child);
		}
	}
}

/* The same for the queues that are reachable through u: those of connections not yet accepted. */
static void scan(struct unix_sock *u, void (*fn)(struct unix_sock *child))
{
	struct unix_msg *msg;

	scan_queue(u, fn);
	if (u->state != UNIX_LISTEN)
		return;
	spin_lock(&u->lock);
	list_for_each_entry (msg, &u->queue, list)
		if (msg->embryo)
			scan_queue(msg->embryo, fn);
	spin_unlock(&u->lock);
}

static void one_ref_less(struct unix_sock *child)
{
	child->gc_refs--;
}

static LIST_HEAD(
	reached); /* [G] candidates that are no garbage, whose queues are not scanned yet */

static void reach(struct unix_sock *child)
{
	child->gc_candidate = false;
	list_move_tail(&child->gc_node, &reached);
}

/* Sorts the sockets in messages: those that stay candidates are garbage. G held. */
static bool find_garbage(void)
{
	struct unix_sock *u, *next;
	LIST_HEAD(live);
	bool any = false;

	list_for_each_entry (u, &inflight_socks, gc_node) {
		u->gc_refs = u->inflight;
		u->gc_candidate = u->file && atomic_read(&u->file->f_count) == u->inflight;
		any |= u->gc_candidate;
	}
	if (!any)
		return false;
	list_for_each_entry (u, &inflight_socks, gc_node)
		if (u->gc_candidate)
			scan(u, one_ref_less);
	list_for_each_entry_safe (u, next, &inflight_socks, gc_node)
		if (u->gc_candidate && u->gc_refs > 0)
			reach(u);
	while (!list_empty(&reached)) {
		u = list_first_entry(&reached, struct unix_sock, gc_node);
		list_move_tail(&u->gc_node, &live);
		scan(u, reach);
	}
	any = false;
	list_for_each_entry (u, &inflight_socks, gc_node)
		any |= u->gc_candidate;
	list_splice_tail_init(&live, &inflight_socks);
	return any;
}

/* Takes the messages with files from the queue of u. G held. */
static void take_messages(struct unix_sock *u, struct list_head *garbage)
{
	struct unix_msg *msg, *next;

	spin_lock(&u->lock);
	list_for_each_entry_safe (msg, next, &u->queue, list) {
		if (!msg->fp)
			continue;
		list_move_tail(&msg->list, garbage);
		if (u->oob == msg)
			u->oob = NULL;
		u->queue_len--;
		u->queued_bytes -= msg->len - msg->offset;
		u->queued_memory -= msg->truesize;
	}
	spin_unlock(&u->lock);
}

static void take_garbage(struct list_head *garbage)
{
	struct unix_sock *u;
	struct unix_msg *msg;

	list_for_each_entry (u, &inflight_socks, gc_node) {
		if (!u->gc_candidate)
			continue;
		take_messages(u, garbage);
		if (u->state != UNIX_LISTEN)
			continue;
		spin_lock(&u->lock);
		list_for_each_entry (msg, &u->queue, list)
			if (msg->embryo)
				take_messages(msg->embryo, garbage);
		spin_unlock(&u->lock);
	}
	list_for_each_entry (msg, garbage, list)
		unix_notinflight(msg->fp);
}

void unix_gc(void)
{
	struct unix_msg *msg, *next;
	LIST_HEAD(garbage);

	if (!READ_ONCE(nr_inflight))
		return;
	spin_lock(&unix_gc_lock);
	if (find_garbage())
		take_garbage(&garbage);
	spin_unlock(&unix_gc_lock);
	list_for_each_entry_safe (msg, next, &garbage, list) {
		list_del_init(&msg->list);
		unix_free_msg(msg);
	}
}

/* ---- what sockets hold, for the OOM killer ---- */

/* The files of a message; of a socket its messages only: nothing goes in a circle. G held. */
static size_t files_memory(const struct scm_fp *fp)
{
	size_t bytes = sizeof(*fp);

	for (unsigned i = 0; i < fp->count; i++) {
		struct unix_sock *child = unix_from_file(fp->file[i]);

		if (child)
			bytes += READ_ONCE(child->queued_memory) /
				 (unsigned)max(atomic_read(&fp->file[i]->f_count), 1);
		else
			bytes += file_memory(fp->file[i]);
	}
	return bytes;
}

/* G held. */
static size_t queue_memory(const struct unix_sock *u)
{
	size_t bytes = READ_ONCE(u->queued_memory);
	const struct scm_fp *fp;

	list_for_each_entry (fp, &u->fps, node)
		bytes += files_memory(fp);
	return bytes;
}

size_t unix_memory(struct socket *sock)
{
	struct unix_sock *u = unix_sk(sock);
	struct unix_msg *msg;
	size_t bytes;

	if (!spin_trylock(&unix_gc_lock))
		return 0;
	bytes = queue_memory(u);
	if (u->state == UNIX_LISTEN && spin_trylock(&u->lock)) {
		list_for_each_entry (msg, &u->queue, list)
			bytes += msg->truesize + queue_memory(msg->embryo);
		spin_unlock(&u->lock);
	}
	spin_unlock(&unix_gc_lock);
	return bytes;
}
