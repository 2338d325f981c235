/*
 * Out of memory: a program has written to a page, and no page is free. nop5 has no disk to which it
 * could move pages. So it ends the process that uses the most memory, and says so in the log.
 *
 * The process that has faulted executes its instruction again and again meanwhile, until the memory
 * of the victim is free, or until it is the victim itself.
 */
#include "kernel/vm/internal.h"

#include "kernel/printk/printk.h"
#include "kernel/process/signal_struct.h"
#include "kernel/sched/signal.h"

#define OOM_SCORE_ADJ_MIN (-1000) /* never a victim */
#define WAIT_MS           10

static DEFINE_MUTEX(oom_lock); /* one victim at a time */

/*
 * How much memory would be free without p, in pages, plus oom_score_adj thousandths of all memory.
 * 0: p is no victim. tasklist_lock held.
 */
static unsigned long badness(struct task_struct *p, unsigned long *rss)
{
	unsigned long points = 0;
	short adj = p->signal->oom_score_adj;

	spin_lock_irq(&p->lock); /* p->mm cannot go meanwhile */
	if (p->mm && !(p->flags & PF_KTHREAD)) {
		*rss = get_mm_rss(p->mm);
		points = *rss + READ_ONCE(p->mm->pgtables) + 1;
	}
	spin_unlock_irq(&p->lock);
	if (!points || p->pid == 1 || adj == OOM_SCORE_ADJ_MIN)
		return 0;
	return (unsigned long)max((long)points + adj * (long)(total_pages() / 1000), 1L);
}

/* The worst process, with a reference, or NULL. */
static struct task_struct *select_victim(unsigned long *rss)
{
	struct task_struct *p, *victim = NULL;
	unsigned long most = 0;

	spin_lock(&tasklist_lock);
	for_each_task (p) {
		unsigned long pages, points = badness(p, &pages);

		if (points > most) {
			most = points;
			*rss = pages;
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

/* Ends the victim, unless it is ending already. oom_lock held. */
static void oom_kill_process(struct task_struct *victim, struct mm_struct *mm, unsigned long rss)
{
	static struct mm_struct *last_mm; /* [oom_lock] only compared: the last victim's */

	if (mm == last_mm && signal_pending(victim))
		return;
	last_mm = mm;
	pr_err("Out of memory: Killed process %d (%s) total-vm:%lukB, rss:%lukB\n", victim->tgid,
	       victim->comm, mm->total_vm * (PAGE_SIZE / 1024), rss * (PAGE_SIZE / 1024));
	kill_users(mm);
}

void out_of_memory(void)
{
	struct task_struct *victim;
	struct mm_struct *mm;
	unsigned long rss = 0;

	mutex_lock(&oom_lock);
	victim = select_victim(&rss);
	mm = victim ? get_task_mm(victim) : NULL;
	if (mm) {
		oom_kill_process(victim, mm, rss);
		mmput(mm);
	}
	mutex_unlock(&oom_lock);
	if (victim)
		put_task_struct(victim);
	if (!signal_pending(current))
		msleep(WAIT_MS);
}
