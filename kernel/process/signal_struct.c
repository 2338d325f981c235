/* The handlers of signals, which the threads of a process share: copying and freeing them. */
#include "kernel/task/signal_struct.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/fork.h"
#include "kernel/signal/signal.h"

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
