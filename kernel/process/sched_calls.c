/*
 * The system calls of the scheduler: policies, priorities, affinity. sched(7) describes the rules.
 *
 * SCHED_RR is a FIFO whose tasks take turns every 100 ms. SCHED_BATCH and SCHED_IDLE are like
 * SCHED_OTHER. SCHED_DEADLINE is refused.
 */
#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "kernel/process/fork.h"
#include "kernel/task/pid.h"
#include "kernel/task/signal_struct.h"
#include "kernel/smp.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timespec.h"

#define SCHED_RESET_ON_FORK 0x40000000

/* struct sched_param of sched_setscheduler(2). */
struct sched_param {
	int sched_priority;
};

/* struct sched_attr of sched_setattr(2). */
struct sched_attr {
	u32 size, sched_policy;
	u64 sched_flags;
	s32 sched_nice;
	u32 sched_priority;
	u64 sched_runtime, sched_deadline, sched_period;
	u32 sched_util_min, sched_util_max;
};
#define SCHED_ATTR_SIZE_VER0     48
#define SCHED_FLAG_RESET_ON_FORK 1

/* The task that pid names, 0: the current one, with a reference. NULL: none. */
static struct task_struct *get_task(pid_t pid)
{
	return pid ? find_get_task_by_pid(pid) : get_task_struct(current);
}

/* Whether the current task may change how p is scheduled. */
static bool may_schedule(struct task_struct *p)
{
	const struct cred *its = get_task_cred(p);
	bool may =
		current_euid() == its->euid || current_euid() == its->uid || capable(CAP_SYS_NICE);

	put_cred(its);
	return may;
}

/* RLIMIT_NICE counts from 1, nice 19, to 40, nice -20. */
static bool nice_in_limit(struct task_struct *p, int nice)
{
	return (unsigned long)(20 - nice) <= p->signal->rlim[RLIMIT_NICE].rlim_cur;
}

static bool may_set_nice(struct task_struct *p, int nice)
{
	return nice >= p->nice || capable(CAP_SYS_NICE) || nice_in_limit(p, nice);
}

/*
 * What an unprivileged task may not do: become real-time beyond its limit, or more urgent; give its
 * children what it has itself; leave SCHED_IDLE if it may not have its nice.
 */
static bool may_set_policy(struct task_struct *p, int policy, int priority, bool reset_on_fork)
{
	unsigned long limit = p->signal->rlim[RLIMIT_RTPRIO].rlim_cur;

	if (capable(CAP_SYS_NICE))
		return true;
	if (!may_schedule(p) || (READ_ONCE(p->reset_on_fork) && !reset_on_fork))
		return false;
	if (p->policy == SCHED_IDLE && policy != SCHED_IDLE && !nice_in_limit(p, p->nice))
		return false;
	if (!rt_policy(policy))
		return true;
	if (policy != (int)p->policy && !limit)
		return false;
	return priority <= p->normal_rt_priority || (unsigned long)priority <= limit;
}

/* SCHED_IDLE has none: the task keeps its nice for later. */
static bool takes_nice(int policy)
{
	return policy == SCHED_NORMAL || policy == SCHED_BATCH;
}

/* Sets policy, priority and nice of p, which has been found. */
static int set_scheduler(struct task_struct *p, int policy, int priority, bool reset_on_fork,
			 const s32 *nice)
{
	int error;

	if (!policy_takes_priority(policy, priority))
		return -EINVAL;
	if (!may_set_policy(p, policy, priority, reset_on_fork) ||
	    (nice && !may_set_nice(p, *nice)))
		return -EPERM;
	error = sched_setscheduler(p, policy, priority);
	if (error)
		return error;
	WRITE_ONCE(p->reset_on_fork, reset_on_fork);
	return nice ? set_user_nice(p, *nice) : 0;
}

/* The same with what p has already, if policy is below 0. */
static int set_scheduler_or_param(struct task_struct *p, int policy, int priority)
{
	bool reset_on_fork = policy & SCHED_RESET_ON_FORK;

	if (policy < 0)
		return set_scheduler(p, (int)p->policy, priority, p->reset_on_fork, NULL);
	return set_scheduler(p, policy & ~SCHED_RESET_ON_FORK, priority, reset_on_fork, NULL);
}

/* As a system call: finds the task, and changes it. policy below 0: the present one. */
static long do_set_scheduler(pid_t pid, int policy, struct sched_param __user *param)
{
	struct sched_param in;
	struct task_struct *p;
	long ret;

	if (!param || pid < 0)
		return -EINVAL;
	if (copy_from_user(&in, param, sizeof(in)))
		return -EFAULT;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	ret = set_scheduler_or_param(p, policy, in.sched_priority);
	put_task_struct(p);
	return ret;
}

/* Restricted: SCHED_BATCH and SCHED_IDLE run as SCHED_OTHER. */
SYSCALL_DEFINE3(sched_setscheduler, pid_t, pid, int, policy, struct sched_param __user *, param)
{
	return policy < 0 ? -EINVAL : do_set_scheduler(pid, policy, param);
}

SYSCALL_DEFINE2(sched_setparam, pid_t, pid, struct sched_param __user *, param)
{
	return do_set_scheduler(pid, -1, param);
}

SYSCALL_DEFINE1(sched_getscheduler, pid_t, pid)
{
	struct task_struct *p;
	long ret;

	if (pid < 0)
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	ret = READ_ONCE(p->policy) | (READ_ONCE(p->reset_on_fork) ? SCHED_RESET_ON_FORK : 0);
	put_task_struct(p);
	return ret;
}

SYSCALL_DEFINE2(sched_getparam, pid_t, pid, struct sched_param __user *, param)
{
	struct sched_param out;
	struct task_struct *p;

	if (!param || pid < 0)
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	out.sched_priority = READ_ONCE(p->normal_rt_priority);
	put_task_struct(p);
	return copy_to_user(param, &out, sizeof(out)) ? -EFAULT : 0;
}

/* Reads a struct sched_attr of any size. */
static int get_attr(struct sched_attr *attr, struct sched_attr __user *uattr)
{
	u32 size;
	int error;

	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (!size)
		size = SCHED_ATTR_SIZE_VER0;
	error = size < SCHED_ATTR_SIZE_VER0 || size > 4096
			? -E2BIG
			: copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	if (error == -E2BIG)
		(void)put_user((u32)sizeof(*attr), &uattr->size);
	return error;
}

/* Restricted: as sched_setscheduler(). */
SYSCALL_DEFINE3(sched_setattr, pid_t, pid, struct sched_attr __user *, uattr, unsigned int, flags)
{
	struct sched_attr attr;
	struct task_struct *p;
	s32 nice;
	int error;

	if (!uattr || pid < 0 || flags)
		return -EINVAL;
	error = get_attr(&attr, uattr);
	if (error)
		return error;
	if (attr.sched_policy > INT32_MAX || (attr.sched_flags & ~(u64)SCHED_FLAG_RESET_ON_FORK))
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	nice = min(max(attr.sched_nice, -20), 19);
	error = set_scheduler(p, (int)attr.sched_policy, (int)attr.sched_priority,
			      attr.sched_flags & SCHED_FLAG_RESET_ON_FORK,
			      takes_nice((int)attr.sched_policy) ? &nice : NULL);
	put_task_struct(p);
	return error;
}

SYSCALL_DEFINE4(sched_getattr, pid_t, pid, struct sched_attr __user *, uattr, unsigned int, usize,
		unsigned int, flags)
{
	struct sched_attr attr = { 0 };
	struct task_struct *p;

	if (!uattr || pid < 0 || usize > 4096 || usize < SCHED_ATTR_SIZE_VER0 || flags)
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	attr.size = min(usize, (unsigned)sizeof(attr));
	attr.sched_policy = READ_ONCE(p->policy);
	attr.sched_flags = READ_ONCE(p->reset_on_fork) ? SCHED_FLAG_RESET_ON_FORK : 0;
	if (rt_policy((int)attr.sched_policy))
		attr.sched_priority = (u32)READ_ONCE(p->normal_rt_priority);
	else
		attr.sched_nice = READ_ONCE(p->nice);
	put_task_struct(p);
	return copy_to_user(uattr, &attr, attr.size) ? -EFAULT : 0;
}

SYSCALL_DEFINE1(sched_get_priority_max, int, policy)
{
	if (rt_policy(policy))
		return MAX_RT_PRIO - 1;
	return known_policy(policy) ? 0 : -EINVAL;
}

SYSCALL_DEFINE1(sched_get_priority_min, int, policy)
{
	if (rt_policy(policy))
		return 1;
	return known_policy(policy) ? 0 : -EINVAL;
}

SYSCALL_DEFINE2(sched_rr_get_interval, pid_t, pid, struct __kernel_timespec __user *, interval)
{
	struct task_struct *p;
	u64 slice = 0; /* of FIFO tasks, which have none */

	if (pid < 0)
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	if (READ_ONCE(p->policy) == SCHED_RR)
		slice = (u64)sched_rr_slice_ms() * NSEC_PER_MSEC;
	else if (!rt_policy(READ_ONCE(p->policy)))
		slice = 3 * NSEC_PER_MSEC;
	put_task_struct(p);
	return put_timespec(slice, interval);
}

SYSCALL_DEFINE0(sched_yield)
{
	yield();
	return 0;
}

SYSCALL_DEFINE3(sched_setaffinity, pid_t, pid, unsigned int, len, unsigned long __user *,
		user_mask_ptr)
{
	struct cpumask mask = { { 0 } };
	struct task_struct *p;
	long ret;

	if (copy_from_user(&mask, user_mask_ptr, min((size_t)len, sizeof(mask))))
		return -EFAULT;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	ret = may_schedule(p) ? set_cpus_allowed(p, &mask) : -EPERM;
	put_task_struct(p);
	return ret;
}

SYSCALL_DEFINE3(sched_getaffinity, pid_t, pid, unsigned int, len, unsigned long __user *,
		user_mask_ptr)
{
	size_t size = ALIGN(DIV_ROUND_UP((size_t)nr_cpu_ids, 8), sizeof(long));
	struct cpumask mask;
	struct task_struct *p;
	unsigned cpu;

	if (len * 8UL < nr_cpu_ids || (len & (sizeof(long) - 1)))
		return -EINVAL;
	p = get_task(pid);
	if (!p)
		return -ESRCH;
	mask = p->cpus_allowed;
	put_task_struct(p);
	for_each_cpu (cpu, &mask)
		if (!cpu_online(cpu))
			cpumask_clear_cpu(cpu, &mask);
	size = min(size, (size_t)len);
	return copy_to_user(user_mask_ptr, &mask, size) ? -EFAULT : (long)size;
}

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

/* Calls fn for each task that which and who name. Returns the number of tasks. */
static unsigned for_each_named(int which, int who, void (*fn)(struct task_struct *p, void *arg),
			       void *arg)
{
	u32 uid = who ? (u32)who : current_uid();
	struct task_struct *p;
	struct pid *pid;
	unsigned count = 0;

	spin_lock(&tasklist_lock);
	if (which == PRIO_PROCESS) {
		p = who ? find_task_by_pid(who) : current;
		if (p) {
			fn(p, arg);
			count++;
		}
	} else if (which == PRIO_PGRP) {
		pid = who ? find_pid(who) : current->signal->pids[PIDTYPE_PGID];
		for_each_task (p)
			if (pid && p->signal->pids[PIDTYPE_PGID] == pid) {
				fn(p, arg);
				count++;
			}
	} else {
		for_each_task (p)
			if (p->real_cred->uid == uid && !(p->flags & PF_KTHREAD)) {
				fn(p, arg);
				count++;
			}
	}
	spin_unlock(&tasklist_lock);
	return count;
}

/* For a change: whether p is a task of the current user. tasklist_lock held. */
static bool owns_task(const struct task_struct *p)
{
	u32 uid = p->real_cred->uid;

	return uid == current_euid() || uid == current_uid() || capable(CAP_SYS_NICE);
}

static void find_lowest_nice(struct task_struct *p, void *arg)
{
	int *lowest = arg;

	*lowest = min(*lowest, READ_ONCE(p->nice));
}

SYSCALL_DEFINE2(getpriority, int, which, int, who)
{
	int nice = 20;

	if (which < PRIO_PROCESS || which > PRIO_USER)
		return -EINVAL;
	if (!for_each_named(which, who, find_lowest_nice, &nice))
		return -ESRCH;
	return 20 - nice; /* above 0: the C library turns it round again */
}

struct set_nice {
	int nice, error;
};

static void set_one_nice(struct task_struct *p, void *arg)
{
	struct set_nice *set = arg;
	u32 euid = current_euid();

	if (p->real_cred->uid != euid && p->real_cred->euid != euid && !capable(CAP_SYS_NICE))
		set->error = -EPERM;
	else if (!may_set_nice(p, set->nice))
		set->error = -EACCES;
	else if (set_user_nice(p, set->nice))
		set->error = -EINVAL;
	else if (set->error == -ESRCH)
		set->error = 0;
}

SYSCALL_DEFINE3(setpriority, int, which, int, who, int, niceval)
{
	struct set_nice set = { .nice = min(max(niceval, -20), 19), .error = -ESRCH };

	if (which < PRIO_PROCESS || which > PRIO_USER)
		return -EINVAL;
	(void)for_each_named(which, who, set_one_nice, &set);
	return set.error;
}

/* ioprio_set(2): there is no disk whose requests could be ordered. The value is kept. */
#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_CLASS_RT    1
#define IOPRIO_CLASS_IDLE  3
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_WHO_USER    3

struct set_ioprio {
	u16 value;
	int error;
};

/* As in Linux, the first task that refuses ends it. */
static void set_one_ioprio(struct task_struct *p, void *arg)
{
	struct set_ioprio *set = arg;

	if (set->error)
		return;
	if (owns_task(p))
		WRITE_ONCE(p->ioprio, set->value);
	else
		set->error = -EPERM;
}

/* Linux takes IOPRIO_WHO_USER, 0 for the tasks of root, whoever asks. */
static unsigned for_each_ioprio(int which, int who, void (*fn)(struct task_struct *p, void *arg),
				void *arg)
{
	struct task_struct *p;
	unsigned count = 0;

	if (which != IOPRIO_WHO_USER || who)
		return for_each_named(which - IOPRIO_WHO_PROCESS, who, fn, arg);
	spin_lock(&tasklist_lock);
	for_each_task (p)
		if (!p->real_cred->uid) {
			fn(p, arg);
			count++;
		}
	spin_unlock(&tasklist_lock);
	return count;
}

static void get_best_ioprio(struct task_struct *p, void *arg)
{
	int *best = arg, value = READ_ONCE(p->ioprio);

	if (*best < 0 || value < *best)
		*best = value;
}

/* Restricted: the priority is kept, and nothing uses it. */
SYSCALL_DEFINE3(ioprio_set, int, which, int, who, int, ioprio)
{
	int class = ioprio >> IOPRIO_CLASS_SHIFT, level = ioprio & 7;
	struct set_ioprio set = { .value = (u16)ioprio };

	if (which < IOPRIO_WHO_PROCESS || which > IOPRIO_WHO_USER || class < 0 ||
	    class > IOPRIO_CLASS_IDLE || (!class && level))
		return -EINVAL;
	if (class == IOPRIO_CLASS_RT && !capable(CAP_SYS_ADMIN) && !capable(CAP_SYS_NICE))
		return -EPERM;
	return for_each_ioprio(which, who, set_one_ioprio, &set) ? set.error : -ESRCH;
}

SYSCALL_DEFINE2(ioprio_get, int, which, int, who)
{
	int best = -1;

	if (which < IOPRIO_WHO_PROCESS || which > IOPRIO_WHO_USER)
		return -EINVAL;
	if (!for_each_ioprio(which, who, get_best_ioprio, &best))
		return -ESRCH;
	return best;
}
