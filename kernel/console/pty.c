/* Pseudo-terminals: the two rings, and how the slave is opened, closed and hung up. See pty.h. */
#include "kernel/console/pty.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/fasync.h"

static struct pty *to_pty(const struct tty_struct *tty)
{
	return container_of(tty, struct pty, tty);
}

static size_t ring_used(const struct pty_ring *ring)
{
	return smp_load_acquire(&ring->head) - smp_load_acquire(&ring->tail);
}

static size_t ring_room(const struct pty_ring *ring)
{
	return PTY_RING_SIZE - ring_used(ring);
}

/* noinline, as pty_write(): people look for them in a graph. */
static noinline size_t tty_insert_flip_string(struct pty_ring *ring, const u8 *buf, size_t count)
{
	size_t at = ring->head % PTY_RING_SIZE, first;

	count = min(count, ring_room(ring));
	first = min(count, PTY_RING_SIZE - at);
	memcpy(ring->bytes + at, buf, first);
	memcpy(ring->bytes, buf + first, count - first);
	smp_store_release(&ring->head, ring->head + (u32)count);
	return count;
}

static size_t ring_get(struct pty_ring *ring, u8 *buf, size_t count)
{
	size_t at = ring->tail % PTY_RING_SIZE, first;

	count = min(count, ring_used(ring));
	first = min(count, PTY_RING_SIZE - at);
	memcpy(buf, ring->bytes + at, first);
	memcpy(buf + first, ring->bytes, count - first);
	smp_store_release(&ring->tail, ring->tail + (u32)count);
	return count;
}

/*
 * A write to either side: puts bytes into the flip buffer of the other side, as many as have room,
 * and makes a kworker give them to it. Task context.
 */
static noinline size_t pty_write(struct pty_ring *to, const u8 *buf, size_t count)
{
	spin_lock(&to->pty->lock);
	count = tty_insert_flip_string(to, buf, count);
	spin_unlock(&to->pty->lock);
	if (count)
		schedule_work_unbound(&to->flush.work);
	return count;
}

/* ---- what the worker does ---- */

/*
 * Gives the line discipline what it takes. Returns whether the buffer was full, and is not any
 * more: then a writer may wait. buf_lock held.
 */
static bool push_input(struct pty *pty)
{
	struct pty_ring *in = &pty->in;
	bool was_full = false;
	size_t n, taken;

	do {
		size_t at = in->tail % PTY_RING_SIZE;
		u32 tail = in->tail;

		n = min(ring_used(in), PTY_RING_SIZE - at);
		taken = n ? n_tty_receive_buf(&pty->tty, in->bytes + at, NULL, n) : 0;
		smp_store_release(&in->tail, tail + (u32)taken);
		/* A writer adds bytes, then looks for room; this is the reverse order. */
		smp_mb();
		was_full |= taken && READ_ONCE(in->head) - tail == PTY_RING_SIZE;
	} while (n && taken == n);
	return was_full;
}

static void flush_input_to_ldisc(struct pty *pty)
{
	bool was_full;

	mutex_lock(&pty->tty.buf_lock);
	was_full = push_input(pty);
	mutex_unlock(&pty->tty.buf_lock);
	if (was_full)
		wake_up_all(&pty->write_wait);
}

/* The master has no line discipline: it reads from the buffer. */
static void flush_output_to_master(struct pty *pty)
{
	if (!pty_master_readable(pty))
		return;
	wake_up(&pty->read_wait);
	kill_fasync(&pty->fasync, SIGIO, POLL_IN);
}

/* For both sides. */
static void flush_ring(struct tty_flush *flush)
{
	struct pty_ring *ring = container_of(flush, struct pty_ring, flush);
	struct pty *pty = ring->pty;

	if (ring == &pty->in)
		flush_input_to_ldisc(pty);
	else
		flush_output_to_master(pty);
}

/* ---- the slave's driver ---- */

/* The line discipline has asked pty_write_room(), which says that there is none after ^S. */
static size_t pty_slave_write(struct tty_struct *tty, const u8 *buf, size_t count)
{
	return pty_write(&to_pty(tty)->out, buf, count);
}

static size_t pty_write_room(const struct tty_struct *tty)
{
	return READ_ONCE(tty->flow_stopped) ? 0 : ring_room(&to_pty(tty)->out);
}

/* What is written is sent. */
static size_t pty_chars_in_buffer(const struct tty_struct *tty)
{
	(void)tty;
	return 0;
}

/* The work is queued by each write. */
static void pty_flush_chars(struct tty_struct *tty)
{
	(void)tty;
}

/* Tells a master in packet mode what has happened; a later event may cancel an older one. */
static void packet_event(struct pty *pty, u8 set, u8 clear)
{
	bool wake;

	spin_lock(&pty->lock);
	wake = pty->packet && set;
	if (pty->packet)
		pty->packet_status = (pty->packet_status & (u8)~clear) | set;
	spin_unlock(&pty->lock);
	if (wake)
		wake_up_all(&pty->read_wait);
}

/* The first page of the output is with the reader already, as on Linux; the rest is dropped. */
static void pty_flush_buffer(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);

	spin_lock(&pty->lock);
	if (ring_used(&pty->out) > PAGE_SIZE)
		pty->out.head = pty->out.tail + PAGE_SIZE;
	spin_unlock(&pty->lock);
	packet_event(pty, TIOCPKT_FLUSHWRITE, 0);
}

static void pty_stop(struct tty_struct *tty)
{
	packet_event(to_pty(tty), TIOCPKT_STOP, TIOCPKT_START);
}

static void pty_start(struct tty_struct *tty)
{
	packet_event(to_pty(tty), TIOCPKT_START, TIOCPKT_STOP);
}

static void pty_input_taken(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);

	if (ring_used(&pty->in))
		schedule_work_unbound(&pty->in.flush.work);
}

static void pty_flush_input(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);

	if (ring_used(&pty->in))
		flush_work(&pty->in.flush.work);
}

static void pty_drop_input(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);

	mutex_lock(&tty->buf_lock);
	smp_store_release(&pty->in.tail, smp_load_acquire(&pty->in.head));
	mutex_unlock(&tty->buf_lock);
	wake_up_all(&pty->write_wait);
}

static void pty_changed(struct tty_struct *tty, unsigned what)
{
	struct pty *pty = to_pty(tty);
	const struct termios *t = &tty->ldata.termios;
	bool stops;

	if (what & TTY_CHANGED_FLUSH_READ)
		packet_event(pty, TIOCPKT_FLUSHREAD, 0);
	if (!(what & TTY_CHANGED_MODES))
		return;
	stops = (t->c_iflag & IXON) && t->c_cc[VSTOP] == STOP_CHAR && t->c_cc[VSTART] == START_CHAR;
	if (stops != pty->told_stops)
		packet_event(pty, stops ? TIOCPKT_DOSTOP : TIOCPKT_NOSTOP,
			     stops ? TIOCPKT_NOSTOP : TIOCPKT_DOSTOP);
	pty->told_stops = stops;
}

static const struct tty_operations pty_ops = {
	.write = pty_slave_write,
	.write_room = pty_write_room,
	.chars_in_buffer = pty_chars_in_buffer,
	.flush_chars = pty_flush_chars,
	.flush_buffer = pty_flush_buffer,
	.stop = pty_stop,
	.start = pty_start,
	.input_taken = pty_input_taken,
	.flush_input = pty_flush_input,
	.drop_input = pty_drop_input,
	.changed = pty_changed,
	.get = pty_slave_get,
	.close = pty_slave_close,
};

/* ---- life ---- */

static void init_ring(struct pty_ring *ring, struct pty *pty)
{
	ring->pty = pty;
	tty_flush_init(&ring->flush, flush_ring);
}

struct pty *pty_create(unsigned index)
{
	struct pty *pty = kzalloc(sizeof(*pty), GFP_KERNEL);

	if (!pty)
		return NULL;
	snprintf(pty->tty.name, sizeof(pty->tty.name), "pts/%u", index);
	tty_init(&pty->tty, &pty_ops);
	pty->tty.ldata.termios.c_cflag = 0xbf; /* B38400 CS8 CREAD */
	atomic_set(&pty->refs, 1);
	spin_lock_init(&pty->lock);
	init_ring(&pty->in, pty);
	init_ring(&pty->out, pty);
	mutex_init(&pty->write_lock);
	init_waitqueue_head(&pty->read_wait);
	init_waitqueue_head(&pty->write_wait);
	pty->locked = true;
	pty->told_stops = true;
	return pty;
}

static void pty_free_rcu(struct rcu_head *head)
{
	kfree(container_of(head, struct pty, rcu));
}

static void pty_put(struct pty *pty)
{
	if (!atomic_dec_and_test(&pty->refs))
		return;
	cancel_work_sync(&pty->in.flush.work);
	cancel_work_sync(&pty->out.flush.work);
	call_rcu(&pty->rcu, pty_free_rcu);
}

void pty_master_close(struct pty *pty)
{
	tty_hangup(&pty->tty, true);
	pty_put(pty);
}

bool pty_slave_get(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);

	if (READ_ONCE(tty->hung_up))
		return false;
	atomic_inc(&pty->refs);
	spin_lock(&pty->lock);
	pty->slaves++;
	pty->slave_closed = false;
	spin_unlock(&pty->lock);
	return true;
}

int pty_slave_open(struct tty_struct *tty)
{
	if (READ_ONCE(to_pty(tty)->locked))
		return -EIO;
	if (READ_ONCE(tty->exclusive) && !capable(CAP_SYS_ADMIN))
		return -EBUSY;
	return pty_slave_get(tty) ? 0 : -EIO;
}

void pty_slave_close(struct tty_struct *tty)
{
	struct pty *pty = to_pty(tty);
	bool last;

	spin_lock(&pty->lock);
	last = !--pty->slaves;
	if (last)
		pty->slave_closed = true;
	spin_unlock(&pty->lock);
	if (last) {
		wake_up_all(&pty->read_wait);
		wake_up_all(&pty->write_wait);
	}
	pty_put(pty);
}

/* ---- the master ---- */

bool pty_has_packet_status(const struct pty *pty)
{
	return READ_ONCE(pty->packet) && READ_ONCE(pty->packet_status);
}

bool pty_master_readable(struct pty *pty)
{
	return ring_used(&pty->out) || pty_has_packet_status(pty);
}

bool pty_slave_is_closed(struct pty *pty)
{
	return READ_ONCE(pty->slave_closed);
}

bool pty_master_writable(struct pty *pty)
{
	return ring_room(&pty->in) != 0;
}

/* Takes what is there. A packet begins with a byte that says what it is. */
static size_t take_output(struct pty *pty, u8 *buf, size_t count)
{
	size_t n = 0;

	spin_lock(&pty->lock);
	if (pty->packet && pty->packet_status) {
		buf[n++] = pty->packet_status;
		pty->packet_status = 0;
	} else if (ring_used(&pty->out)) {
		if (pty->packet)
			buf[n++] = TIOCPKT_DATA;
		n += ring_get(&pty->out, buf + n, count - n);
	}
	spin_unlock(&pty->lock);
	return n;
}

ssize_t pty_master_read(struct pty *pty, u8 *buf, size_t count, bool nonblock)
{
	size_t n;
	int error;

	if (!count)
		return 0;
	while (!(n = take_output(pty, buf, count))) {
		if (pty_slave_is_closed(pty) && !pty_master_readable(pty))
			return -EIO;
		if (nonblock)
			return -EAGAIN;
		error = wait_event_interruptible(pty->read_wait, pty_master_readable(pty) ||
									 pty_slave_is_closed(pty));
		if (error)
			return interrupted_error();
	}
	/* There is room again, for writers and for echo. */
	n_tty_flush_echoes(&pty->tty);
	wake_up_all(&pty->tty.write_wait);
	tty_write_async(&pty->tty);
	return (ssize_t)n;
}

ssize_t pty_master_write(struct pty *pty, const u8 *buf, size_t count, bool nonblock)
{
	size_t done = 0;
	int error = tty_lock(&pty->write_lock, nonblock);

	if (error)
		return error == -EINTR ? interrupted_error() : error;
	while (!error) {
		size_t n = pty_write(&pty->in, buf + done, count - done);

		done += n;
		if (done == count)
			break;
		if (n)
			continue;
		if (pty_slave_is_closed(pty))
			error = -EIO;
		else if (nonblock)
			error = -EAGAIN;
		else if (wait_event_interruptible(pty->write_wait,
						  pty_master_writable(pty) ||
							  pty_slave_is_closed(pty)))
			error = interrupted_error();
	}
	mutex_unlock(&pty->write_lock);
	return done ? (ssize_t)done : error;
}
