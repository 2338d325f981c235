/* Terminals: read, write and poll for device files. */
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/task/pid.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/fasync.h"

/* ---- without programs ---- */

static int anybody_may(struct tty_struct *tty, int sig)
{
	(void)tty, (void)sig;
	return 0;
}

static void signal_nobody(struct tty_struct *tty, int sig)
{
	(void)tty, (void)sig;
}

static void opened_by_kernel(struct tty_struct *tty)
{
	(void)tty;
}

static int no_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg, bool readable)
{
	(void)tty, (void)cmd, (void)arg, (void)readable;
	return -ENOTTY;
}

static struct tty_struct *no_current_tty(void)
{
	return NULL;
}

static const struct tty_program_ops no_programs = {
	.check_change = anybody_may,
	.signal_foreground = signal_nobody,
	.opened = opened_by_kernel,
	.ioctl = no_ioctl,
	.open_current = no_current_tty,
};
const struct tty_program_ops *tty_program_ops __ro_after_init = &no_programs;

/* ---- terminals ---- */

struct tty_struct *tty_find(unsigned index)
{
	return index < ARRAY_SIZE(serial8250_ports) ? serial8250_ports[index].tty : NULL;
}

struct pid *tty_get_pgrp(struct tty_struct *tty)
{
	struct pid *pgrp;

	spin_lock(&tty->ctrl_lock);
	pgrp = get_pid(tty->pgrp);
	spin_unlock(&tty->ctrl_lock);
	return pgrp;
}

int tty_lock(struct mutex *lock, bool nonblock)
{
	if (nonblock)
		return mutex_trylock(lock) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(lock);
}

ssize_t tty_read(struct tty_struct *tty, char *buf, size_t count, struct tty_user user)
{
	int error = tty_program_ops->check_change(tty, SIGTTIN);

	if (error)
		return error;
	return n_tty_read(tty, (u8 *)buf, count, user);
}

ssize_t tty_write(struct tty_struct *tty, const char *buf, size_t count, struct tty_user user)
{
	ssize_t n;
	int error = 0;

	if (READ_ONCE(tty->ldata.termios.c_lflag) & TOSTOP)
		error = tty_program_ops->check_change(tty, SIGTTOU);
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
	if (n_tty_input_polled(&tty->ldata))
		return true;
	if (!tty->ops->flush_input)
		return false;
	tty->ops->flush_input(tty);
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
	mutex_init(&tty->modes_lock);
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
