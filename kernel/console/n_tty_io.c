/*
 * Connects the line discipline to a terminal: sleeping readers and writers, signals, flow control.
 */
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/sched/sched.h"

#define N_TTY_CHUNK 256 /* bytes processed at once, on the stack */

/* ---- input ---- */

static void isig(struct tty_struct *tty, int sig)
{
	pid_t pgrp = READ_ONCE(tty->pgrp);

	if (pgrp)
		(void)kill_pgrp(pgrp, sig, true); /* -ESRCH is fine: the job has just ended */
}

static void start_tty(struct tty_struct *tty)
{
	WRITE_ONCE(tty->flow_stopped, false);
	uart_start(tty->port);
	wake_up(&tty->write_wait);
}

static void stop_tty(struct tty_struct *tty)
{
	WRITE_ONCE(tty->flow_stopped, true);
	uart_stop(tty->port);
}

/* Drops the output that has not been sent, shows the signal character c, and resumes the output. */
static void n_tty_show_signal(struct tty_struct *tty, u8 c)
{
	uart_flush_buffer(tty->port);
	n_tty_echo_signal(&tty->ldata, c);
	start_tty(tty);
}

static void n_tty_signal(struct tty_struct *tty, u8 c, int sig)
{
	n_tty_show_signal(tty, c);
	isig(tty, sig);
}

static void n_tty_act(struct tty_struct *tty, enum n_tty_action action)
{
	switch (action) {
	case N_TTY_NOTHING:
		break;
	case N_TTY_LINE:
		wake_up(&tty->read_wait);
		break;
	case N_TTY_SIGINT:
		n_tty_signal(tty, INTR_CHAR, SIGINT);
		break;
	case N_TTY_SIGQUIT:
		n_tty_signal(tty, QUIT_CHAR, SIGQUIT);
		break;
	case N_TTY_SUSPEND:
		n_tty_show_signal(tty, SUSP_CHAR);
		break;
	case N_TTY_STOP:
		stop_tty(tty);
		break;
	case N_TTY_START:
		start_tty(tty);
		break;
	}
}

/* Sends pending echo. output_lock held. */
static void flush_echoes(struct tty_struct *tty)
{
	u8 buf[N_TTY_CHUNK];
	size_t n;

	while ((n = process_echoes(&tty->ldata, buf, min(sizeof(buf), uart_write_room(tty->port)))))
		uart_write(tty->port, buf, n);
	uart_flush_chars(tty->port);
}

void n_tty_flush_echoes(struct tty_struct *tty)
{
	mutex_lock(&tty->output_lock);
	if (tty->ldata.echo_head != tty->ldata.echo_tail)
		flush_echoes(tty);
	mutex_unlock(&tty->output_lock);
}

/*
 * A reader gets a break as a NUL, and the byte of a parity or framing error unchanged, as on Linux
 * without INPCK.
 */
size_t n_tty_receive_buf(struct tty_struct *tty, const u8 *chars, const u8 *flags, size_t count)
{
	size_t done = 0;

	mutex_lock(&tty->input_lock);
	mutex_lock(&tty->output_lock);
	while (done < count) {
		if (!n_tty_receive_room(&tty->ldata, tty->flow_stopped)) {
			flush_echoes(tty);
			if (!n_tty_receive_room(&tty->ldata, tty->flow_stopped))
				break;
		}
		if (flags[done] != TTY_OVERRUN)
			n_tty_act(tty, n_tty_receive_char(&tty->ldata, chars[done]));
		done++;
	}
	flush_echoes(tty);
	mutex_unlock(&tty->output_lock);
	mutex_unlock(&tty->input_lock);
	return done;
}

static ssize_t n_tty_wait_for_input(struct tty_struct *tty)
{
	ssize_t error;

	__atomic_fetch_add(&tty->waiting_readers, 1, __ATOMIC_RELAXED);
	error = wait_event_interruptible(tty->read_wait, input_available_p(&tty->ldata));
	__atomic_fetch_sub(&tty->waiting_readers, 1, __ATOMIC_RELAXED);
	return error;
}

ssize_t n_tty_read(struct tty_struct *tty, u8 *buf, size_t count, bool nonblock)
{
	ssize_t n = 0;
	bool eof = false;
	int error;

	if (!count)
		return 0;
	error = tty_lock(&tty->atomic_read_lock, nonblock);
	if (error)
		return error;
	/* Loops, because a ^C may drop the line between the wake-up and the copy. */
	while (!n && !eof) {
		if (!input_available_p(&tty->ldata)) {
			n = nonblock ? -EAGAIN : n_tty_wait_for_input(tty);
			if (n)
				break;
		}
		mutex_lock(&tty->input_lock);
		n = (ssize_t)canon_copy_from_read_buf(&tty->ldata, buf, count, &eof);
		mutex_unlock(&tty->input_lock);
	}
	mutex_unlock(&tty->atomic_read_lock);
	if (tty_buffer_pending(tty))
		tty_buffer_restart_work(tty);
	return n;
}

/* ---- output ---- */

/* Sends as many bytes of buf as fit now. Returns their number. */
static size_t process_output(struct tty_struct *tty, const u8 *buf, size_t count)
{
	size_t done = 0;

	mutex_lock(&tty->output_lock);
	flush_echoes(tty);
	while (done < count) {
		u8 out[N_TTY_CHUNK];
		size_t len, used;

		used = process_output_block(&tty->ldata, buf + done, count - done, out,
					    min(sizeof(out), uart_write_room(tty->port)), &len);
		if (!used)
			break;
		uart_write(tty->port, out, len);
		done += used;
	}
	uart_flush_chars(tty->port);
	mutex_unlock(&tty->output_lock);
	return done;
}

void n_tty_change_mode(struct tty_struct *tty, bool raw)
{
	mutex_lock(&tty->input_lock);
	mutex_lock(&tty->output_lock);
	n_tty_set_raw(&tty->ldata, raw);
	start_tty(tty);
	mutex_unlock(&tty->output_lock);
	mutex_unlock(&tty->input_lock);
}

ssize_t n_tty_write(struct tty_struct *tty, const u8 *buf, size_t count, bool nonblock)
{
	size_t done = 0;
	ssize_t error = 0;

	while (done < count) {
		done += tty_bypasses_buffer(tty)
				? uart_transmit(tty->port, buf + done, count - done)
				: process_output(tty, buf + done, count - done);
		if (done == count)
			break;
		if (nonblock) {
			error = -EAGAIN;
			break;
		}
		error = wait_event_interruptible(tty->write_wait, tty_writable(tty));
		if (error)
			break;
	}
	return done ? (ssize_t)done : error;
}
