/*
 * What the threads of a process share: making and freeing it. A kernel thread has one of its own.
 */
#include "kernel/task/signal_struct.h"

#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/task/program.h"
#include "kernel/task/task.h"

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
	if (program_ops.free_signals)
		program_ops.free_signals(signal);
	put_pid(signal->tty_old_pgrp);
	kfree(signal);
}
