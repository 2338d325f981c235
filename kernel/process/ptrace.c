/*
 * Whether a task may look into another one. See ptrace.h.
 *
 * "The two belong to the same user" is not enough. A program may act for its caller and have rights
 * that the caller lacks: the caller must not look. So the question is: can task do nothing, and
 * does it know nothing, that the current task cannot do and know as well?
 */
#include "kernel/process/ptrace.h"

#include "kernel/errno.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/task/tracee.h"
#include "kernel/sched/mm.h"
#include "kernel/vm/mm.h"

struct ptrace_ops ptrace_ops __ro_after_init;
const struct ptrace_policy_ops *ptrace_policy_ops __ro_after_init;

/* All ids of cred are one user and one group, and self is the same ones. */
static bool same_ids(const struct cred *self, const struct cred *cred, unsigned mode)
{
	u32 uid = mode & PTRACE_MODE_FSCREDS ? self->fsuid : self->uid;
	u32 gid = mode & PTRACE_MODE_FSCREDS ? self->fsgid : self->gid;

	return uid == cred->uid && uid == cred->euid && uid == cred->suid && gid == cred->gid &&
	       gid == cred->egid && gid == cred->sgid;
}

/* cred could use no capability that self lacks. */
static bool no_more_capabilities(const struct cred *self, const struct cred *cred, unsigned mode)
{
	u64 caps = mode & PTRACE_MODE_FSCREDS ? self->cap_effective : self->cap_permitted;

	return !(cred->cap_permitted & ~caps);
}

/*
 * A task that ends gives up its memory before its files, and mm_access() may have got the memory
 * just before that. So what counts for a task without memory is what counted when it had some.
 */
static bool dumpable_without_mm(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD || task->dumpable_at_exit;
}

bool task_dumpable(struct task_struct *task, bool without)
{
	struct mm_struct *mm;
	bool dumpable;

	spin_lock_irq(&task->lock);
	mm = task->flags & PF_KTHREAD ? NULL : task->mm;
	dumpable = mm ? READ_ONCE(mm->dumpable) : without && dumpable_without_mm(task);
	spin_unlock_irq(&task->lock);
	return dumpable;
}

bool cred_may_access(const struct cred *self, struct task_struct *task, unsigned mode)
{
	const struct cred *cred;
	bool allowed;

	if (self->cap_effective & BIT(CAP_SYS_PTRACE))
		return true;
	rcu_read_lock();
	cred = rcu_dereference(task->real_cred);
	allowed = same_ids(self, cred, mode) && no_more_capabilities(self, cred, mode);
	rcu_read_unlock();
	/*
	 * The ids first: commit_creds() takes dumpable away before it publishes ids that are equal
	 * now, and were not.
	 */
	smp_rmb();
	return allowed && task_dumpable(task, true);
}

bool ptrace_may_access(struct task_struct *task, unsigned mode)
{
	if (task->signal == current->signal)
		return true;
	return cred_may_access(current_cred(), task, mode) &&
	       (!(mode & PTRACE_MODE_ATTACH) || !ptrace_policy_ops ||
		ptrace_policy_ops->may_attach(task));
}

int lock_trace(struct task_struct *task, unsigned mode)
{
	down_read(&task->signal->exec_update_lock);
	if (ptrace_may_access(task, mode))
		return 0;
	up_read(&task->signal->exec_update_lock);
	return -EPERM;
}

void unlock_trace(struct task_struct *task)
{
	up_read(&task->signal->exec_update_lock);
}

struct mm_struct *mm_access(struct task_struct *task, unsigned mode)
{
	struct mm_struct *mm;

	down_read(&task->signal->exec_update_lock);
	mm = get_task_mm(task);
	if (mm && mm != current->mm && !ptrace_may_access(task, mode)) {
		mmput(mm);
		mm = ERR_PTR(-EACCES);
	}
	up_read(&task->signal->exec_update_lock);
	return mm;
}
