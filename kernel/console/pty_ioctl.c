/* ioctl(2) on the master of a pseudo-terminal: ioctl_tty(2). */
#include "arch/mm/uaccess.h"
#include "kernel/console/pty.h"
#include "kernel/errno.h"
#include "kernel/signal/signal.h"

#define TIOCPKT    0x5420
#define TIOCGPKT   0x80045438U
#define TIOCSPTLCK 0x40045431U
#define TIOCGPTLCK 0x80045439U
#define TIOCSIG    0x40045436U

static int set_packet_mode(struct pty *pty, const int __user *from)
{
	int on;

	if (get_user(on, from))
		return -EFAULT;
	spin_lock(&pty->lock);
	if (on && !pty->packet)
		pty->packet_status = 0;
	pty->packet = on;
	spin_unlock(&pty->lock);
	return 0;
}

static int set_lock(struct pty *pty, const int __user *from)
{
	int on;

	if (get_user(on, from))
		return -EFAULT;
	WRITE_ONCE(pty->locked, on != 0);
	return 0;
}

static int flush_master(struct pty *pty, unsigned queue)
{
	if (queue > TCIOFLUSH)
		return -EINVAL;
	if (queue != TCOFLUSH) {
		spin_lock(&pty->lock);
		pty->out.tail = pty->out.head;
		spin_unlock(&pty->lock);
		wake_up_all(&pty->tty.write_wait);
	}
	if (queue != TCIFLUSH)
		pty->tty.ops->drop_input(&pty->tty);
	return 0;
}

int pty_master_ioctl(struct pty *pty, unsigned cmd, unsigned long arg)
{
	int __user *number = (int __user *)arg;
	pid_t nr;

	switch (cmd) {
	case TIOCSPTLCK:
		return set_lock(pty, number);
	case TIOCGPTLCK:
		return put_user((int)READ_ONCE(pty->locked), number);
	case TIOCPKT:
		return set_packet_mode(pty, number);
	case TIOCGPKT:
		return put_user((int)READ_ONCE(pty->packet), number);
	case TIOCSIG:
		if (arg != SIGINT && arg != SIGQUIT && arg != SIGTSTP)
			return -EINVAL;
		tty_signal_foreground(&pty->tty, (int)arg);
		return 0;
	case FIONREAD:
		return put_user((int)(READ_ONCE(pty->out.head) - READ_ONCE(pty->out.tail)), number);
	case TIOCOUTQ:
		return put_user(0, number);
	case TCFLSH:
		return flush_master(pty, (unsigned)arg);
	case TIOCGPGRP:
		return put_user(tty_pgrp_nr(&pty->tty), number);
	case TIOCGSID:
		nr = tty_session_nr(&pty->tty);
		return nr ? put_user(nr, number) : -ENOTTY;
	}
	return tty_ioctl(&pty->tty, cmd, arg); /* the modes and the size are those of the slave */
}
