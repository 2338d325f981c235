/* Terminals as objects: what a device file's read, write, poll and ioctl come to. */
#include "kernel/boot_time.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

struct tty_struct *tty_find(unsigned index)
{
	return index < ARRAY_SIZE(serial8250_ports) ? serial8250_ports[index].tty : NULL;
}

ssize_t tty_read(struct tty_struct *tty, char *buf, size_t count, bool nonblock)
{
	boot_stamp(BOOT_PROMPT);
	return n_tty_read(tty, (u8 *)buf, count, nonblock);
}

ssize_t tty_write(struct tty_struct *tty, const char *buf, size_t count, bool nonblock)
{
	ssize_t n;

	if (mutex_lock_interruptible(&tty->atomic_write_lock))
		return -EINTR;
	n = n_tty_write(tty, (const u8 *)buf, count, nonblock);
	mutex_unlock(&tty->atomic_write_lock);
	return n;
}

bool tty_readable(struct tty_struct *tty)
{
	return input_available_p(&tty->ldata);
}

bool tty_writable(struct tty_struct *tty)
{
	return !READ_ONCE(tty->flow_stopped) &&
	       uart_chars_in_buffer(tty->port) <= UART_WAKEUP_CHARS;
}

int tty_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg)
{
	pid_t *pgrp = (pid_t *)arg;

	switch (cmd) {
	case TIOCGPGRP:
		*pgrp = READ_ONCE(tty->pgrp);
		return 0;
	case TIOCSPGRP:
		if (*pgrp < 0)
			return -EINVAL;
		WRITE_ONCE(tty->pgrp, *pgrp);
		return 0;
	}
	return -ENOTTY;
}

void tty_wakeup(struct tty_struct *tty)
{
	wake_up(&tty->write_wait);
	if (READ_ONCE(tty->ldata.echo_head) != READ_ONCE(tty->ldata.echo_tail) ||
	    tty_buffer_pending(tty))
		tty_buffer_restart_work(tty);
}

void tty_port_init(struct tty_struct *tty, struct uart_port *port, const char *name)
{
	strscpy(tty->name, name, sizeof(tty->name));
	tty->port = port;
	n_tty_init(&tty->ldata);
	mutex_init(&tty->atomic_read_lock);
	mutex_init(&tty->atomic_write_lock);
	mutex_init(&tty->buf_lock);
	mutex_init(&tty->input_lock);
	mutex_init(&tty->output_lock);
	init_waitqueue_head(&tty->read_wait);
	init_waitqueue_head(&tty->write_wait);
	tty_buffer_init(tty);
}
