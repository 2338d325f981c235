/* Credentials of tasks: those of a new task, freeing, and the users whose tasks are counted. */
#include "kernel/task/cred.h"

#include "kernel/lib/sort.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"

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
	size_t first;

	if (gid == cred->fsgid)
		return true;
	first = partition_point(groups->ngroups, i, groups->gid[i] < gid);
	return first < groups->ngroups && groups->gid[first] == gid;
}
