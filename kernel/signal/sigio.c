/* Signals about files: sending them to the owner of a file. See sigio.h. */
#include "kernel/signal/sigio.h"

#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"

#define EPOLLIN     0x0001
#define EPOLLPRI    0x0002
#define EPOLLOUT    0x0004
#define EPOLLERR    0x0008
#define EPOLLHUP    0x0010
#define EPOLLRDNORM 0x0040
#define EPOLLRDBAND 0x0080
#define EPOLLWRNORM 0x0100
#define EPOLLWRBAND 0x0200

DEFINE_SPINLOCK(fasync_lock);

/* si_band: what poll(2) would say. */
static long band_events(int band)
{
	switch (band) {
	case POLL_IN:
		return EPOLLIN | EPOLLRDNORM;
	case POLL_OUT:
		return EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	case POLL_PRI:
		return EPOLLPRI | EPOLLRDBAND;
	}
	return EPOLLHUP | EPOLLERR;
}

/* May the task that has set the owner send p a signal? As kill(2), but without privileges. */
static bool sigio_perm(const struct fown_struct *owner, const struct task_struct *p)
{
	const struct cred *cred;
	bool ok;

	rcu_read_lock();
	cred = rcu_dereference(p->real_cred);
	ok = !owner->euid || owner->euid == cred->suid || owner->euid == cred->uid ||
	     owner->uid == cred->suid || owner->uid == cred->uid;
	rcu_read_unlock();
	return ok;
}

/* Signals whose codes mean something else. */
static bool has_codes_of_its_own(int sig)
{
	return sig == SIGILL || sig == SIGFPE || sig == SIGSEGV || sig == SIGBUS ||
	       sig == SIGTRAP || sig == SIGCHLD || sig == SIGSYS;
}

/* SIGIO tells no details; a signal that the owner has chosen does, if its queue has room. */
static void send_sigio_to_task(struct task_struct *p, const struct fown_struct *owner, int fd,
			       int band)
{
	struct siginfo info;

	if (!sigio_perm(owner, p))
		return;
	if (owner->signum) {
		init_siginfo(&info, owner->signum,
			     has_codes_of_its_own(owner->signum) ? SI_SIGIO : band);
		info.si_band = band_events(band);
		info.si_fd = fd;
		if (!do_send_sig_info(&info, p, owner->type))
			return;
	}
	init_siginfo(&info, SIGIO, SI_KERNEL);
	(void)do_send_sig_info(&info, p, owner->type);
}

/* For each task that is the owner. tasklist_lock held. */
#define for_each_owner(p, owner)                                                                   \
	for_each_pid_task (p, (owner)->pid,                                                        \
			   (owner)->type == PIDTYPE_PGID ? PIDTYPE_PGID : PIDTYPE_PID)

void fasync_link(struct fasync_struct *entry, struct fasync_struct **before)
{
	entry->next = *before;
	entry->pprev = before;
	if (entry->next)
		entry->next->pprev = &entry->next;
	WRITE_ONCE(*before, entry);
}

void fasync_unlink(struct fasync_struct *entry)
{
	WRITE_ONCE(*entry->pprev, entry->next);
	if (entry->next)
		entry->next->pprev = entry->pprev;
}

/* F held. */
static void send_for_file(const struct fasync_struct *entry, int sig, int band)
{
	const struct fown_struct *owner = entry->owner;
	struct task_struct *p;

	if (!owner->pid || (sig == SIGURG && !owner->signum))
		return;
	spin_lock(&tasklist_lock);
	for_each_owner (p, owner)
		send_sigio_to_task(p, owner, entry->fd, band);
	spin_unlock(&tasklist_lock);
}

/* Files that join during the walk stand at the head of the list: they get no signal. */
static void __kill_fasync(struct fasync_struct **list, int sig, int band)
{
	struct fasync_struct place = { 0 }, *entry;

	spin_lock(&fasync_lock);
	entry = *list;
	while (entry) {
		if (!entry->file) { /* the place of another call */
			entry = entry->next;
			continue;
		}
		send_for_file(entry, sig, band);
		entry = entry->next;
		if (!entry)
			break;
		fasync_link(&place, entry->pprev);
		spin_unlock(&fasync_lock); /* the task may be preempted here */
		spin_lock(&fasync_lock);
		entry = place.next;
		fasync_unlink(&place);
	}
	spin_unlock(&fasync_lock);
}

void fasync_forget(struct fasync_struct **list)
{
	struct fasync_struct *entry, *next;

	spin_lock(&fasync_lock);
	for (entry = *list; entry; entry = next) {
		next = entry->next;
		if (!entry->file)
			continue;
		WRITE_ONCE(*entry->flags, *entry->flags & ~(unsigned)FASYNC);
		fasync_unlink(entry);
		kfree(entry);
	}
	spin_unlock(&fasync_lock);
}

bool send_sigurg(const struct fown_struct *owner)
{
	struct task_struct *p;
	struct siginfo info;

	if (!owner->pid)
		return false;
	init_siginfo(&info, SIGURG, SI_KERNEL);
	spin_lock(&tasklist_lock);
	for_each_owner (p, owner)
		if (sigio_perm(owner, p))
			(void)do_send_sig_info(&info, p, owner->type);
	spin_unlock(&tasklist_lock);
	return true;
}

static int __init sigio_init(void)
{
	kill_fasync_hook = __kill_fasync;
	return 0;
}
early_initcall(sigio_init);
