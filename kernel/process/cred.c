/* Credentials: copying, publishing, freeing, and the users whose processes are counted. */
#include "kernel/process/cred.h"

#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/process/signal_struct.h"
#include "kernel/vm/mm.h"

static DEFINE_SPINLOCK(users_lock); /* U: a leaf */
static LIST_HEAD(users);

struct user_struct root_user = {
	.count = ATOMIC_INIT(1),
	.node = LIST_HEAD_INIT(root_user.node),
};

static struct user_struct *find_user(u32 uid)
{
	struct user_struct *user;

	if (uid == 0) {
		atomic_inc(&root_user.count);
		return &root_user;
	}
	list_for_each_entry (user, &users, node) {
		if (user->uid == uid) {
			atomic_inc(&user->count);
			return user;
		}
	}
	return NULL;
}

struct user_struct *alloc_uid(u32 uid)
{
	struct user_struct *user, *new = NULL;

	spin_lock_irq(&users_lock);
	user = find_user(uid);
	spin_unlock_irq(&users_lock);
	if (user)
		return user;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return NULL;
	atomic_set(&new->count, 1);
	new->uid = uid;
	spin_lock_irq(&users_lock);
	user = find_user(uid);
	if (!user)
		list_add(&new->node, &users);
	spin_unlock_irq(&users_lock);
	if (!user)
		return new;
	kfree(new);
	return user;
}

void put_user_struct(struct user_struct *user)
{
	unsigned long flags;

	if (atomic_add_unless(&user->count, -1, 1))
		return;
	spin_lock_irqsave(&users_lock, flags);
	if (!atomic_dec_and_test(&user->count))
		user = NULL;
	else
		list_del(&user->node);
	spin_unlock_irqrestore(&users_lock, flags);
	kfree(user);
}

void put_group_info(struct group_info *groups)
{
	if (atomic_dec_and_test(&groups->usage))
		kvfree(groups);
}

static void free_cred_rcu(struct rcu_head *head)
{
	struct cred *cred = container_of(head, struct cred, rcu);

	put_group_info(cred->group_info);
	put_user_struct(cred->user);
	kfree(cred);
}

void put_cred(const struct cred *const_cred)
{
	struct cred *cred = (struct cred *)const_cred;

	if (atomic_dec_and_test(&cred->usage))
		call_rcu(&cred->rcu, free_cred_rcu);
}

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

void abort_creds(struct cred *new)
{
	put_cred(new);
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

void copy_creds(struct task_struct *p, const struct cred *cred)
{
	atomic_inc(&cred->user->processes);
	p->cred = get_cred(cred);
	p->real_cred = get_cred(cred);
}

void uncount_process(struct task_struct *p)
{
	atomic_dec(&p->real_cred->user->processes);
}

void exit_creds(struct task_struct *p)
{
	put_cred(p->cred);
	put_cred(p->real_cred);
}

bool cred_in_group(const struct cred *cred, u32 gid)
{
	const struct group_info *groups = cred->group_info;
	unsigned low = 0, high = groups->ngroups;

	if (gid == cred->fsgid)
		return true;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (groups->gid[middle] == gid)
			return true;
		if (groups->gid[middle] < gid)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
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
