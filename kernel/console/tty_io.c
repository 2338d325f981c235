/* Terminals: read, write, poll and ioctl for device files. */
#include "arch/mm/uaccess.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/sigio.h"

struct tty_struct *tty_find(unsigned index)
{
	return index < ARRAY_SIZE(serial8250_ports) ? serial8250_ports[index].tty : NULL;
}

int tty_lock(struct mutex *lock, bool nonblock)
{
	if (nonblock)
		return mutex_trylock(lock) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(lock);
}

ssize_t tty_read(struct tty_struct *tty, char *buf, size_t count, struct tty_user user)
{
	int error = tty_check_change(tty, SIGTTIN);

	if (error)
		return error;
	return n_tty_read(tty, (u8 *)buf, count, user);
}

ssize_t tty_write(struct tty_struct *tty, const char *buf, size_t count, struct tty_user user)
{
	ssize_t n;
	int error = 0;

	if (READ_ONCE(tty->ldata.termios.c_lflag) & TOSTOP)
		error = tty_check_change(tty, SIGTTOU);
	if (!error)
		error = tty_lock(&tty->atomic_write_lock, user.nonblock);
	if (error)
		return error;
	n = n_tty_write(tty, (const u8 *)buf, count, user);
	mutex_unlock(&tty->atomic_write_lock);
	return n;
}

bool tty_readable(struct tty_struct *tty)
{
	return n_tty_input_polled(&tty->ldata);
}

bool tty_bypasses_buffer(const struct tty_struct *tty)
{
	return tty->port && !tty->port->console && !(READ_ONCE(tty->ldata.termios.c_oflag) & OPOST);
}

bool tty_writable(struct tty_struct *tty)
{
	if (READ_ONCE(tty->flow_stopped))
		return false;
	if (tty_bypasses_buffer(tty))
		return !READ_ONCE(tty->port->tx_blocked);
	return tty->port ? tty->ops->chars_in_buffer(tty) <= UART_WAKEUP_CHARS
			 : tty->ops->write_room(tty) != 0;
}

int tty_wait_until_sent(struct tty_struct *tty)
{
	while (tty->ops->chars_in_buffer(tty)) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current)) {
			__set_current_state(TASK_RUNNING);
			return interrupted_error();
		}
		schedule_timeout(NSEC_PER_MSEC);
	}
	return 0;
}

static int tty_get_winsize(struct tty_struct *tty, struct winsize __user *result)
{
	struct winsize size;

	spin_lock(&tty->ctrl_lock);
	size = tty->winsize;
	spin_unlock(&tty->ctrl_lock);
	return copy_to_user(result, &size, sizeof(size)) ? -EFAULT : 0;
}

static int tty_set_winsize(struct tty_struct *tty, const struct winsize __user *from)
{
	struct winsize size;
	bool changed;

	if (copy_from_user(&size, from, sizeof(size)))
		return -EFAULT;
	spin_lock(&tty->ctrl_lock);
	changed = memcmp(&size, &tty->winsize, sizeof(size)) != 0;
	tty->winsize = size;
	spin_unlock(&tty->ctrl_lock);
	if (changed)
		tty_signal_foreground(tty, SIGWINCH);
	return 0;
}

int tty_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg)
{
	int error;

	switch (cmd) {
	case TIOCGWINSZ:
		return tty_get_winsize(tty, (struct winsize __user *)arg);
	case TIOCSWINSZ:
		return tty_set_winsize(tty, (const struct winsize __user *)arg);
	case FIONREAD:
		return put_user((int)n_tty_readable_bytes(&tty->ldata), (int __user *)arg);
	case TIOCOUTQ:
		return put_user((int)tty->ops->chars_in_buffer(tty), (int __user *)arg);
	case TIOCEXCL:
	case TIOCNXCL:
		WRITE_ONCE(tty->exclusive, cmd == TIOCEXCL);
		return 0;
	case TIOCGPTPEER:
		return -EIO; /* not the master of a pseudo-terminal */
	case TIOCGEXCL:
		return put_user((int)READ_ONCE(tty->exclusive), (int __user *)arg);
	case TCFLSH:
	case TCXONC:
	case TCSBRK:
	case TCSBRKP:
		error = tty_check_change(tty, SIGTTOU);
		if (error)
			return error;
		if (cmd == TCFLSH)
			return n_tty_flush(tty, (unsigned)arg);
		if (cmd == TCXONC)
			return n_tty_flow(tty, (unsigned)arg);
		return tty_wait_until_sent(tty); /* tcdrain(3); a break is not sent */
	}
	error = tty_mode_ioctl(tty, cmd, arg);
	return error == -ENOTTY ? tty_jobctrl_ioctl(tty, cmd, arg) : error;
}

void tty_write_async(struct tty_struct *tty)
{
	if (READ_ONCE(tty->write_async) &&
	    __atomic_exchange_n(&tty->write_async, false, __ATOMIC_SEQ_CST))
		kill_fasync(&tty->fasync, SIGIO, POLL_OUT);
}

/* A signal about a file is sent in task context: by the worker. */
void tty_wakeup(struct tty_struct *tty)
{
	wake_up(&tty->write_wait);
	if (READ_ONCE(tty->write_async) ||
	    READ_ONCE(tty->ldata.echo_head) != READ_ONCE(tty->ldata.echo_tail) ||
	    tty_buffer_pending(tty))
		tty_buffer_restart_work(tty);
}

void tty_init(struct tty_struct *tty, const struct tty_operations *ops)
{
	tty->ops = ops;
	n_tty_init(&tty->ldata);
	mutex_init(&tty->atomic_read_lock);
	mutex_init(&tty->atomic_write_lock);
	mutex_init(&tty->buf_lock);
	mutex_init(&tty->input_lock);
	mutex_init(&tty->output_lock);
	spin_lock_init(&tty->ctrl_lock);
	init_waitqueue_head(&tty->read_wait);
	init_waitqueue_head(&tty->write_wait);
}

void tty_port_init(struct tty_struct *tty, struct tty_bufhead *buf, struct uart_port *port,
		   const char *name)
{
	strscpy(tty->name, name, sizeof(tty->name));
	tty->port = port;
	tty_init(tty, &uart_ops);
	tty_buffer_init(tty, buf);
}
