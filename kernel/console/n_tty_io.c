/*
 * Connects the line discipline to a terminal: sleeping readers and writers, signals, flow control.
 */
#include "kernel/boot/boot_time.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/fasync.h"

#define N_TTY_CHUNK 256 /* bytes processed at once, on the stack */

/* ---- input ---- */

void n_tty_start(struct tty_struct *tty)
{
	if (!READ_ONCE(tty->flow_stopped))
		return;
	WRITE_ONCE(tty->flow_stopped, false);
	tty->ops->start(tty);
	wake_up(&tty->write_wait);
}

void n_tty_stop(struct tty_struct *tty)
{
	if (READ_ONCE(tty->flow_stopped))
		return;
	WRITE_ONCE(tty->flow_stopped, true);
	tty->ops->stop(tty);
}

/* Drops the output that has not been sent, shows the character of the signal, and sends it. */
static void n_tty_signal(struct tty_struct *tty, unsigned function, int sig)
{
	if (!(tty->ldata.termios.c_lflag & NOFLSH))
		tty->ops->flush_buffer(tty);
	n_tty_echo_signal(&tty->ldata, tty->ldata.termios.c_cc[function]);
	n_tty_start(tty);
	tty_program_ops->signal_foreground(tty, sig);
}

static void n_tty_act(struct tty_struct *tty, enum n_tty_action action)
{
	switch (action) {
	case N_TTY_NOTHING:
		break;
	case N_TTY_LINE:
		wake_up(&tty->read_wait);
		if (tty->ldata.termios.c_lflag & ICANON)
			kill_fasync(&tty->fasync, SIGIO, POLL_IN);
		break;
	case N_TTY_SIGINT:
		n_tty_signal(tty, VINTR, SIGINT);
		break;
	case N_TTY_SIGQUIT:
		n_tty_signal(tty, VQUIT, SIGQUIT);
		break;
	case N_TTY_SIGTSTP:
		n_tty_signal(tty, VSUSP, SIGTSTP);
		break;
	case N_TTY_STOP:
		n_tty_stop(tty);
		break;
	case N_TTY_START:
		n_tty_start(tty);
		break;
	}
}

/* Sends pending echo. output_lock held. */
static void flush_echoes(struct tty_struct *tty)
{
	u8 buf[N_TTY_CHUNK];
	size_t n;

	while ((n = process_echoes(&tty->ldata, buf, min(sizeof(buf), tty->ops->write_room(tty)))))
		tty->ops->write(tty, buf, n);
	tty->ops->flush_chars(tty);
}

void n_tty_flush_echoes(struct tty_struct *tty)
{
	mutex_lock(&tty->output_lock);
	if (tty->ldata.echo_head != tty->ldata.echo_tail)
		flush_echoes(tty);
	mutex_unlock(&tty->output_lock);
}

/*
 * Whether input goes on without room for its echo. On a pseudo-terminal the task that reads the
 * echo may wait until its input has been taken, so the input must not wait for it.
 */
static bool drops_echo(const struct tty_struct *tty)
{
	return READ_ONCE(tty->flow_stopped) || !tty->port;
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
		if (!n_tty_receive_room(&tty->ldata, drops_echo(tty))) {
			flush_echoes(tty);
			if (!n_tty_receive_room(&tty->ldata, drops_echo(tty)))
				break;
		}
		if (!flags || flags[done] != TTY_OVERRUN)
			n_tty_act(tty, n_tty_receive_char(&tty->ldata, chars[done]));
		done++;
	}
	flush_echoes(tty);
	/* For bytes without lines one signal a time. */
	if (done && !(tty->ldata.termios.c_lflag & ICANON) && n_tty_input_polled(&tty->ldata))
		kill_fasync(&tty->fasync, SIGIO, POLL_IN);
	mutex_unlock(&tty->output_lock);
	mutex_unlock(&tty->input_lock);
	return done;
}

/*
 * Without ICANON: how many bytes end a read (VMIN), and how long it waits for the first or the next
 * one (VTIME, in tenths of a second; termios(3)).
 */
struct raw_read {
	size_t min;
	u64 time_ns;     /* 0: for ever */
	bool from_start; /* the time runs before the first byte, too */
};

static struct raw_read raw_read_rules(const struct termios *t, size_t count)
{
	struct raw_read rules = {
		.min = t->c_cc[VMIN],
		.time_ns = t->c_cc[VTIME] * (NSEC_PER_SEC / 10),
		.from_start = !t->c_cc[VMIN],
	};

	if (t->c_lflag & ICANON)
		rules = (struct raw_read){ .min = 1 };
	rules.min = min(rules.min, count);
	return rules;
}

/*
 * Sleeps until a byte comes. 0; -EINTR or its like; -ETIMEDOUT: the time is over, or vhangup(2);
 * -EIO: the other end is gone.
 */
static ssize_t n_tty_wait_for_input(struct tty_struct *tty, u64 time_ns, struct tty_user user)
{
	DEFINE_WAIT(wait);
	ssize_t error = 0;

	boot_stamp(BOOT_PROMPT);
	__atomic_fetch_add(&tty->waiting_readers, 1, __ATOMIC_RELAXED);
	for (;;) {
		prepare_to_wait(&tty->read_wait, &wait, TASK_INTERRUPTIBLE);
		if (input_available_p(&tty->ldata))
			break;
		if (tty_user_is_hung_up(tty, user)) {
			error = READ_ONCE(tty->hung_up) ? -EIO : -ETIMEDOUT;
			break;
		}
		if (signal_pending(current)) {
			error = interrupted_error();
			break;
		}
		if (!time_ns) {
			schedule();
			continue;
		}
		time_ns = schedule_timeout(time_ns);
		if (!time_ns) {
			error = input_available_p(&tty->ldata) ? 0 : -ETIMEDOUT;
			break;
		}
	}
	finish_wait(&tty->read_wait, &wait);
	__atomic_fetch_sub(&tty->waiting_readers, 1, __ATOMIC_RELAXED);
	return error;
}

/* Reads until a line, or enough bytes, are there. atomic_read_lock held. */
static ssize_t read_input(struct tty_struct *tty, u8 *buf, size_t count, struct tty_user user)
{
	struct raw_read rules = raw_read_rules(&tty->ldata.termios, count);
	ssize_t error;
	bool eof = false;
	size_t n = 0;

	if (tty->ops->flush_input && !input_available_p(&tty->ldata))
		tty->ops->flush_input(tty);
	/* Loops, because a ^C may drop the line between the wake-up and the copy. */
	while (!eof) {
		mutex_lock(&tty->input_lock);
		/* vhangup(2) counts, then drops the input. What comes later is for later files. */
		if (tty_user_is_hung_up(tty, user) && !READ_ONCE(tty->hung_up))
			eof = true;
		else
			n += canon_copy_from_read_buf(&tty->ldata, buf + n, count - n, &eof);
		mutex_unlock(&tty->input_lock);
		if ((n && n >= rules.min) || eof || n == count)
			break;
		if (!rules.min && !rules.time_ns)
			break; /* VMIN 0, VTIME 0: what is there */
		if (user.nonblock)
			return n ? (ssize_t)n : -EAGAIN;
		/* Between bytes, and before the first one only with VMIN 0. */
		error = n_tty_wait_for_input(tty, n || rules.from_start ? rules.time_ns : 0, user);
		if (error == -ETIMEDOUT)
			break;
		if (error)
			return n ? (ssize_t)n : error;
	}
	return (ssize_t)n;
}

ssize_t n_tty_read(struct tty_struct *tty, u8 *buf, size_t count, struct tty_user user)
{
	ssize_t n;
	int error;

	if (!count)
		return 0;
	error = tty_lock(&tty->atomic_read_lock, user.nonblock);
	if (error)
		return error;
	n = read_input(tty, buf, count, user);
	mutex_unlock(&tty->atomic_read_lock);
	tty->ops->input_taken(tty);
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
					    min(sizeof(out), tty->ops->write_room(tty)), &len);
		if (!used)
			break;
		tty->ops->write(tty, out, len);
		done += used;
	}
	tty->ops->flush_chars(tty);
	mutex_unlock(&tty->output_lock);
	return done;
}

ssize_t n_tty_write(struct tty_struct *tty, const u8 *buf, size_t count, struct tty_user user)
{
	size_t done = 0;
	ssize_t error = 0;

	while (done < count) {
		done += tty_bypasses_buffer(tty) ? uart_transmit(tty, buf + done, count - done)
						 : process_output(tty, buf + done, count - done);
		if (done == count)
			break;
		if (user.nonblock) {
			WRITE_ONCE(tty->write_async, READ_ONCE(tty->fasync) != NULL);
			error = -EAGAIN;
			break;
		}
		error = wait_event_interruptible(
			tty->write_wait, tty_writable(tty) || tty_user_is_hung_up(tty, user));
		if (error) {
			error = interrupted_error();
			break;
		}
		if (tty_user_is_hung_up(tty, user)) {
			error = -EIO;
			break;
		}
	}
	return done ? (ssize_t)done : error;
}
