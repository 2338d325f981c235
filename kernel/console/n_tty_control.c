/*
 * What programs ask of the line discipline by ioctl(2): other modes, queues emptied, output stopped
 * and started.
 */
#include "kernel/console/tty.h"
#include "kernel/errno.h"

void n_tty_change_modes(struct tty_struct *tty, const struct termios *new, bool flush)
{
	mutex_lock(&tty->input_lock);
	mutex_lock(&tty->output_lock);
	if (flush)
		n_tty_flush_input(&tty->ldata);
	n_tty_set_termios(&tty->ldata, new);
	if (!(new->c_iflag &IXON))
		n_tty_start(tty);
	mutex_unlock(&tty->output_lock);
	mutex_unlock(&tty->input_lock);
	if (tty->ops->changed)
		tty->ops->changed(tty, TTY_CHANGED_MODES | (flush ? TTY_CHANGED_FLUSH_READ : 0));
	wake_up(&tty->read_wait); /* what a reader waits for may be there now */
}

int n_tty_flush(struct tty_struct *tty, unsigned queue)
{
	if (queue > TCIOFLUSH)
		return -EINVAL;
	if (queue != TCOFLUSH && tty->ops->drop_input)
		tty->ops->drop_input(tty);
	mutex_lock(&tty->input_lock);
	mutex_lock(&tty->output_lock);
	if (queue != TCOFLUSH)
		n_tty_flush_input(&tty->ldata);
	if (queue != TCIFLUSH)
		tty->ops->flush_buffer(tty);
	mutex_unlock(&tty->output_lock);
	mutex_unlock(&tty->input_lock);
	if (tty->ops->changed && queue != TCOFLUSH)
		tty->ops->changed(tty, TTY_CHANGED_FLUSH_READ);
	tty->ops->input_taken(tty);
	wake_up(&tty->write_wait);
	return 0;
}

/* Asks the other side to stop or to go on, by a character that goes before all other output. */
static void send_control(struct tty_struct *tty, unsigned function)
{
	u8 c = tty->ldata.termios.c_cc[function];

	if (c == DISABLED_CHAR)
		return;
	mutex_lock(&tty->output_lock);
	if (tty->ops->write_room(tty))
		tty->ops->write(tty, &c, 1);
	tty->ops->flush_chars(tty);
	mutex_unlock(&tty->output_lock);
}

int n_tty_flow(struct tty_struct *tty, unsigned action)
{
	switch (action) {
	case TCOOFF:
		mutex_lock(&tty->output_lock);
		n_tty_stop(tty);
		mutex_unlock(&tty->output_lock);
		return 0;
	case TCOON:
		mutex_lock(&tty->output_lock);
		n_tty_start(tty);
		mutex_unlock(&tty->output_lock);
		return 0;
	case TCIOFF:
		send_control(tty, VSTOP);
		return 0;
	case TCION:
		send_control(tty, VSTART);
		return 0;
	}
	return -EINVAL;
}
