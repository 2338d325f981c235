/* ioctl_tty(2): what programs ask of terminals, but modes, sessions and jobs. */
#include "arch/mm/uaccess.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

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
