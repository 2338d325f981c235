/*
 * Job control: sessions and their terminals, jobs in the foreground and in the background.
 *
 * The terminal of a session is in signal->tty of its processes, and the session in tty->session.
 * signal->tty does not count a pseudo-terminal: its hang-up sets all of them to NULL before the
 * terminal may be freed. So code that uses the object, and not only the address, holds
 * tasklist_lock, or has a file of the terminal open.
 *
 * Lock order: tasklist_lock, siglock, ctrl_lock.
 */
#include "kernel/console/tty.h"

#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/task/cred.h"
#include "kernel/process/part.h"
#include "kernel/process/process.h"
#include "kernel/process/session.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/signal/sigio.h"
#include "kernel/signal/signal.h"

struct tty_struct *current_tty(void)
{
	return READ_ONCE(current->signal->tty);
}

struct tty_struct *open_current_tty(void)
{
	struct tty_struct *tty;

	spin_lock(&tasklist_lock);
	tty = current->signal->tty;
	if (tty && tty->ops->get && !tty->ops->get(tty))
		tty = NULL;
	spin_unlock(&tasklist_lock);
	return tty;
}

void tty_signal_foreground(struct tty_struct *tty, int sig)
{
	struct pid *pgrp = tty_get_pgrp(tty);

	if (pgrp)
		(void)kill_pid_pgrp(pgrp, sig); /* -ESRCH is fine: the job has just ended */
	put_pid(pgrp);
}

static bool is_ignored_or_blocked(int sig)
{
	return (current->blocked & SIG_BIT(sig)) ||
	       current->sighand->action[sig - 1].handler == SIG_IGN;
}

int tty_check_change(struct tty_struct *tty, int sig)
{
	struct pid *mine, *foreground;
	int ret = 0;

	if (current_tty() != tty)
		return 0;
	mine = get_task_pid(current->group_leader, PIDTYPE_PGID);
	foreground = tty_get_pgrp(tty);
	if (!foreground || mine == foreground) {
		ret = 0;
	} else if (is_ignored_or_blocked(sig)) {
		ret = sig == SIGTTIN ? -EIO : 0;
	} else if (is_current_pgrp_orphaned()) {
		ret = -EIO;
	} else {
		(void)kill_pid_pgrp(mine, sig);
		/* If another thread takes the signal, the call of this one starts again, too. */
		set_user_work(current, USER_WORK_SIGPENDING);
		ret = -ERESTARTSYS;
	}
	put_pid(mine);
	put_pid(foreground);
	return ret;
}

/* Makes tty the terminal of the current process's session. tasklist_lock held. */
static void proc_set_tty(struct tty_struct *tty)
{
	struct signal_struct *signal = current->signal;
	struct pid *old_pgrp, *old_session;

	spin_lock(&tty->ctrl_lock);
	old_pgrp = tty->pgrp;
	old_session = tty->session;
	tty->pgrp = get_pid(signal->pids[PIDTYPE_PGID]);
	tty->session = get_pid(signal->pids[PIDTYPE_SID]);
	spin_unlock(&tty->ctrl_lock);
	put_pid(old_pgrp);
	put_pid(old_session);
	WRITE_ONCE(signal->tty, tty);
}

void tty_open_proc_set_tty(struct tty_struct *tty)
{
	struct signal_struct *signal = current->signal;

	spin_lock(&tasklist_lock);
	if (current->mm && signal->leader && !signal->tty && !tty->session && !tty->hung_up)
		proc_set_tty(tty);
	spin_unlock(&tasklist_lock);
}

/* The processes of a session have no terminal any more. tasklist_lock held. */
static void session_clear_tty(struct pid *session)
{
	struct task_struct *p;

	for_each_pid_task (p, session, PIDTYPE_SID)
		WRITE_ONCE(p->signal->tty, NULL);
}

int tiocsctty(struct tty_struct *tty, bool readable, bool steal)
{
	struct signal_struct *signal = current->signal;
	int ret = 0;

	spin_lock(&tasklist_lock);
	if (tty->hung_up) {
		ret = -EIO;
	} else if (signal->leader && signal->pids[PIDTYPE_SID] == tty->session) {
		WRITE_ONCE(signal->tty, tty);
	} else if (!signal->leader || signal->tty) {
		ret = -EPERM;
	} else if (tty->session && pid_task(tty->session, PIDTYPE_SID)) {
		if (steal && capable(CAP_SYS_ADMIN))
			session_clear_tty(tty->session);
		else
			ret = -EPERM;
	} else if (!readable && !capable(CAP_SYS_ADMIN)) {
		ret = -EPERM;
	}
	if (!ret && signal->pids[PIDTYPE_SID] != tty->session)
		proc_set_tty(tty);
	spin_unlock(&tasklist_lock);
	return ret;
}

/* A terminal that was hung up has left its job to the leader of the session, which ends now. */
static void hang_up_old_pgrp(struct signal_struct *signal)
{
	struct pid *pgrp = signal->tty_old_pgrp;

	signal->tty_old_pgrp = NULL;
	if (pgrp) {
		(void)kill_pid_pgrp(pgrp, SIGHUP);
		(void)kill_pid_pgrp(pgrp, SIGCONT);
	}
	put_pid(pgrp);
}

/*
 * The current process, which leads a session, ends or gives up its terminal: SIGHUP goes to the job
 * in the foreground, and SIGCONT if the process lives.
 */
static void disassociate_ctty(bool on_exit)
{
	struct signal_struct *signal = current->signal;
	struct pid *pgrp = NULL, *session = NULL;
	struct tty_struct *tty;

	if (!signal->leader)
		return;
	spin_lock(&tasklist_lock);
	tty = signal->tty;
	session_clear_tty(signal->pids[PIDTYPE_SID]);
	if (tty) {
		spin_lock(&tty->ctrl_lock);
		pgrp = tty->pgrp;
		session = tty->session;
		tty->pgrp = NULL;
		tty->session = NULL;
		spin_unlock(&tty->ctrl_lock);
	}
	spin_unlock(&tasklist_lock);
	if (pgrp) {
		(void)kill_pid_pgrp(pgrp, SIGHUP);
		if (!on_exit)
			(void)kill_pid_pgrp(pgrp, SIGCONT);
	}
	put_pid(pgrp);
	put_pid(session);
	if (!tty && on_exit)
		hang_up_old_pgrp(signal);
}

static void disassociate_on_exit(void)
{
	disassociate_ctty(true);
}

static const struct process_part controlling_terminal PROCESS_PART(controlling_terminal) = {
	.exit = disassociate_on_exit,
};

/* Takes the terminal from each process of its session. tasklist_lock held. */
static void signal_session_leader(struct tty_struct *tty)
{
	struct task_struct *p;

	for_each_pid_task (p, tty->session, PIDTYPE_SID) {
		if (p->signal->tty == tty)
			WRITE_ONCE(p->signal->tty, NULL);
		if (!p->signal->leader)
			continue;
		(void)send_signal(SIGHUP, p);
		(void)send_signal(SIGCONT, p);
		put_pid(p->signal->tty_old_pgrp);
		p->signal->tty_old_pgrp = get_pid(tty->pgrp);
	}
}

void tty_hangup(struct tty_struct *tty, bool for_ever)
{
	struct pid *pgrp, *session;

	spin_lock(&tasklist_lock);
	if (for_ever)
		WRITE_ONCE(tty->hung_up, true);
	else
		WRITE_ONCE(tty->hangups, tty->hangups + 1);
	if (tty->session)
		signal_session_leader(tty);
	spin_lock(&tty->ctrl_lock);
	pgrp = tty->pgrp;
	session = tty->session;
	tty->pgrp = NULL;
	tty->session = NULL;
	spin_unlock(&tty->ctrl_lock);
	spin_unlock(&tasklist_lock);
	put_pid(pgrp);
	put_pid(session);
	if (!for_ever)
		(void)n_tty_flush(tty, TCIOFLUSH);
	wake_up_all(&tty->read_wait);
	wake_up_all(&tty->write_wait);
	fasync_forget(&tty->fasync);
}

static int tiocnotty(struct tty_struct *tty)
{
	if (current_tty() != tty)
		return -ENOTTY;
	if (current->signal->leader)
		disassociate_ctty(false);
	else
		WRITE_ONCE(current->signal->tty, NULL);
	return 0;
}

pid_t tty_pgrp_nr(struct tty_struct *tty)
{
	pid_t nr;

	spin_lock(&tty->ctrl_lock);
	nr = tty->pgrp ? tty->pgrp->nr : 0;
	spin_unlock(&tty->ctrl_lock);
	return nr;
}

pid_t tty_session_nr(struct tty_struct *tty)
{
	pid_t nr;

	spin_lock(&tty->ctrl_lock);
	nr = tty->session ? tty->session->nr : 0;
	spin_unlock(&tty->ctrl_lock);
	return nr;
}

static int tiocgpgrp(struct tty_struct *tty, pid_t __user *result)
{
	if (current->mm && current_tty() != tty)
		return -ENOTTY;
	return put_user(tty_pgrp_nr(tty), result);
}

static int tiocspgrp(struct tty_struct *tty, const pid_t __user *from)
{
	struct pid *pgrp, *old;
	pid_t nr;
	int ret = tty_check_change(tty, SIGTTOU);

	if (ret)
		return ret == -EIO ? -ENOTTY : ret;
	if (get_user(nr, from))
		return -EFAULT;
	if (nr < 0)
		return -EINVAL;
	if (current->mm &&
	    (current_tty() != tty || tty->session != current->signal->pids[PIDTYPE_SID]))
		return -ENOTTY;
	spin_lock(&tasklist_lock);
	pgrp = nr ? find_pid(nr) : NULL;
	if (!pgrp || list_empty(&pgrp->tasks[PIDTYPE_PGID]))
		ret = -ESRCH;
	else if (current->mm && pid_task(pgrp, PIDTYPE_PGID)->signal->pids[PIDTYPE_SID] !=
					current->signal->pids[PIDTYPE_SID])
		ret = -EPERM;
	else
		get_pid(pgrp);
	spin_unlock(&tasklist_lock);
	if (ret && (nr || current->mm))
		return ret;
	old = ret ? NULL : pgrp;
	spin_lock(&tty->ctrl_lock);
	/* Again: a hang-up may have ended the session. */
	if (current->mm && tty->session != current->signal->pids[PIDTYPE_SID])
		ret = -ENOTTY;
	else
		swap(tty->pgrp, old);
	spin_unlock(&tty->ctrl_lock);
	put_pid(old);
	return ret == -ENOTTY ? ret : 0;
}

static int tiocgsid(struct tty_struct *tty, pid_t __user *result)
{
	pid_t nr;

	if (current_tty() != tty)
		return -ENOTTY;
	nr = tty_session_nr(tty);
	return nr ? put_user(nr, result) : -ENOTTY;
}

/* A byte goes into the input as if it had been typed, from the terminal's own session or root. */
static int tiocsti(struct tty_struct *tty, const u8 __user *from)
{
	u8 c;

	if (current_tty() != tty && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (get_user(c, from))
		return -EFAULT;
	n_tty_receive_buf(tty, &c, NULL, 1);
	return 0;
}

int tty_jobctrl_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case TIOCSTI:
		return tiocsti(tty, (const u8 __user *)arg);
	case TIOCNOTTY:
		return tiocnotty(tty);
	case TIOCGPGRP:
		return tiocgpgrp(tty, (pid_t __user *)arg);
	case TIOCSPGRP:
		return tiocspgrp(tty, (const pid_t __user *)arg);
	case TIOCGSID:
		return tiocgsid(tty, (pid_t __user *)arg);
	}
	return -ENOTTY;
}

/* setsid(2): a new session has no terminal. tasklist_lock held. */
static void clear_tty(struct signal_struct *signal)
{
	WRITE_ONCE(signal->tty, NULL);
	put_pid(signal->tty_old_pgrp);
	signal->tty_old_pgrp = NULL;
}

static int ioctl_of_file(struct tty_struct *tty, unsigned cmd, unsigned long arg, bool readable)
{
	return cmd == TIOCSCTTY ? tiocsctty(tty, readable, arg == 1) : tty_ioctl(tty, cmd, arg);
}

static const struct tty_program_ops tty_ops = {
	.check_change = tty_check_change,
	.signal_foreground = tty_signal_foreground,
	.opened = tty_open_proc_set_tty,
	.ioctl = ioctl_of_file,
	.open_current = open_current_tty,
};

static int __init tty_jobctrl_init(void)
{
	tty_program_ops = &tty_ops;
	clear_tty_hook = clear_tty;
	return 0;
}
core_initcall(tty_jobctrl_init);
