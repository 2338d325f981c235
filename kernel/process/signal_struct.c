/* What the threads of a process share of signals: making and freeing it. */
#include "kernel/process/signal_struct.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/fork.h"
#include "kernel/signal/signal.h"

struct signal_struct *alloc_signal_struct(void)
{
	struct signal_struct *signal = kzalloc(sizeof(*signal), GFP_KERNEL);

	if (!signal)
		return NULL;
	atomic_set(&signal->sigcnt, 1);
	atomic_set(&signal->live, 1);
	signal->nr_threads = 1;
	INIT_LIST_HEAD(&signal->thread_head);
	init_waitqueue_head(&signal->wait_chldexit);
	init_rwsem(&signal->exec_update_lock);
	init_sigpending(&signal->shared_pending);
	INIT_LIST_HEAD(&signal->posix_timers);
	memcpy(signal->rlim, current->signal->rlim, sizeof(signal->rlim));
	signal->oom_score_adj = current->signal->oom_score_adj;
	signal->membarrier_registered = current->signal->membarrier_registered;
	return signal;
}

void put_signal_struct(struct signal_struct *signal)
{
	if (!atomic_dec_and_test(&signal->sigcnt))
		return;
	flush_sigqueue(&signal->shared_pending);
	free_spare_sigqueue(signal);
	put_pid(signal->tty_old_pgrp);
	kfree(signal);
}

static void free_sighand_rcu(struct rcu_head *head)
{
	kfree(container_of(head, struct sighand_struct, rcu));
}

void (*signalfd_cleanup_hook)(struct sighand_struct *sighand);

/* lock_task_sighand() may still be looking at it. */
void put_sighand(struct sighand_struct *sighand)
{
	if (!atomic_dec_and_test(&sighand->count))
		return;
	if (unlikely(!list_empty(&sighand->signalfd_wqh.head)))
		signalfd_cleanup_hook(sighand);
	call_rcu(&sighand->rcu, free_sighand_rcu);
}

struct sighand_struct *copy_actions(const struct sighand_struct *from, bool clear)
{
	struct sighand_struct *sighand = kmalloc(sizeof(*sighand), GFP_KERNEL);

	if (!sighand)
		return NULL;
	atomic_set(&sighand->count, 1);
	spin_lock_init(&sighand->siglock);
	init_waitqueue_head(&sighand->signalfd_wqh);
	memcpy(sighand->action, from->action, sizeof(sighand->action));
	if (clear)
		flush_signal_handlers(sighand, false);
	return sighand;
}

void flush_signal_handlers(struct sighand_struct *sighand, bool force_default)
{
	for (unsigned i = 0; i < _NSIG; i++) {
		struct k_sigaction *action = &sighand->action[i];

		if (force_default || action->handler != SIG_IGN)
			action->handler = SIG_DFL;
		action->flags = 0;
		action->restorer = NULL;
		action->mask = 0;
	}
}

int copy_sighand(u64 clone_flags, struct task_struct *p)
{
	struct sighand_struct *sighand = current->sighand;

	if ((clone_flags & CLONE_SIGHAND) || !current->mm) {
		atomic_inc(&sighand->count);
	} else {
		sighand = copy_actions(sighand, clone_flags & CLONE_CLEAR_SIGHAND);
		if (!sighand)
			return -ENOMEM;
	}
	p->sighand = sighand;
	return 0;
}
