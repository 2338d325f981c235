/*
 * Terminals: the commands of ioctl(2) that read and set the modes, in all the forms that Linux has
 * (ioctl_tty(2)). The line discipline acts on the modes.
 */
#include "arch/mm/uaccess.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"

#define CAP_SYS_ADMIN 21

/* ---- speeds ---- */

/* What the codes of CBAUD mean: 0 to 15, and 0x1001 to 0x100f. */
static u32 baud_of_code(u32 code)
{
	static const u32 slow[16] = { 0,   50,   75,   110,  134,  150,  200,   300,
				      600, 1200, 1800, 2400, 4800, 9600, 19200, 38400 };
	static const u32 fast[16] = { 0,       57600,   115200,  230400,  460800,  500000,
				      576000,  921600,  1000000, 1152000, 1500000, 2000000,
				      2500000, 3000000, 3500000, 4000000 };

	return code & BOTHER ? fast[code & 15] : slow[code & 15];
}

/* [output_lock] */
static u32 output_speed(const struct tty_struct *tty)
{
	u32 code = tty->ldata.termios.c_cflag & CBAUD;

	return code == BOTHER ? tty->ospeed : baud_of_code(code);
}

static u32 input_speed(const struct tty_struct *tty)
{
	u32 code = tty->ldata.termios.c_cflag >> IBSHIFT & CBAUD;

	if (!code)
		return output_speed(tty);
	return code == BOTHER ? tty->ispeed : baud_of_code(code);
}

/* ---- modes ---- */

static void read_modes(struct tty_struct *tty, struct termios2 *t)
{
	mutex_lock(&tty->output_lock);
	t->modes = tty->ldata.termios;
	t->c_ispeed = input_speed(tty);
	t->c_ospeed = output_speed(tty);
	mutex_unlock(&tty->output_lock);
}

static void keep_locked_bits(u32 *new, u32 old, u32 locked)
{
	*new = (*new & ~locked) | (old & locked);
}

/* Takes the locked parts from the modes of now. */
static void keep_locked(struct termios *new, const struct termios *old,
			const struct termios *locked)
{
	keep_locked_bits(&new->c_iflag, old->c_iflag, locked->c_iflag);
	keep_locked_bits(&new->c_oflag, old->c_oflag, locked->c_oflag);
	keep_locked_bits(&new->c_cflag, old->c_cflag, locked->c_cflag);
	keep_locked_bits(&new->c_lflag, old->c_lflag, locked->c_lflag);
	if (locked->c_line)
		new->c_line = old->c_line;
	for (unsigned i = 0; i < NCCS; i++)
		if (locked->c_cc[i])
			new->c_cc[i] = old->c_cc[i];
}

/* modes_lock is held. */
static void set_modes(struct tty_struct *tty, struct termios2 *t, bool flush)
{
	mutex_lock(&tty->output_lock);
	keep_locked(&t->modes, &tty->ldata.termios, &tty->termios_locked);
	tty->ispeed = t->c_ispeed;
	tty->ospeed = t->c_ospeed;
	mutex_unlock(&tty->output_lock);
	n_tty_change_modes(tty, &t->modes, flush);
}

/* The upper halves of the flags, and the characters behind the eighth, stay as they are. */
static int get_termio(struct termios *t, const struct termio __user *from)
{
	struct termio old;

	if (copy_from_user(&old, from, sizeof(old)))
		return -EFAULT;
	keep_locked_bits(&t->c_iflag, old.c_iflag, 0xffff);
	keep_locked_bits(&t->c_oflag, old.c_oflag, 0xffff);
	keep_locked_bits(&t->c_cflag, old.c_cflag, 0xffff);
	keep_locked_bits(&t->c_lflag, old.c_lflag, 0xffff);
	t->c_line = old.c_line;
	memcpy(t->c_cc, old.c_cc, sizeof(old.c_cc));
	return 0;
}

static int put_termio(struct termio __user *to, const struct termios *t)
{
	struct termio old = { .c_iflag = (u16)t->c_iflag,
			      .c_oflag = (u16)t->c_oflag,
			      .c_cflag = (u16)t->c_cflag,
			      .c_lflag = (u16)t->c_lflag,
			      .c_line = t->c_line };

	memcpy(old.c_cc, t->c_cc, sizeof(old.c_cc));
	return copy_to_user(to, &old, sizeof(old)) ? -EFAULT : 0;
}

/* Reads the argument over the modes of now. */
static int get_argument(struct termios2 *t, unsigned cmd, const void __user *from)
{
	switch (cmd) {
	case TCSETA:
	case TCSETAW:
	case TCSETAF:
		return get_termio(&t->modes, from);
	case TCSETS2:
	case TCSETSW2:
	case TCSETSF2:
		return copy_from_user(t, from, sizeof(*t)) ? -EFAULT : 0;
	}
	return copy_from_user(&t->modes, from, sizeof(t->modes)) ? -EFAULT : 0;
}

static int tty_set_termios(struct tty_struct *tty, unsigned cmd, const void __user *from)
{
	bool flush = cmd == TCSETSF || cmd == TCSETSF2 || cmd == TCSETAF;
	bool now = cmd == TCSETS || cmd == TCSETS2 || cmd == TCSETA;
	struct termios2 t;
	int error = tty_check_change(tty, SIGTTOU);

	if (error)
		return error;
	read_modes(tty, &t);
	error = get_argument(&t, cmd, from);
	if (error)
		return error;
	if (!now)
		error = tty_wait_until_sent(tty);
	/* TCSETS does not wait for a writer: its caller may be the one who has to make room. */
	if (!now && !error)
		error = tty_lock(&tty->atomic_write_lock, false);
	if (error)
		return error;
	mutex_lock(&tty->modes_lock);
	set_modes(tty, &t, flush);
	mutex_unlock(&tty->modes_lock);
	if (!now)
		mutex_unlock(&tty->atomic_write_lock);
	return 0;
}

static int tty_get_termios(struct tty_struct *tty, unsigned cmd, void __user *to)
{
	struct termios2 t;

	read_modes(tty, &t);
	if (cmd == TCGETA)
		return put_termio(to, &t.modes);
	return copy_to_user(to, &t, cmd == TCGETS2 ? sizeof(t) : sizeof(t.modes)) ? -EFAULT : 0;
}

/* ---- what else belongs to the modes ---- */

static int get_locked(struct tty_struct *tty, struct termios __user *to)
{
	struct termios locked;

	mutex_lock(&tty->output_lock);
	locked = tty->termios_locked;
	mutex_unlock(&tty->output_lock);
	return copy_to_user(to, &locked, sizeof(locked)) ? -EFAULT : 0;
}

static int set_locked(struct tty_struct *tty, const struct termios __user *from)
{
	struct termios locked;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&locked, from, sizeof(locked)))
		return -EFAULT;
	mutex_lock(&tty->output_lock);
	tty->termios_locked = locked;
	mutex_unlock(&tty->output_lock);
	return 0;
}

static int set_soft_carrier(struct tty_struct *tty, const int __user *from)
{
	struct termios2 t;
	int on;

	if (get_user(on, from))
		return -EFAULT;
	mutex_lock(&tty->modes_lock);
	read_modes(tty, &t);
	t.modes.c_cflag = on ? t.modes.c_cflag | CLOCAL : t.modes.c_cflag & ~CLOCAL;
	set_modes(tty, &t, false);
	mutex_unlock(&tty->modes_lock);
	return 0;
}

/* There is one line discipline: N_TTY, number 0. */
static int set_discipline(const int __user *from)
{
	int number;

	if (get_user(number, from))
		return -EFAULT;
	return number ? -EINVAL : 0;
}

int tty_mode_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case TCGETS:
	case TCGETS2:
	case TCGETA:
		return tty_get_termios(tty, cmd, (void __user *)arg);
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
	case TCSETS2:
	case TCSETSW2:
	case TCSETSF2:
	case TCSETA:
	case TCSETAW:
	case TCSETAF:
		return tty_set_termios(tty, cmd, (const void __user *)arg);
	case TIOCGLCKTRMIOS:
		return get_locked(tty, (struct termios __user *)arg);
	case TIOCSLCKTRMIOS:
		return set_locked(tty, (const struct termios __user *)arg);
	case TIOCGSOFTCAR:
		return put_user(!!(READ_ONCE(tty->ldata.termios.c_cflag) & CLOCAL),
				(int __user *)arg);
	case TIOCSSOFTCAR:
		return set_soft_carrier(tty, (const int __user *)arg);
	case TIOCGETD:
		return put_user(0, (int __user *)arg);
	case TIOCSETD:
		return set_discipline((const int __user *)arg);
	}
	return -ENOTTY;
}
