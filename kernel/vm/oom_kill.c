/*
 * Out of memory: a program has written to a page, and no page is free. nop5 has no disk to which it
 * could move pages. So it ends the process that uses the most memory, and says so in the log.
 *
 * The process that has faulted executes its instruction again and again meanwhile, until the memory
 * of the victim is free, or until it is the victim itself. A victim that has still memory after two
 * seconds, perhaps because it waits for a lock, stays marked, and another process is the next
 * victim.
 */
#include "kernel/vm/internal.h"

#include "kernel/printk/ratelimit.h"
#include "kernel/process/cred.h"
#include "kernel/process/signal_struct.h"
#include "kernel/sched/signal.h"
#include "kernel/time/ktime.h"

#define OOM_SCORE_ADJ_MIN (-1000) /* never a victim */
#define WAIT_MS           10
#define ENOUGH            8 /* pages for a fault, with its page tables */
#define PATIENCE          (2 * NSEC_PER_SEC)
#define KB(pages)         ((pages) * (long)(PAGE_SIZE / 1024))

static DEFINE_MUTEX(oom_lock); /* one victim at a time */
/* [oom_lock] to set: the last victim's, NULL when its memory is free. Only for comparisons. */
static const struct mm_struct *last_mm;
static ktime_t last_kill; /* [oom_lock] */

/*
 * How much memory would be free without p, in pages, plus oom_score_adj thousandths of all memory.
 * 0: p is no victim. tasklist_lock held.
 */
static unsigned long badness(struct task_struct *p)
{
	unsigned long points = 0;
	short adj = p->signal->oom_score_adj;

	spin_lock_irq(&p->lock); /* p->mm cannot go meanwhile */
	if (p->mm && !(p->flags & PF_KTHREAD))
		points = get_mm_rss(p->mm) + READ_ONCE(p->mm->pgtables) + 1;
	spin_unlock_irq(&p->lock);
	if (!points || p->tgid == 1 || adj == OOM_SCORE_ADJ_MIN || fatal_signal_pending(p))
		return 0;
	return (unsigned long)max((long)points + adj * (long)(total_pages() / 1000), 1L);
}

/* The worst process, with a reference, or NULL. */
static struct task_struct *select_victim(void)
{
	struct task_struct *p, *victim = NULL;
	unsigned long most = 0;

	spin_lock(&tasklist_lock);
	for_each_task (p) {
		unsigned long points = badness(p);

		if (points > most) {
			most = points;
			victim = p;
		}
	}
	if (victim)
		get_task_struct(victim);
	spin_unlock(&tasklist_lock);
	return victim;
}

/* Ends all tasks that use mm, so that mm has no user any more. */
static void kill_users(const struct mm_struct *mm)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->mm == mm && !(p->flags & PF_KTHREAD))
			(void)send_signal(SIGKILL, p);
	spin_unlock(&tasklist_lock);
}

/* More than of other messages: the administrator wants to know each victim. */
static struct ratelimit_state oom_ratelimit = { .interval = DEFAULT_RATELIMIT_INTERVAL,
						.burst = 5 * DEFAULT_RATELIMIT_BURST };

/* Ends all tasks that use mm, the victim's. oom_lock held. */
static void oom_kill_process(struct task_struct *victim, struct mm_struct *mm)
{
	const struct cred *cred = get_task_cred(victim);

	if (__ratelimit(&oom_ratelimit))
		pr_err("Out of memory: Killed process %d (%s) total-vm:%lukB, anon-rss:%ldkB, "
		       "file-rss:%ldkB, shmem-rss:%ldkB, UID:%u pgtables:%lukB "
		       "oom_score_adj:%hd\n",
		       victim->tgid, victim->comm, KB(mm->total_vm),
		       KB(READ_ONCE(mm->rss[MM_ANONPAGES])), KB(READ_ONCE(mm->rss[MM_FILEPAGES])),
		       KB(READ_ONCE(mm->rss[MM_SHMEMPAGES])), cred->uid,
		       KB(READ_ONCE(mm->pgtables)), victim->signal->oom_score_adj);
	put_cred(cred);
	kill_users(mm);
}

/* Chooses a victim and ends it. oom_lock held. */
static void choose_and_kill(void)
{
	struct task_struct *victim;
	struct mm_struct *mm;

	victim = select_victim();
	if (!victim)
		return;
	mm = get_task_mm(victim);
	if (mm) {
		oom_kill_process(victim, mm);
		WRITE_ONCE(last_mm, mm);
		last_kill = ktime_get();
		mmput(mm);
	}
	put_task_struct(victim);
}

/* Whether the memory of the last victim may still become free. oom_lock held. */
static bool victim_is_ending(void)
{
	return READ_ONCE(last_mm) && ktime_get() - last_kill < PATIENCE;
}

void oom_mm_is_free(const struct mm_struct *mm)
{
	if (unlikely(READ_ONCE(last_mm) == mm))
		cmpxchg(&last_mm, mm, NULL); /* the next victim may be there by now */
}

/* Whether pages have become free since the fault, perhaps of the last victim. */
static bool has_memory(void)
{
	struct page *pages[ENOUGH];
	unsigned count = 0;

	while (count < ENOUGH && (pages[count] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0)))
		count++;
	for (unsigned i = 0; i < count; i++)
		free_pages(pages[i], 0);
	return count == ENOUGH;
}

void out_of_memory(void)
{
	mutex_lock(&oom_lock);
	if (!fatal_signal_pending(current) && !victim_is_ending() && !has_memory())
		choose_and_kill();
	mutex_unlock(&oom_lock);
	if (!fatal_signal_pending(current))
		msleep(WAIT_MS);
}
