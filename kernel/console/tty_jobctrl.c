/*
 * Job control: sessions and their terminals, jobs in the foreground and in the background.
 *
 * The terminal of a session is in signal->tty of its processes, and the session in tty->session.
 * Lock order: tasklist_lock, siglock, ctrl_lock.
 */
#include "kernel/console/tty.h"

#include "arch/uaccess.h"
#include "kernel/init.h"
#include "kernel/process/cred.h"
#include "kernel/process/process.h"
#include "kernel/process/session.h"
#include "kernel/process/signal_struct.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"

struct tty_struct *get_current_tty(void)
{
	return READ_ONCE(current->signal->tty);
}

/* The job in the foreground, with a reference. */
static struct pid *get_foreground(struct tty_struct *tty)
{
	struct pid *pgrp;

	spin_lock(&tty->ctrl_lock);
	pgrp = get_pid(tty->pgrp);
	spin_unlock(&tty->ctrl_lock);
	return pgrp;
}

void tty_signal_foreground(struct tty_struct *tty, int sig)
{
	struct pid *pgrp = get_foreground(tty);

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

	/* A kernel task has no session; it is in the foreground or not. */
	if (current->mm && get_current_tty() != tty)
		return 0;
	mine = get_task_pid(current->group_leader, PIDTYPE_PGID);
	foreground = get_foreground(tty);
	if (!foreground || mine == foreground) {
		ret = 0;
	} else if (!current->mm) {
		ret = sig == SIGTTIN ? -EIO : 0;
	} else if (is_ignored_or_blocked(sig)) {
		ret = sig == SIGTTIN ? -EIO : 0;
	} else if (is_current_pgrp_orphaned()) {
		ret = -EIO;
	} else {
		(void)kill_pid_pgrp(mine, sig);
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
	if (current->mm && signal->leader && !signal->tty && !tty->session)
		proc_set_tty(tty);
	spin_unlock(&tasklist_lock);
}

/* The processes of a session have no terminal any more. tasklist_lock held. */
static void session_clear_tty(struct pid *session)
{
	struct task_struct *p;

	for_each_pid_task(p, session, PIDTYPE_SID) WRITE_ONCE(p->signal->tty, NULL);
}

/* TIOCSCTTY. steal: root takes the terminal from another session. */
static int tiocsctty(struct tty_struct *tty, bool steal)
{
	struct signal_struct *signal = current->signal;
	int ret = 0;

	spin_lock(&tasklist_lock);
	if (signal->leader && signal->pids[PIDTYPE_SID] == tty->session) {
		WRITE_ONCE(signal->tty, tty);
	} else if (!signal->leader || signal->tty) {
		ret = -EPERM;
	} else if (tty->session && pid_task(tty->session, PIDTYPE_SID)) {
		if (steal && !current_euid())
			session_clear_tty(tty->session);
		else
			ret = -EPERM;
	}
	if (!ret && signal->pids[PIDTYPE_SID] != tty->session)
		proc_set_tty(tty);
	spin_unlock(&tasklist_lock);
	return ret;
}

/*
 * The current process, which leads a session, ends or gives up its terminal: SIGHUP and SIGCONT go
 * to the job in the foreground.
 */
static void disassociate_ctty(void)
{
	struct signal_struct *signal = current->signal;
	struct tty_struct *tty = signal->tty;
	struct pid *pgrp, *session;

	if (!tty || !signal->leader)
		return;
	spin_lock(&tasklist_lock);
	session_clear_tty(signal->pids[PIDTYPE_SID]);
	spin_unlock(&tasklist_lock);
	spin_lock(&tty->ctrl_lock);
	pgrp = tty->pgrp;
	session = tty->session;
	tty->pgrp = NULL;
	tty->session = NULL;
	spin_unlock(&tty->ctrl_lock);
	if (pgrp) {
		(void)kill_pid_pgrp(pgrp, SIGHUP);
		(void)kill_pid_pgrp(pgrp, SIGCONT);
	}
	put_pid(pgrp);
	put_pid(session);
}

static int tiocnotty(struct tty_struct *tty)
{
	if (get_current_tty() != tty)
		return -ENOTTY;
	if (current->signal->leader)
		disassociate_ctty();
	else
		WRITE_ONCE(current->signal->tty, NULL);
	return 0;
}

static int tiocgpgrp(struct tty_struct *tty, pid_t __user *result)
{
	struct pid *pgrp;
	pid_t nr;

	if (current->mm && get_current_tty() != tty)
		return -ENOTTY;
	pgrp = get_foreground(tty);
	nr = pgrp ? pgrp->nr : 0;
	put_pid(pgrp);
	return put_user(nr, result);
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
	    (get_current_tty() != tty || tty->session != current->signal->pids[PIDTYPE_SID]))
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
	spin_lock(&tty->ctrl_lock);
	old = tty->pgrp;
	tty->pgrp = ret ? NULL : pgrp;
	spin_unlock(&tty->ctrl_lock);
	put_pid(old);
	return 0;
}

static int tiocgsid(struct tty_struct *tty, pid_t __user *result)
{
	pid_t nr = 0;

	if (get_current_tty() != tty)
		return -ENOTTY;
	spin_lock(&tty->ctrl_lock);
	if (tty->session)
		nr = tty->session->nr;
	spin_unlock(&tty->ctrl_lock);
	return nr ? put_user(nr, result) : -ENOTTY;
}

int tty_jobctrl_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg)
{
	switch (cmd) {
	case TIOCSCTTY:
		return tiocsctty(tty, arg == 1);
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

/* setsid(2): a new session has no terminal. */
static void clear_tty(struct signal_struct *signal)
{
	WRITE_ONCE(signal->tty, NULL);
}

static int __init tty_jobctrl_init(void)
{
	clear_tty_hook = clear_tty;
	disassociate_ctty_hook = disassociate_ctty;
	return 0;
}
core_initcall(tty_jobctrl_init);
