/* The queues of pending signals. */
#include "kernel/signal/signal.h"

#include "kernel/init.h"
#include "kernel/mm/slab.h"

/* One pending signal with what comes with it. [S] siglock. */
struct sigqueue {
	struct list_head list; /* [S] in sigpending.list */
	struct siginfo info;
	atomic_t *counter; /* the number of queued signals of the process that received it */
};

static struct kmem_cache *sigqueue_cache;

static void free_sigqueue(struct sigqueue *q)
{
	atomic_dec(q->counter);
	kmem_cache_free(sigqueue_cache, q);
}

bool sigqueue_add(struct sigpending *pending, const struct siginfo *info, struct task_struct *p)
{
	unsigned long limit = READ_ONCE(p->signal->rlim[RLIMIT_SIGPENDING].rlim_cur);
	atomic_t *counter = &p->signal->nr_sigqueued;
	struct sigqueue *q;

	if ((unsigned long)atomic_read(counter) >= limit)
		return false;
	q = kmem_cache_alloc(sigqueue_cache, GFP_ATOMIC);
	if (!q)
		return false;
	atomic_inc(counter);
	q->counter = counter;
	q->info = *info;
	list_add_tail(&q->list, &pending->list);
	return true;
}

/* Takes the first entry for sig; info is zero but for the number when there is none. */
static void collect_signal(int sig, struct sigpending *pending, struct siginfo *info)
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
		free_sigqueue(first);
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

static int take_signal(struct sigpending *pending, u64 mask, struct siginfo *info)
{
	int sig = next_signal(pending, mask);

	if (sig)
		collect_signal(sig, pending, info);
	return sig;
}

int dequeue_signal(struct task_struct *tsk, u64 mask, struct siginfo *info)
{
	int sig = take_signal(&tsk->pending, mask, info);

	if (!sig)
		sig = take_signal(&tsk->signal->shared_pending, mask, info);
	recalc_sigpending();
	/* A stop that is not carried out at once is cancelled by a SIGCONT that comes meanwhile. */
	if (sig && (SIG_BIT(sig) & SIG_KERNEL_STOP_MASK))
		current->jobctl |= JOBCTL_STOP_DEQUEUED;
	return sig;
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
