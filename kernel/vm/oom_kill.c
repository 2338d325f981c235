/*
 * Out of memory: a program has written to a page, and no page is free. nop5 has no disk to which it
 * could move pages. So it ends the process that uses the most memory, and says so in the log. What
 * a process makes the kernel hold counts, too.
 *
 * The process that has faulted executes its instruction again and again until the memory of the
 * victim is free, or until it is the victim itself. A victim that has still memory after two
 * seconds, perhaps because it waits for a lock, stays marked, and another process is the next
 * victim.
 */
#include "kernel/vm/internal.h"

#include "kernel/printk/ratelimit.h"
#include "kernel/task/cred.h"
#include "kernel/task/seccomp.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/signal.h"
#include "kernel/time/ktime.h"
#include "kernel/mm/thread_size.h"
#include "kernel/vm/shared_anon.h"

#define OOM_SCORE_ADJ_MIN (-1000) /* never a victim */
#define WAIT_MS           10
#define ENOUGH            8  /* pages for a fault, with its page tables */
#define ENOUGH_FOR_CALL   64 /* and for a system call such as fork(2) */
#define PATIENCE          (2 * NSEC_PER_SEC)
#define KB(pages)         ((pages) * (long)(PAGE_SIZE / 1024))

static DEFINE_MUTEX(oom_lock); /* one victim at a time */
/* [oom_lock] to set: the last victim's, NULL when its memory is free. Only for comparisons. */
static const struct mm_struct *last_mm;
static ktime_t last_kill; /* [oom_lock] */

/* Pages of shared memory and removed files that the areas of mm keep, but no table shows. */
static unsigned long hidden_pages(struct mm_struct *mm)
{
	size_t bytes = 0;

	if (!mmap_read_trylock(mm)) /* a thread of it may wait for memory with the lock */
		return 0;
	for (const struct vm_area_struct *vma = mm->mmap; vma; vma = vma->vm_next)
		if (is_shared_anon(vma))
			bytes += shared_anon_pages(vma) * PAGE_SIZE;
		else if (vma->vm_file)
			bytes += vm_file_hooks->memory(vma->vm_file);
	mmap_read_unlock(mm);
	return (unsigned long)max((long)(bytes / PAGE_SIZE) - READ_ONCE(mm->rss[MM_SHMEMPAGES]),
				  0L);
}

/*
 * About how much memory of the kernel ends with p, in pages: page tables, areas, kernel stacks,
 * filters of system calls, and what its files hold: full pipes, queues of sockets, removed files,
 * locks on ranges. Without it, a process that has nearly no memory of its own would take all
 * memory, and others would be ended for it.
 */
static unsigned long kernel_pages(struct task_struct *p, struct mm_struct *mm)
{
	size_t bytes = (unsigned)mm->map_count * sizeof(struct vm_area_struct) +
		       (unsigned)READ_ONCE(p->signal->nr_threads) * (size_t)THREAD_SIZE +
		       (seccomp_ops ? seccomp_ops->memory(p) : 0);

	return READ_ONCE(mm->pgtables) + bytes / PAGE_SIZE + hidden_pages(mm) +
	       vm_file_hooks->task_pages(p);
}

/*
 * The struct of p's address space, for mmdrop(), or NULL. The caller does not use the memory: to
 * drop the last user would free all of it, which may wait for a task that waits for memory.
 */
static struct mm_struct *grab_task_mm(struct task_struct *p)
{
	struct mm_struct *mm;

	spin_lock_irq(&p->lock); /* p->mm stays under this lock */
	mm = p->flags & PF_KTHREAD ? NULL : p->mm;
	if (mm)
		mmgrab(mm);
	spin_unlock_irq(&p->lock);
	return mm;
}

unsigned long oom_pages(struct task_struct *p)
{
	struct mm_struct *mm = grab_task_mm(p);
	unsigned long pages = 0;

	if (mm) {
		pages = get_mm_rss(mm) + kernel_pages(p, mm);
		mmdrop(mm);
	}
	return pages;
}

/*
 * How much memory would be free without p, in pages, plus oom_score_adj thousandths of all memory.
 * 0: p is no victim.
 */
static unsigned long badness(struct task_struct *p)
{
	long adj = READ_ONCE(p->signal->oom_score_adj), points = 0;

	if (p->tgid != 1 && adj != OOM_SCORE_ADJ_MIN)
		points = (long)oom_pages(p);
	return points ? (unsigned long)max(points + 1 + adj * (long)(total_pages() / 1000), 1L) : 0;
}

/*
 * A task with memory of the process with the lowest number above tgid, with a reference; or NULL.
 * One that SIGKILL has not reached: a thread may write the core file while the others wait for it.
 * Leaves out children in vfork(): as on Linux, they use their parent's memory.
 * The caller sums up the memory of that process without tasklist_lock.
 */
static struct task_struct *next_process(pid_t tgid)
{
	struct task_struct *p, *next = NULL;

	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->tgid > tgid && (!next || p->tgid < next->tgid) && READ_ONCE(p->mm) &&
		    !(p->flags & PF_KTHREAD) && !fatal_signal_pending(p) &&
		    !(p->vfork_done && p->mm == p->real_parent->mm))
			next = p;
	if (next)
		get_task_struct(next);
	spin_unlock(&tasklist_lock);
	return next;
}

/* The worst process, with a reference, or NULL. */
static struct task_struct *select_victim(void)
{
	struct task_struct *p, *victim = NULL;
	unsigned long most = 0;
	pid_t last = 0;

	while ((p = next_process(last))) {
		unsigned long points = badness(p);

		last = p->tgid;
		if (points > most) {
			most = points;
			swap(p, victim);
		}
		if (p)
			put_task_struct(p);
	}
	return victim;
}

/* More than of other messages: the administrator wants to know each victim. */
static struct ratelimit_state oom_ratelimit = { .interval = DEFAULT_RATELIMIT_INTERVAL,
						.burst = 5 * DEFAULT_RATELIMIT_BURST };

/* A lack of memory: tools read it at oom_kill_process(). */
struct oom_control {
	unsigned long totalpages;
	struct task_struct *chosen; /* the victim, with a reference; NULL: there is none */
};

/*
 * Ends all tasks that use mm, the victim's, so that mm has no user any more, but never PID 1: its
 * end is a panic. oom_lock held. __used, so that it keeps its name and its arguments, which tools
 * want.
 */
static noinline __used void oom_kill_process(struct oom_control *oc, const char *message,
					     struct mm_struct *mm)
{
	struct task_struct *victim = oc->chosen;
	const struct cred *cred = get_task_cred(victim);
	struct task_struct *p;

	if (__ratelimit(&oom_ratelimit))
		pr_err("%s: Killed process %d (%s) total-vm:%lukB, anon-rss:%ldkB, "
		       "file-rss:%ldkB, shmem-rss:%ldkB, UID:%u pgtables:%lukB "
		       "oom_score_adj:%hd\n",
		       message, victim->tgid, victim->comm, KB(mm->total_vm),
		       KB(READ_ONCE(mm->rss[MM_ANONPAGES])), KB(READ_ONCE(mm->rss[MM_FILEPAGES])),
		       KB(READ_ONCE(mm->rss[MM_SHMEMPAGES])), cred->uid,
		       KB(READ_ONCE(mm->pgtables)), victim->signal->oom_score_adj);
	put_cred(cred);
	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (p->mm == mm && !(p->flags & PF_KTHREAD) && p->tgid != 1)
			(void)send_signal(SIGKILL, p);
	spin_unlock(&tasklist_lock);
}

/* Chooses a victim and ends it. False: there is none. oom_lock held. */
static bool choose_and_kill(void)
{
	struct oom_control oc = { .totalpages = total_pages(), .chosen = select_victim() };
	struct mm_struct *mm = oc.chosen ? grab_task_mm(oc.chosen) : NULL;

	if (mm) {
		WRITE_ONCE(last_mm, mm);
		last_kill = ktime_get();
		oom_kill_process(&oc, "Out of memory", mm);
		mmdrop(mm);
	}
	if (oc.chosen)
		put_task_struct(oc.chosen);
	return oc.chosen;
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

/* Whether pages have become free since the failure, perhaps of the last victim. */
static bool has_memory(unsigned enough)
{
	struct page *pages[ENOUGH_FOR_CALL];
	unsigned count = 0;

	while (count < enough && (pages[count] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 0)))
		count++;
	for (unsigned i = 0; i < count; i++)
		free_pages(pages[i], 0);
	return count == enough;
}

void out_of_memory(void)
{
	mutex_lock(&oom_lock);
	if (!fatal_signal_pending(current) && !victim_is_ending() && !has_memory(ENOUGH))
		choose_and_kill();
	mutex_unlock(&oom_lock);
	if (!fatal_signal_pending(current))
		msleep(WAIT_MS);
}

bool out_of_memory_retry(void)
{
	bool again = false;

	mutex_lock(&oom_lock);
	if (!fatal_signal_pending(current) && !has_memory(ENOUGH_FOR_CALL))
		again = victim_is_ending() || choose_and_kill();
	mutex_unlock(&oom_lock);
	if (again)
		msleep(WAIT_MS);
	return again && !fatal_signal_pending(current);
}
