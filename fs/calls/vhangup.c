/* vhangup(2): other programs lose the caller's terminal. */
#include "kernel/console/tty.h"
#include "kernel/task/cred.h"
#include "kernel/syscalls/syscalls.h"

/* Restricted: a pseudo-terminal cannot be opened again. */
SYSCALL_DEFINE0(vhangup)
{
	struct tty_struct *tty;

	if (!capable(CAP_SYS_TTY_CONFIG))
		return -EPERM;
	tty = open_current_tty();
	if (!tty)
		return 0;
	tty_hangup(tty, !tty->port);
	if (tty->ops->close)
		tty->ops->close(tty);
	return 0;
}
