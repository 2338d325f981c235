/* What processes have used: times(2), getrusage(2), and the sums that wait4() makes. */
#include "kernel/process/rusage.h"

#include "arch/mm/uaccess.h"
#include "kernel/process/exit.h"
#include "kernel/task/pid.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "kernel/vm/mm.h"

/*
 * total, divided in the ratio of the ticks. Without ticks, a program has run in user mode only, and
 * a task of the kernel, for which no tick counts, in the kernel only.
 */
static u64 user_part(const struct task_struct *p, u64 total)
{
	u64 user = READ_ONCE(p->user_ticks), kernel = READ_ONCE(p->kernel_ticks);

	if (user + kernel == 0)
		return is_program(p) ? total : 0;
	return total / (user + kernel) * user;
}

void task_cputime(struct task_struct *p, u64 *utime, u64 *stime)
{
	u64 total = task_sched_runtime(p), user = user_part(p, total);
	unsigned long flags;

	/* Neither of the two times goes back, although the ratio changes. */
	spin_lock_irqsave(&p->lock, flags);
	total = max(total, p->last_utime + p->last_stime);
	user = min(max(user, p->last_utime), total - p->last_stime);
	p->last_utime = *utime = user;
	p->last_stime = *stime = total - user;
	spin_unlock_irqrestore(&p->lock, flags);
}

static void add_io(struct task_io_accounting *sum, const struct task_io_accounting *more)
{
	sum->rchar += READ_ONCE(more->rchar);
	sum->wchar += READ_ONCE(more->wchar);
	sum->syscr += READ_ONCE(more->syscr);
	sum->syscw += READ_ONCE(more->syscw);
}

void add_task_usage(struct task_usage *sum, struct task_struct *p)
{
	u64 utime, stime;

	task_cputime(p, &utime, &stime);
	sum->utime += utime;
	sum->stime += stime;
	sum->nvcsw += READ_ONCE(p->nvcsw);
	sum->nivcsw += READ_ONCE(p->nivcsw);
	sum->min_flt += READ_ONCE(p->min_flt);
	sum->maj_flt += READ_ONCE(p->maj_flt);
	add_io(&sum->io, &p->ioac);
	if (p == current && p->mm)
		sum->maxrss =
			max(sum->maxrss, max(READ_ONCE(p->mm->hiwater_rss), get_mm_rss(p->mm)));
}

void add_usage(struct task_usage *sum, const struct task_usage *more)
{
	sum->utime += more->utime;
	sum->stime += more->stime;
	sum->nvcsw += more->nvcsw;
	sum->nivcsw += more->nivcsw;
	sum->min_flt += more->min_flt;
	sum->maj_flt += more->maj_flt;
	add_io(&sum->io, &more->io);
	sum->maxrss = max(sum->maxrss, more->maxrss);
}

void process_usage(struct task_struct *leader, struct task_usage *sum)
{
	struct task_struct *t;

	add_usage(sum, &leader->signal->ended);
	list_for_each_entry (t, &leader->signal->thread_head, thread_node)
		add_task_usage(sum, t);
}

static struct timeval ns_to_timeval(u64 ns)
{
	return (struct timeval){ (long)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC / 1000) };
}

void usage_to_rusage(const struct task_usage *usage, struct rusage *ru)
{
	*ru = (struct rusage){
		.ru_utime = ns_to_timeval(usage->utime),
		.ru_stime = ns_to_timeval(usage->stime),
		.ru_maxrss = (long)(usage->maxrss * PAGE_SIZE / 1024),
		.ru_minflt = (long)usage->min_flt,
		.ru_majflt = (long)usage->maj_flt,
		.ru_nvcsw = (long)usage->nvcsw,
		.ru_nivcsw = (long)usage->nivcsw,
	};
}

#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD   1

SYSCALL_DEFINE2(getrusage, int, who, struct rusage __user *, ru)
{
	struct task_usage usage = { 0 };
	struct rusage out;

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return -EINVAL;
	spin_lock(&tasklist_lock);
	if (who == RUSAGE_SELF)
		process_usage(current->group_leader, &usage);
	else if (who == RUSAGE_CHILDREN)
		usage = current->signal->children;
	else
		add_task_usage(&usage, current);
	spin_unlock(&tasklist_lock);
	usage_to_rusage(&usage, &out);
	return copy_to_user(ru, &out, sizeof(out)) ? -EFAULT : 0;
}

/* struct tms of times(2). */
struct tms {
	long tms_utime, tms_stime, tms_cutime, tms_cstime;
};

SYSCALL_DEFINE1(times, struct tms __user *, tbuf)
{
	struct task_usage usage = { 0 };
	struct tms tms;

	if (tbuf) {
		spin_lock(&tasklist_lock);
		process_usage(current->group_leader, &usage);
		tms.tms_cutime = (long)(current->signal->children.utime / NSEC_PER_CLOCK_TICK);
		tms.tms_cstime = (long)(current->signal->children.stime / NSEC_PER_CLOCK_TICK);
		spin_unlock(&tasklist_lock);
		tms.tms_utime = (long)(usage.utime / NSEC_PER_CLOCK_TICK);
		tms.tms_stime = (long)(usage.stime / NSEC_PER_CLOCK_TICK);
		if (copy_to_user(tbuf, &tms, sizeof(tms)))
			return -EFAULT;
	}
	return (long)(ktime_get() / NSEC_PER_CLOCK_TICK);
}

void note_maxrss(struct task_struct *p)
{
	unsigned long flags;
	u64 pages;

	if (!p->mm)
		return;
	pages = max(READ_ONCE(p->mm->hiwater_rss), get_mm_rss(p->mm));
	spin_lock_irqsave(&p->sighand->siglock, flags);
	p->signal->ended.maxrss = max(p->signal->ended.maxrss, pages);
	spin_unlock_irqrestore(&p->sighand->siglock, flags);
}
