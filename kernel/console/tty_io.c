/* Terminals: read, write, poll and ioctl for device files. */
#include "kernel/process/pid.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

struct tty_struct *tty_find(unsigned index)
{
	return index < ARRAY_SIZE(serial8250_ports) ? serial8250_ports[index].tty : NULL;
}

int tty_lock(struct mutex *lock, bool nonblock)
{
	if (nonblock)
		return mutex_trylock(lock) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(lock) ? -EINTR : 0;
}

ssize_t tty_read(struct tty_struct *tty, char *buf, size_t count, bool nonblock)
{
	pid_t pgrp = READ_ONCE(tty->pgrp);

	if (pgrp && pgrp != task_pgrp_nr(current))
		return -EIO;
	return n_tty_read(tty, (u8 *)buf, count, nonblock);
}

ssize_t tty_write(struct tty_struct *tty, const char *buf, size_t count, bool nonblock)
{
	ssize_t n;
	int error = tty_lock(&tty->atomic_write_lock, nonblock);

	if (error)
		return error;
	n = n_tty_write(tty, (const u8 *)buf, count, nonblock);
	mutex_unlock(&tty->atomic_write_lock);
	return n;
}

bool tty_readable(struct tty_struct *tty)
{
	return input_available_p(&tty->ldata);
}

bool tty_bypasses_buffer(const struct tty_struct *tty)
{
	return READ_ONCE(tty->ldata.raw) && !tty->port->console;
}

bool tty_writable(struct tty_struct *tty)
{
	if (tty_bypasses_buffer(tty))
		return !READ_ONCE(tty->port->tx_blocked);
	return !READ_ONCE(tty->flow_stopped) &&
	       uart_chars_in_buffer(tty->port) <= UART_WAKEUP_CHARS;
}

/*
 * The modes after boot, with Linux's numbers: 115200 baud, 8 bits, and the flags that n_tty.h
 * lists.
 */
static const struct termios tty_std_termios = {
	.c_iflag = ICRNL | IXON,
	.c_oflag = OPOST | ONLCR,
	.c_cflag = 0x1cb2, /* B115200 CS8 CREAD HUPCL CLOCAL */
	.c_lflag = 0x8a3b, /* ISIG ICANON ECHO ECHOE ECHOK ECHOCTL ECHOKE IEXTEN */
	.c_cc = { INTR_CHAR, QUIT_CHAR, ERASE_CHAR, KILL_CHAR, EOF_CHAR, 0, 1, 0, START_CHAR,
		  STOP_CHAR, SUSP_CHAR, 0, REPRINT_CHAR, 0, WERASE_CHAR, LNEXT_CHAR },
};

static void tty_get_termios(struct tty_struct *tty, struct termios *t)
{
	*t = tty_std_termios;
	if (!READ_ONCE(tty->ldata.raw))
		return;
	t->c_iflag = 0;
	t->c_oflag &= ~OPOST;
	t->c_lflag &= ~(ECHO | ICANON | ISIG | IEXTEN);
}

static int tty_set_termios(struct tty_struct *tty, const struct termios *t)
{
	const u32 lflag = ECHO | ICANON | ISIG, iflag = ICRNL | IXON;
	bool raw = !(t->c_lflag & lflag) && !(t->c_oflag & OPOST) && !(t->c_iflag & iflag);
	bool std = (t->c_lflag & lflag) == lflag && (t->c_oflag & OPOST) &&
		   (t->c_iflag & iflag) == iflag;

	if (!raw && !std)
		return -EINVAL;
	if (tty_lock(&tty->atomic_write_lock, false))
		return -EINTR;
	if (READ_ONCE(tty->ldata.raw) != raw)
		n_tty_change_mode(tty, raw);
	mutex_unlock(&tty->atomic_write_lock);
	return 0;
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
	case TCGETS:
		tty_get_termios(tty, (struct termios *)arg);
		return 0;
	case TCSETS:
		return tty_set_termios(tty, (const struct termios *)arg);
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
