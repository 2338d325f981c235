/* The queues of pending signals. */
#include "kernel/signal/signal.h"

#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/rcu/rcu.h"

static struct kmem_cache *sigqueue_cache;

/* The entry is out of its queue. */
static void free_sigqueue(struct sigqueue *q)
{
	q->queued = false;
	if (q->taken)
		return; /* its owner keeps it */
	atomic_dec(&q->user->sigpending);
	put_user_struct(q->user);
	kmem_cache_free(sigqueue_cache, q);
}

/* The same for one that the current process has taken. It keeps one for its next signal. */
static __always_inline void recycle_sigqueue(struct sigqueue *q)
{
	struct signal_struct *signal = current->signal;

	if (q->taken || signal->spare_sigqueue || q->user != current->real_cred->user) {
		free_sigqueue(q);
		return;
	}
	atomic_dec(&q->user->sigpending);
	signal->spare_sigqueue = q;
}

void free_spare_sigqueue(struct signal_struct *signal)
{
	struct sigqueue *q = signal->spare_sigqueue;

	if (!q)
		return;
	put_user_struct(q->user);
	kmem_cache_free(sigqueue_cache, q);
}

/* False: the user of p has as many queued signals as p may have. override: that is no reason. */
static bool count_sigqueue(const struct task_struct *p, struct user_struct *user, bool override)
{
	unsigned long limit = READ_ONCE(p->signal->rlim[RLIMIT_SIGPENDING].rlim_cur);

	if ((unsigned long)atomic_inc_return(&user->sigpending) <= limit || override)
		return true;
	atomic_dec(&user->sigpending);
	return false;
}

static struct sigqueue *new_sigqueue(const struct task_struct *p, gfp_t gfp, bool override)
{
	struct user_struct *user;
	struct sigqueue *q;

	rcu_read_lock();
	user = rcu_dereference(p->real_cred)->user;
	atomic_inc(&user->count);
	rcu_read_unlock();
	if (!count_sigqueue(p, user, override))
		goto no_room;
	q = kmem_cache_alloc(sigqueue_cache, gfp);
	if (!q)
		goto no_memory;
	q->user = user;
	q->queued = false;
	q->taken = NULL;
	return q;
no_memory:
	atomic_dec(&user->sigpending);
no_room:
	put_user_struct(user);
	return NULL;
}

struct sigqueue *sigqueue_alloc(void (*taken)(struct sigqueue *q, struct siginfo *info),
				void *owner)
{
	struct sigqueue *q = new_sigqueue(current, GFP_KERNEL, false);

	if (q) {
		q->taken = taken;
		q->owner = owner;
	}
	return q;
}

void sigqueue_disown(struct sigqueue *q)
{
	q->taken = NULL;
	if (!q->queued)
		free_sigqueue(q);
}

bool sigqueue_add(struct sigpending *pending, const struct siginfo *info, struct task_struct *p)
{
	struct sigqueue *q = p->signal->spare_sigqueue;
	/* kill(2) and the kernel need no more than one entry for each signal. */
	bool override = info->si_signo < SIGRTMIN && info->si_code >= 0;

	/* siglock is held, so preemption is off: an RCU reader. */
	if (q && q->user == p->real_cred->user && count_sigqueue(p, q->user, override))
		p->signal->spare_sigqueue = NULL;
	else
		q = new_sigqueue(p, GFP_ATOMIC, override);
	if (!q)
		return false;
	q->info = *info;
	q->queued = true;
	list_add_tail(&q->list, &pending->list);
	return true;
}

/* Takes the first entry for sig; info is zero but for the number when there is none. */
static __always_inline void collect_signal(int sig, struct sigpending *pending,
					   struct siginfo *info)
{
	struct sigqueue *q, *first = NULL;
	bool more = false;

	list_for_each_entry (q, &pending->list, list) {
		if (q->info.si_signo != sig)
			continue;
		if (first) {
			more = true;
			break;
		}
		first = q;
	}
	if (!more)
		pending->signal &= ~SIG_BIT(sig);
	if (first) {
		*info = first->info;
		list_del(&first->list);
		if (first->taken)
			first->taken(first, info);
		recycle_sigqueue(first);
	} else {
		init_siginfo(info, sig, SI_USER);
	}
}

/* The signal to take next: faults first, then the lowest number. 0: none. */
static int next_signal(const struct sigpending *pending, u64 mask)
{
	u64 ready = pending->signal & ~mask;

	if (ready & SYNCHRONOUS_MASK)
		ready &= SYNCHRONOUS_MASK;
	return ready ? __builtin_ctzl(ready) + 1 : 0;
}

static __always_inline int take_signal(struct sigpending *pending, u64 mask, struct siginfo *info)
{
	int sig = next_signal(pending, mask);

	if (sig)
		collect_signal(sig, pending, info);
	return sig;
}

void (*sigalrm_taken_hook)(struct signal_struct *signal);

int dequeue_signal(struct task_struct *tsk, u64 mask, struct siginfo *info)
{
	int sig = take_signal(&tsk->pending, mask, info);

	if (!sig) {
		sig = take_signal(&tsk->signal->shared_pending, mask, info);
		if (unlikely(sig == SIGALRM) && sigalrm_taken_hook)
			sigalrm_taken_hook(tsk->signal);
	}
	recalc_sigpending();
	/* If a SIGCONT comes before a stop is carried out, it cancels the stop. */
	if (sig && (SIG_BIT(sig) & SIG_KERNEL_STOP_MASK))
		current->jobctl |= JOBCTL_STOP_DEQUEUED;
	return sig;
}

u64 pending_unblocked(u64 mask)
{
	return (current->pending.signal | current->signal->shared_pending.signal) & ~mask;
}

enum siginfo_layout siginfo_layout(const struct siginfo *info)
{
	int code = info->si_code;

	if (code > SI_USER && code < SI_KERNEL) {
		switch (info->si_signo) {
		case SIGILL:
		case SIGFPE:
		case SIGSEGV:
		case SIGBUS:
		case SIGTRAP:
			return SIL_FAULT;
		case SIGCHLD:
			return SIL_CHLD;
		}
		return SIL_POLL;
	}
	if (code >= 0)
		return SIL_KILL;
	if (code == SI_TIMER)
		return SIL_TIMER;
	return code == SI_SIGIO ? SIL_POLL : SIL_RT;
}

#define SIGINFO_REST (SIGINFO_SIZE - KERNEL_SIGINFO_SIZE)

int copy_siginfo_to_user(void __user *to, const struct siginfo *info)
{
	if (copy_to_user(to, info, sizeof(*info)) ||
	    clear_user((char __user *)to + sizeof(*info), SIGINFO_REST))
		return -EFAULT;
	return 0;
}

int copy_siginfo_from_user(struct siginfo *info, const void __user *from)
{
	u8 rest[SIGINFO_REST];

	if (copy_from_user(info, from, sizeof(*info)))
		return -EFAULT;
	if (info->si_code >= SI_DETHREAD || info->si_code == SI_ASYNCNL)
		return 0;
	if (copy_from_user(rest, (const char __user *)from + sizeof(*info), sizeof(rest)))
		return -EFAULT;
	return memchr_inv(rest, 0, sizeof(rest)) ? -E2BIG : 0;
}

int dequeue_synchronous_signal(struct siginfo *info)
{
	struct sigpending *pending = &current->pending;
	struct sigqueue *q;

	/* Only what the kernel itself has sent: a program can send itself a SIGSEGV by kill(2). */
	list_for_each_entry (q, &pending->list, list) {
		int sig = q->info.si_signo;

		if (!(SIG_BIT(sig) & SYNCHRONOUS_MASK & ~current->blocked) || q->info.si_code <= 0)
			continue;
		collect_signal(sig, pending, info);
		recalc_sigpending();
		return sig;
	}
	return 0;
}

void flush_sigqueue_mask(struct sigpending *pending, u64 mask)
{
	struct sigqueue *q, *n;

	if (!(pending->signal & mask))
		return;
	pending->signal &= ~mask;
	list_for_each_entry_safe (q, n, &pending->list, list) {
		if (SIG_BIT(q->info.si_signo) & mask) {
			list_del(&q->list);
			free_sigqueue(q);
		}
	}
}

void free_ended_signals(struct sigpending *pending)
{
	spinlock_t *siglock = &current->sighand->siglock;
	struct sigqueue *q;
	LIST_HEAD(ended);

	if (list_empty(&pending->list))
		return;
	spin_lock_irq(siglock);
	list_splice_tail_init(&pending->list, &ended); /* what others send meanwhile stays */
	while ((q = list_first_entry_or_null(&ended, struct sigqueue, list))) {
		list_del(&q->list);
		free_sigqueue(q);
		spin_unlock_irq(siglock);
		spin_lock_irq(siglock);
	}
	spin_unlock_irq(siglock);
}

void flush_sigqueue(struct sigpending *pending)
{
	flush_sigqueue_mask(pending, ~0UL);
}

static int __init signals_init(void)
{
	sigqueue_cache = kmem_cache_create("sigqueue", sizeof(struct sigqueue), 0);
	return sigqueue_cache ? 0 : -ENOMEM;
}
early_initcall(signals_init);
