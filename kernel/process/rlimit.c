/* Resource limits: getrlimit(2), setrlimit(2), prlimit(2). */
#include "arch/mm/uaccess.h"
#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/thread_size.h"
#include "kernel/task/cred.h"
#include "kernel/process/fork.h"
#include "kernel/task/pid.h"
#include "kernel/task/signal_struct.h"
#include "kernel/syscalls/syscalls.h"

#define NR_OPEN_MAX (1024UL * 1024) /* fs.nr_open of Linux: RLIMIT_NOFILE cannot be larger */

/* On a 64-bit machine the two structs are the same. */
struct rlimit64 {
	u64 rlim_cur, rlim_max;
};

static DEFINE_SPINLOCK(rlim_lock); /* a leaf */

static void get_limit(struct task_struct *p, unsigned resource, struct rlimit *limit)
{
	spin_lock(&rlim_lock);
	*limit = p->signal->rlim[resource];
	spin_unlock(&rlim_lock);
}

/* Changes a limit of the process of p. old gets the limit before, if it is not NULL. */
static int set_limit(struct task_struct *p, unsigned resource, const struct rlimit *new,
		     struct rlimit *old)
{
	struct rlimit *limit = &p->signal->rlim[resource];
	int error = 0;

	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	if (resource == RLIMIT_NOFILE && new->rlim_max > NR_OPEN_MAX)
		return -EPERM;
	spin_lock(&rlim_lock);
	if (old)
		*old = *limit;
	if (new->rlim_max > limit->rlim_max && !capable(CAP_SYS_RESOURCE)) {
		error = -EPERM;
	} else {
		WRITE_ONCE(limit->rlim_cur, new->rlim_cur);
		WRITE_ONCE(limit->rlim_max, new->rlim_max);
		WRITE_ONCE(p->signal->cpu_check, 0); /* RLIMIT_CPU: it may be due earlier */
	}
	spin_unlock(&rlim_lock);
	return error;
}

void lower_limit(unsigned resource, unsigned long max)
{
	struct rlimit *limit = &current->signal->rlim[resource];

	spin_lock(&rlim_lock);
	if (limit->rlim_cur > max)
		WRITE_ONCE(limit->rlim_cur, max);
	spin_unlock(&rlim_lock);
}

SYSCALL_DEFINE2(getrlimit, unsigned int, resource, struct rlimit __user *, rlim)
{
	struct rlimit limit;

	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	get_limit(current, resource, &limit);
	return copy_to_user(rlim, &limit, sizeof(limit)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(setrlimit, unsigned int, resource, struct rlimit __user *, rlim)
{
	struct rlimit limit;

	if (copy_from_user(&limit, rlim, sizeof(limit)))
		return -EFAULT;
	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	return set_limit(current, resource, &limit, NULL);
}

/* Whether the current task may read or change limits of p. */
static bool may_limit(struct task_struct *p)
{
	const struct cred *mine = current_cred(), *its;
	bool may;

	if (p->signal == current->signal)
		return true;
	its = get_task_cred(p);
	may = (mine->uid == its->euid && mine->uid == its->suid && mine->uid == its->uid &&
	       mine->gid == its->egid && mine->gid == its->sgid && mine->gid == its->gid) ||
	      capable(CAP_SYS_RESOURCE);
	put_cred(its);
	return may;
}

/*
 * Asks and changes under one lock: an exec of p may make it act for another user in between, and
 * lowers a limit before that: drop_choices().
 */
static int limit_task(struct task_struct *p, unsigned resource, const struct rlimit *new,
		      struct rlimit *old)
{
	int error;

	down_read(&p->signal->exec_update_lock);
	error = may_limit(p) ? 0 : -EPERM;
	if (!error && new)
		error = set_limit(p, resource, new, old);
	else if (!error)
		get_limit(p, resource, old);
	up_read(&p->signal->exec_update_lock);
	return error;
}

SYSCALL_DEFINE4(prlimit64, pid_t, pid, unsigned int, resource, const struct rlimit64 __user *,
		new_rlim, struct rlimit64 __user *, old_rlim)
{
	struct rlimit new, old;
	struct task_struct *p;
	int error;

	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	if (new_rlim && copy_from_user(&new, new_rlim, sizeof(new)))
		return -EFAULT;
	p = pid ? find_get_task_by_pid(pid) : get_task_struct(current);
	if (!p)
		return -ESRCH;
	error = limit_task(p, resource, new_rlim ? &new : NULL, &old);
	put_task_struct(p);
	if (error)
		return error;
	return old_rlim && copy_to_user(old_rlim, &old, sizeof(old)) ? -EFAULT : 0;
}

/* As many tasks as fill an eighth of the memory with their stacks; a user gets half of that. */
static int __init limits_init(void)
{
	struct meminfo info;
	unsigned long limit;

	si_meminfo(&info);
	max_threads = (unsigned)min(info.total / (8 * THREAD_SIZE), (u64)PID_MAX);
	limit = max_threads / 2;
	init_signals.rlim[RLIMIT_NPROC] = (struct rlimit){ limit, limit };
	init_signals.rlim[RLIMIT_SIGPENDING] = (struct rlimit){ limit, limit };
	return 0;
}
early_initcall(limits_init);
