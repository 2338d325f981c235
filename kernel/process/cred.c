/* Credentials of programs: copying, changing, publishing. kernel/task/cred.c frees them. */
#include "kernel/task/cred.h"

#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/task/signal_struct.h"
#include "kernel/vm/mm.h"

const struct cred *get_task_cred(struct task_struct *p)
{
	const struct cred *cred;

	rcu_read_lock();
	do {
		cred = rcu_dereference(p->real_cred);
	} while (!atomic_inc_not_zero(&((struct cred *)cred)->usage));
	rcu_read_unlock();
	return cred;
}

struct cred *prepare_creds(void)
{
	struct cred *new = kmemdup(current_cred(), sizeof(*new), GFP_KERNEL);

	if (!new)
		return NULL;
	atomic_set(&new->usage, 1);
	atomic_inc(&new->group_info->usage);
	atomic_inc(&new->user->count);
	return new;
}

bool creds_hide_memory(const struct cred *new)
{
	const struct cred *old = current_cred();

	return new->euid != old->euid || new->egid != old->egid || new->fsuid != old->fsuid ||
	       new->fsgid != old->fsgid || (new->cap_permitted & ~old->cap_permitted);
}

int commit_creds(struct cred *new)
{
	struct task_struct *tsk = current;
	const struct cred *old = tsk->cred;

	if (creds_hide_memory(new)) {
		/* Before the new ids can be seen: ptrace_may_access() reads in the other order. */
		if (tsk->mm)
			WRITE_ONCE(tsk->mm->dumpable, false);
		tsk->pdeath_signal = 0;
	}
	if (new->user != old->user) {
		atomic_inc(&new->user->processes);
		atomic_dec(&old->user->processes);
	}
	get_cred(new); /* cred and real_cred */
	rcu_assign_pointer(tsk->real_cred, new);
	rcu_assign_pointer(tsk->cred, new);
	put_cred(old);
	put_cred(old);
	return 0;
}

int set_cred_user(struct cred *new, u32 uid)
{
	struct user_struct *user = alloc_uid(uid);

	if (!user)
		return -ENOMEM;
	put_user_struct(new->user);
	new->user = user;
	new->uid = uid;
	return 0;
}

bool nproc_exceeded(const struct user_struct *user)
{
	return user != &root_user &&
	       (unsigned long)atomic_read(&user->processes) > rlimit(RLIMIT_NPROC);
}

static bool alloc_is_user(void)
{
	return !capable(CAP_SYS_ADMIN);
}

static int __init cred_init(void)
{
	alloc_is_user_hook = alloc_is_user;
	return 0;
}
early_initcall(cred_init);
