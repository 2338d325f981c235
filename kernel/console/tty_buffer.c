/* The flip buffer: holds received bytes between the interrupt and the line discipline. */
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"

bool tty_buffer_pending(const struct tty_struct *tty)
{
	return tty_buffer_used(tty) != 0;
}

void tty_flip_buffer_push(struct tty_struct *tty)
{
	schedule_work_unbound(&tty->buf->flush.work);
}

void tty_buffer_restart_work(struct tty_struct *tty)
{
	schedule_work_unbound(&tty->buf->flush.work);
}

/*
 * Gives the bytes up to the end of the array to the discipline. False: it can take no more, or the
 * buffer is empty.
 */
static bool receive_buf(struct tty_struct *tty)
{
	struct tty_bufhead *buf = tty->buf;
	u32 tail = buf->tail, at = tail % TTY_FLIP_SIZE;
	u32 count = min(tty_buffer_used(tty), TTY_FLIP_SIZE - at);
	size_t taken;

	if (!count)
		return false;
	taken = n_tty_receive_buf(tty, buf->chars + at, buf->flags + at, count);
	smp_store_release(&buf->tail, tail + (u32)taken);
	return taken == count;
}

/*
 * Gives the discipline all bytes that it takes. The rest stays here until a reader or the
 * transmitter makes room and restarts the work. Until then the UART fills this buffer, and is
 * throttled when it is full.
 */
static void flush_to_ldisc(struct work_struct *work)
{
	struct tty_flush *flush = container_of(work, struct tty_flush, work);
	struct tty_struct *tty;

	if (flush->fn) {
		flush->fn(flush);
		return;
	}
	tty = container_of(flush, struct tty_bufhead, flush)->tty;
	mutex_lock(&tty->buf_lock);
	n_tty_flush_echoes(tty);
	while (receive_buf(tty))
		;
	mutex_unlock(&tty->buf_lock);
	tty_write_async(tty);
	if (READ_ONCE(tty->port->throttled) && tty_buffer_space_avail(tty) >= TTY_FLIP_SIZE / 2)
		uart_unthrottle(tty->port);
}

void tty_buffer_input_taken(struct tty_struct *tty)
{
	if (tty_buffer_pending(tty))
		tty_buffer_restart_work(tty);
}

void tty_flush_init(struct tty_flush *flush, void (*fn)(struct tty_flush *flush))
{
	flush->fn = fn;
	INIT_WORK(&flush->work, flush_to_ldisc);
}

void tty_buffer_init(struct tty_struct *tty, struct tty_bufhead *buf)
{
	tty->buf = buf;
	buf->tty = tty;
	tty_flush_init(&buf->flush, NULL);
}
